// SPDX-License-Identifier: MIT
#include "engine/safetensors/tokenizer_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <utility>
#include <vector>

#include "engine/error.h"
#include "engine/gguf/mapped_file.h"
#include "engine/safetensors/json_file.h"

namespace confab::engine {
namespace {

using Id = std::optional<std::uint32_t>;

// "<s>", or {"content": "<s>", ...}
std::string token_text(const Json& config, const char* key) {
  const Json* found = config.find(key);
  if (found == nullptr) return {};
  return found->is_string() ? *found->as_text() : found->text_at("content");
}

// A number, or a list of them.
std::vector<std::uint32_t> ids_of(const Json& config, const char* key, std::size_t n_vocab) {
  std::vector<std::uint32_t> ids;
  const auto add = [&](const Json& id) {
    const std::int64_t number = id.as_int().value_or(-1);
    if (number >= 0 && static_cast<std::size_t>(number) < n_vocab)
      ids.push_back(static_cast<std::uint32_t>(number));
  };
  const Json* found = config.find(key);
  if (found == nullptr) return ids;
  if (found->is_array()) {
    for (const Json& id : found->elements()) add(id);
  } else {
    add(*found);
  }
  return ids;
}

void add_id(const char* key, const Id& id, GgufHeader& keys) {
  if (id) keys.add(key, *id);
}

// Further tokens at which the authors end an answer.
void add_other_ends(std::vector<std::uint32_t> ends, const Id& eos, GgufHeader& keys) {
  if (eos) std::erase(ends, *eos);
  const std::vector<std::int32_t> ids(ends.begin(), ends.end());
  if (!ids.empty()) keys.add_numbers("tokenizer.ggml.eos_token_ids", ids);
}

std::string read_text(const std::string& path) {
  const MappedFile file(path);
  constexpr std::size_t kMaxBytes = std::size_t{1} << 22;
  const auto bytes = file.bytes();
  if (bytes.size() > kMaxBytes) {
    throw ModelError(
        fmt::format("{}: has {} bytes, expected at most {}", path, bytes.size(), kMaxBytes));
  }
  std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  return std::string(text);
}

// One text, or a list of named ones, of which the default one is for chats.
std::string template_of(const Json& config) {
  const Json* found = config.find("chat_template");
  if (found == nullptr) return {};
  if (found->is_string()) return *found->as_text();
  for (const Json& one : found->elements())
    if (one.text_at("name") == "default") return one.text_at("template");
  return {};
}

}  // namespace

void add_special_tokens(const std::string& folder, const Json& config,
                        const TokenizerJson& tokenizer, GgufHeader& keys) {
  const std::string path = folder + "/tokenizer_config.json";
  const Json own = read_json_or_empty(path);
  const Json generation = read_json_or_empty(folder + "/generation_config.json");
  const std::size_t n_vocab = tokenizer.tokens.size();
  const auto id = [&](const char* name, const char* number) {
    const Id named = tokenizer.find(token_text(own, name));
    const auto numbered = ids_of(config, number, n_vocab);
    return named || numbered.empty() ? named : Id(numbered.front());
  };
  Id bos = id("bos_token", "bos_token_id");
  if (!bos) bos = tokenizer.find(tokenizer.first);
  const Id eos = id("eos_token", "eos_token_id");
  add_id("tokenizer.ggml.bos_token_id", bos, keys);
  add_id("tokenizer.ggml.eos_token_id", eos, keys);
  add_id("tokenizer.ggml.unknown_token_id", tokenizer.find(token_text(own, "unk_token")), keys);
  add_id("tokenizer.ggml.padding_token_id", id("pad_token", "pad_token_id"), keys);
  std::vector<std::uint32_t> ends = ids_of(generation, "eos_token_id", n_vocab);
  if (ends.empty()) ends = ids_of(config, "eos_token_id", n_vocab);
  add_other_ends(std::move(ends), eos, keys);

  const JsonFields fields(path, own);
  const bool first = bos && tokenizer.find(tokenizer.first) == bos;
  const bool last = eos && tokenizer.find(tokenizer.last) == eos;
  keys.add_flag("tokenizer.ggml.add_bos_token", fields.find_flag("add_bos_token").value_or(first));
  keys.add_flag("tokenizer.ggml.add_eos_token", fields.find_flag("add_eos_token").value_or(last));
}

void add_chat_template(const std::string& folder, GgufHeader& keys) {
  const std::string own = folder + "/chat_template.jinja";
  std::error_code error;
  std::string text;
  if (std::filesystem::exists(own, error)) text = read_text(own);
  for (const char* file : {"/chat_template.json", "/tokenizer_config.json"})
    if (text.empty()) text = template_of(read_json_or_empty(folder + file));
  if (!text.empty()) keys.add_text("tokenizer.chat_template", text);
}

void add_sampling(const std::string& folder, GgufHeader& keys) {
  constexpr std::pair<const char*, const char*> kNumbers[] = {
      {"temperature", "general.sampling.temp"},
      {"top_p", "general.sampling.top_p"},
      {"min_p", "general.sampling.min_p"},
      {"repetition_penalty", "general.sampling.penalty_repeat"}};
  const std::string path = folder + "/generation_config.json";
  const Json config = read_json_or_empty(path);
  const JsonFields fields(path, config);
  for (const auto& [name, key] : kNumbers)
    if (const auto value = fields.find_number(name))
      keys.add_float(key, static_cast<float>(*value));
  const auto top_k = fields.find_int("top_k");
  if (top_k && *top_k > 0 && *top_k <= 1 << 24)
    keys.add("general.sampling.top_k", static_cast<std::uint32_t>(*top_k));
}

}  // namespace confab::engine
