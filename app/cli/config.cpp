// SPDX-License-Identifier: MIT
#include "app/cli/config.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <toml++/toml.h>
#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <optional>

#include "app/error.h"
#include "app/parameters.h"
#include "app/paths.h"
#include "app/themes.h"
#include "engine/cache/cache_type.h"

namespace confab::app {
namespace {

// Each sets an option and returns what is wrong with the value, to stand behind the key; empty:
// nothing is.
using Fault = std::string;

Fault set_text(const toml::node& node, std::string& text) {
  if (!node.is_string()) return "must be a string, in quotes";
  text = *node.value<std::string>();
  return {};
}

Fault set_choice(const toml::node& node, std::optional<bool>& choice) {
  if (!node.is_boolean()) return "must be true or false";
  choice = *node.value<bool>();
  return {};
}

Fault set_flag(const toml::node& node, bool& flag) {
  std::optional<bool> choice;
  Fault fault = set_choice(node, choice);
  flag = choice.value_or(flag);
  return fault;
}

Fault set_count(const toml::node& node, int& count, int most, int least = 1) {
  const auto given = node.is_integer() ? node.value<std::int64_t>() : std::nullopt;
  if (!given || *given < least || *given > most)
    return fmt::format("must be a whole number from {} to {}", least, most);
  count = static_cast<int>(*given);
  return {};
}

Fault set_probability(const toml::node& node, float& probability) {
  const auto given = node.is_number() ? node.value<double>() : std::nullopt;
  if (!given || !(*given >= 0 && *given <= 1)) return "must be a number from 0 to 1";
  probability = static_cast<float>(*given);
  return {};
}

Fault set_cache_type(const toml::node& node, std::optional<kernels::Dtype>& type) {
  const auto name = node.value<std::string>();
  const kernels::DtypeInfo* found = engine::find_cache_type(name.value_or(""));
  if (found == nullptr) return fmt::format("must be one of {}", engine::cache_type_names());
  type = found->dtype;
  return {};
}

Fault set_cache_size(const toml::node& node, std::optional<std::uint64_t>& bytes) {
  constexpr double kMaxGib = 1 << 30;  // an exbibyte
  const auto given = node.is_number() ? node.value<double>() : std::nullopt;
  if (!given || !(*given >= 0 && *given <= kMaxGib))
    return fmt::format("must be a number from 0 to {}", kMaxGib);
  bytes = static_cast<std::uint64_t>(*given * (1 << 30));
  return {};
}

struct Key {
  std::string_view name;
  std::string_view help;
  Fault (*set)(const toml::node& node, ChatOptions& options);
};

constexpr auto kKeys = std::to_array<Key>({
    {"model", "GGUF file, or name of a model",
     [](const toml::node& node, ChatOptions& o) { return set_text(node, o.model.path); }},
    {"theme", "Name of a theme, or a TOML file",
     [](const toml::node& node, ChatOptions& o) { return set_text(node, o.theme); }},
    {"system", "System prompt",
     [](const toml::node& node, ChatOptions& o) { return set_text(node, o.system); }},
    {"thinking", "Whether to reason, for models that can",
     [](const toml::node& node, ChatOptions& o) { return set_choice(node, o.thinking); }},
    {"ctx_size", "Context size in tokens",
     [](const toml::node& node, ChatOptions& o) {
       return set_count(node, o.model.n_ctx, kMaxContext);
     }},
    {"threads", "Number of threads",
     [](const toml::node& node, ChatOptions& o) {
       return set_count(node, o.model.n_threads, kMaxThreads);
     }},
    {"lookup", "Whether to guess the next tokens from the context",
     [](const toml::node& node, ChatOptions& o) { return set_flag(node, o.model.lookup); }},
    {"model_draft", "Small model with the same tokens that guesses the next ones",
     [](const toml::node& node, ChatOptions& o) { return set_text(node, o.model.draft.path); }},
    {"draft", "Whether to use a draft model",
     [](const toml::node& node, ChatOptions& o) { return set_flag(node, o.model.drafts); }},
    {"draft_max", "Tokens that it guesses at once, at most",
     [](const toml::node& node, ChatOptions& o) {
       return set_count(node, o.model.draft.most, kMaxDraft);
     }},
    {"draft_min", "Tokens that it guesses at least, when it does",
     [](const toml::node& node, ChatOptions& o) {
       return set_count(node, o.model.draft.least, kMaxDraft, 0);
     }},
    {"draft_p_min", "Beyond these, it guesses only tokens that are at least so likely",
     [](const toml::node& node, ChatOptions& o) {
       return set_probability(node, o.model.draft.p_min);
     }},
    {"cache_type_k", "Type of the keys in the KV cache",
     [](const toml::node& node, ChatOptions& o) { return set_cache_type(node, o.model.type_k); }},
    {"cache_type_v", "Type of the values in the KV cache",
     [](const toml::node& node, ChatOptions& o) { return set_cache_type(node, o.model.type_v); }},
    {"cache_max_gib", "Maximum size of the prompt cache in GiB",
     [](const toml::node& node, ChatOptions& o) {
       return set_cache_size(node, o.cache_max_bytes);
     }},
});

Fault set_from(const Parameter& parameter, const toml::node& node, ChatOptions& options) {
  if (const auto* real = node.as_floating_point())  // with its point: 1.0 is not a whole number
    return set_parameter(parameter, options, fmt::format("{:#}", real->get()));
  if (const auto* whole = node.as_integer())
    return set_parameter(parameter, options, fmt::format("{}", whole->get()));
  return fmt::format("must be {}", range_text(parameter));
}

// The whole of what is wrong; empty: nothing is.
std::string set_key(std::string_view key, const toml::node& node, ChatOptions& options) {
  const auto told = [key](const Fault& fault) {
    return fault.empty() ? "" : fmt::format("{} {}", key, fault);
  };
  if (const auto* found = std::ranges::find(kKeys, key, &Key::name); found != kKeys.end())
    return told(found->set(node, options));
  const auto all = parameters();
  if (const auto found = std::ranges::find(all, key, &Parameter::key); found != all.end())
    return told(set_from(*found, node, options));
  std::vector<std::string_view> known;
  for (const ConfigKey& one : config_keys()) known.push_back(one.name);
  return fmt::format("unknown key '{}'; known: {}", key, fmt::join(known, ", "));
}

}  // namespace

std::vector<ConfigKey> config_keys() {
  std::vector<ConfigKey> keys;
  for (const Key& key : kKeys) keys.push_back({key.name, std::string(key.help)});
  const AnswerOptions defaults;
  for (const Parameter& parameter : parameters()) {
    const std::string value = value_text(parameter, defaults);
    keys.push_back({parameter.key, fmt::format("{}: {}{}", parameter.help, range_text(parameter),
                                               value.empty() ? "" : "; default " + value)});
  }
  return keys;
}

ChatOptions load_state(const Paths& paths, StatePart part) {
  ChatOptions state;
  try {
    state = load_config(paths.state);
  } catch (const UsageError& fault) {
    state.notice = fmt::format("{}; ignoring your last choices", fault.what());
  }
  ChatOptions options;
  if (part == StatePart::all) options = state;
  options.notice = state.notice;
  options.model.path.clear();
  std::error_code error;
  if (std::filesystem::exists(state.model.path, error))
    options.model.path = state.model.path;
  else if (!state.model.path.empty())
    options.notice =
        fmt::format("{}: your last model no longer exists", shorten_home(state.model.path));
  try {
    find_theme(options.theme, paths);
  } catch (const std::exception& fault) {
    options.notice = fmt::format("your last theme: {}", fault.what());
    options.theme.clear();
  }
  return options;
}

ChatOptions load_config(const std::filesystem::path& file, ChatOptions options) {
  std::error_code error;
  if (!std::filesystem::exists(file, error)) return options;
  std::ifstream in(file, std::ios::binary);
  if (!in.is_open() || std::filesystem::is_directory(file, error))
    throw UsageError(fmt::format("{}: cannot be read", file.string()));
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  try {
    for (const auto& [key, node] : toml::parse(text))
      if (const std::string fault = set_key(key.str(), node, options); !fault.empty())
        throw UsageError(fmt::format("{}:{}: {}", file.string(), key.source().begin.line, fault));
  } catch (const toml::parse_error& fault) {
    throw UsageError(
        fmt::format("{}:{}: {}", file.string(), fault.source().begin.line, fault.description()));
  }
  return options;
}

}  // namespace confab::app
