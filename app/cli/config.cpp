// SPDX-License-Identifier: MIT
#include "app/cli/config.h"

#include <fmt/format.h>

#include <toml++/toml.h>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>

#include "app/error.h"
#include "engine/cache/cache_type.h"

namespace confab::app {
namespace {

constexpr double kMaxGib = 1 << 30;  // an exbibyte

// One setter a key; it says what it expects when the value is of another kind.
class Reader {
 public:
  Reader(std::string file, ChatOptions& options) : file_(std::move(file)) {
    text("model", options.model.path);
    text("theme", options.theme);
    text("system", options.system);
    integer("ctx_size", options.model.n_ctx, 1, 16 << 20);
    integer("threads", options.model.n_threads, 1, 1024);
    integer("predict", options.n_predict, -1, 16 << 20);
    integer("reasoning_budget", options.reasoning_budget, -1, 16 << 20);
    engine::SamplerParams& s = options.sampling;
    integer("top_k", s.top_k, 0, 1 << 20);
    integer("repeat_last_n", s.repeat_last_n, 0, 1 << 20);
    number("temperature", s.temperature);
    number("top_p", s.top_p);
    number("min_p", s.min_p);
    number("repeat_penalty", s.repeat_penalty);
    number("frequency_penalty", s.frequency_penalty);
    number("presence_penalty", s.presence_penalty);
    setters_["seed"] = [this, &s](const toml::node& node) {
      if (!node.is_integer() || *node.value<std::int64_t>() < 0) fail("seed", "an integer >= 0");
      s.seed = static_cast<std::uint64_t>(*node.value<std::int64_t>());
    };
    setters_["cache_max_gib"] = [this, &options](const toml::node& node) {
      const auto given = node.is_number() ? node.value<double>() : std::nullopt;
      if (!given || !(*given >= 0 && *given <= kMaxGib)) fail("cache_max_gib", "a number >= 0");
      options.cache_max_bytes = static_cast<std::uint64_t>(*given * (1 << 30));
    };
    cache_type("cache_type_k", options.model.type_k);
    cache_type("cache_type_v", options.model.type_v);
  }

  void read(const toml::table& table) {
    for (const auto& [key, node] : table) {
      const auto setter = setters_.find(std::string(key.str()));
      if (setter == setters_.end())
        throw UsageError(fmt::format("{}:{}: unknown key '{}'; known: {}", file_,
                                     node.source().begin.line, key.str(), known_keys()));
      setter->second(node);
    }
  }

 private:
  [[noreturn]] void fail(const std::string& key, const std::string& expected) const {
    throw UsageError(fmt::format("{}: {}: expected {}", file_, key, expected));
  }
  std::string known_keys() const {
    std::string all;
    for (const auto& [key, setter] : setters_) all += (all.empty() ? "" : ", ") + key;
    return all;
  }
  void text(const std::string& key, std::string& value) {
    setters_[key] = [this, key, &value](const toml::node& node) {
      if (!node.is_string()) fail(key, "a string");
      value = *node.value<std::string>();
    };
  }
  void integer(const std::string& key, int& value, int low, int high) {
    setters_[key] = [this, key, &value, low, high](const toml::node& node) {
      const auto given = node.is_integer() ? node.value<std::int64_t>() : std::nullopt;
      if (!given || *given < low || *given > high)
        fail(key, fmt::format("an integer from {} to {}", low, high));
      value = static_cast<int>(*given);
    };
  }
  void number(const std::string& key, float& value) {
    setters_[key] = [this, key, &value](const toml::node& node) {
      if (!node.is_number()) fail(key, "a number");
      value = static_cast<float>(*node.value<double>());
    };
  }
  void cache_type(const std::string& key, std::optional<kernels::Dtype>& value) {
    setters_[key] = [this, key, &value](const toml::node& node) {
      const auto name = node.value<std::string>();
      const kernels::DtypeInfo* found = engine::find_cache_type(name.value_or(""));
      if (found == nullptr) fail(key, fmt::format("one of {}", engine::cache_type_names()));
      value = found->dtype;
    };
  }

  std::string file_;
  std::map<std::string, std::function<void(const toml::node&)>> setters_;
};

}  // namespace

ChatOptions load_config(const std::filesystem::path& file) {
  ChatOptions options;
  std::error_code error;
  if (!std::filesystem::exists(file, error)) return options;
  std::ifstream in(file, std::ios::binary);
  if (!in.is_open() || std::filesystem::is_directory(file, error))
    throw UsageError(fmt::format("{}: cannot be read as a file", file.string()));
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  try {
    Reader(file.string(), options).read(toml::parse(text));
  } catch (const toml::parse_error& fault) {
    throw UsageError(
        fmt::format("{}:{}: {}", file.string(), fault.source().begin.line, fault.description()));
  }
  return options;
}

}  // namespace confab::app
