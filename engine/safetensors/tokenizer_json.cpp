// SPDX-License-Identifier: MIT
#include "engine/safetensors/tokenizer_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/error.h"
#include "engine/gguf/mapped_file.h"
#include "engine/safetensors/json_file.h"

namespace confab::engine {
namespace {

constexpr std::string_view kSpmSpace = "\xE2\x96\x81";  // U+2581

// Values of tokenizer.ggml.token_type.
enum Type : std::int32_t { normal = 1, unknown, control, user_defined, unused, byte };

bool is_flagged(const Json& object, const char* key) {
  const Json* flag = object.find(key);
  return flag != nullptr && flag->as_bool().value_or(false);
}

// Returns `step` if it is of this type, or else the first step of this type in its list.
const Json* find_step(const Json* step, const char* list, std::string_view type) {
  if (step == nullptr) return nullptr;
  if (step->text_at("type") == type) return step;
  const Json* inner = step->find(list);
  if (inner == nullptr) return nullptr;
  for (const Json& one : inner->elements())
    if (one.text_at("type") == type) return &one;
  return nullptr;
}

// Some files do not mark such tokens as special. Source: llama.cpp's converter,
// does_token_look_special.
bool looks_special(std::string_view text) {
  constexpr std::string_view kBegin = "<｜", kEnd = "｜>";
  return text == "<pad>" || text == "<mask>" || text == "<2mass>" || text == "[@BOS@]" ||
         (text.starts_with("<|") && text.ends_with("|>")) ||
         (text.starts_with(kBegin) && text.ends_with(kEnd)) ||
         (text.starts_with("<unused") && text.ends_with(">"));
}

bool is_byte(std::string_view text) {
  return text.size() == 6 && text.starts_with("<0x") && text.ends_with(">");
}

std::string with_spaces(std::string text) {
  for (auto at = text.find(kSpmSpace); at != text.npos; at = text.find(kSpmSpace, at + 1))
    text.replace(at, kSpmSpace.size(), " ");
  return text;
}

class TokenizerReader {
 public:
  TokenizerReader(const std::string& path, const Json& json, std::size_t n_vocab)
      : fields_(path, json), model_(model_of(fields_)), types_(n_vocab, unused) {
    result_.tokens.resize(n_vocab);
    for (std::size_t i = 0; i < n_vocab; ++i) result_.tokens[i] = fmt::format("[PAD{}]", i);
    byte_level_ = find_step(fields_.find("pre_tokenizer"), "pretokenizers", "ByteLevel") != nullptr;
    if (!byte_level_ && !model_.find_flag("byte_fallback").value_or(false)) {
      fields_.fail(
          "its BPE works neither on bytes nor falls back to them, which this version "
          "cannot read; use a GGUF file of the model");
    }
  }

  TokenizerJson read(GgufHeader& keys) {
    check_normalizer();
    read_vocabulary();
    read_added_tokens();
    read_post_processor();
    keys.add_text("tokenizer.ggml.model", byte_level_ ? "gpt2" : "llama");
    const std::vector<Merge> merges = read_merges();
    if (byte_level_) {
      add_pre_tokenizer(keys);
      std::vector<std::string> texts;
      for (const auto& [left, right] : merges) texts.push_back(left + " " + right);
      keys.add_texts("tokenizer.ggml.merges", texts);
    } else {
      keys.add_text("tokenizer.ggml.pre", "default");
      keys.add_floats("tokenizer.ggml.scores", scores_of(merges));
      keys.add_flag("tokenizer.ggml.add_space_prefix", puts_space_first());
    }
    keys.add_texts("tokenizer.ggml.tokens", result_.tokens);
    keys.add_numbers("tokenizer.ggml.token_type", types_);
    return std::move(result_);
  }

 private:
  using Merge = std::pair<std::string, std::string>;

  static JsonFields model_of(const JsonFields& fields) {
    const auto model = fields.find_object("model");
    if (!model) fields.fail("\"model\" is missing");
    const std::string type = model->find_text("type").value_or("BPE");
    if (type != "BPE") {
      model->fail(fmt::format("is of type {}, expected BPE; use a GGUF file of the model",
                              printable(type)));
    }
    return *model;
  }

  // Accepts only normalizers whose effect the tokenizers already have, and NFC, which this program
  // leaves to whoever writes the text.
  void check_normalizer() const {
    const Json* normalizer = fields_.find("normalizer");
    if (normalizer == nullptr) return;
    const auto check = [&](const Json& step) {
      const std::string type = step.text_at("type");
      const bool known = byte_level_ ? type == "NFC" : type == "Prepend" || type == "Replace";
      if (known) return;
      fields_.fail(fmt::format("its normalizer {} is not supported; use a GGUF file of the model",
                               printable(type)));
    };
    if (normalizer->text_at("type") != "Sequence") return check(*normalizer);
    const Json* inner = normalizer->find("normalizers");
    if (inner == nullptr) return;
    for (const Json& step : inner->elements()) check(step);
  }

  // Returns false if the embedding has no row for the token.
  bool set_token(const Json& id, const std::string& text, Type type) {
    if (!id.as_uint()) {
      fields_.fail(fmt::format("the id of token {} is {}, expected a number", printable(text),
                               printable(id.excerpt())));
    }
    const std::uint64_t i = *id.as_uint();
    if (i >= types_.size()) return false;
    result_.tokens[i] = text;
    types_[i] = type;
    return true;
  }

  void read_vocabulary() {
    const Json* vocab = model_.find("vocab");
    if (vocab == nullptr || !vocab->is_object()) model_.fail("\"vocab\" is missing");
    const std::string unk = model_.find_text("unk_token").value_or("");
    for (const auto& [text, id] : vocab->members()) {
      const bool is_unknown = !byte_level_ && text == unk;
      set_token(id, text, is_unknown ? unknown : !byte_level_ && is_byte(text) ? byte : normal);
    }
  }

  void read_added_tokens() {
    const Json* added = fields_.find("added_tokens");
    if (added == nullptr) return;
    if (!added->is_array()) fields_.fail("\"added_tokens\" is not a list");
    const std::string unk = model_.find_text("unk_token").value_or("");
    for (const Json& token : added->elements()) {
      const std::string text = token.text_at("content");
      const Json* id = token.find("id");
      if (text.empty() || id == nullptr) {
        fields_.fail("\"added_tokens\" has one without content and id");
      }
      if (!byte_level_ && text == unk) {
        set_token(*id, text, unknown);
      } else if (is_flagged(token, "special") || looks_special(text)) {
        set_token(*id, text, control);
      } else {
        set_token(*id, with_spaces(text), user_defined);
      }
    }
  }

  void read_post_processor() {
    const Json* step =
        find_step(fields_.find("post_processor"), "processors", "TemplateProcessing");
    if (step == nullptr) return;
    const Json* single = step->find("single");
    if (single == nullptr || single->size() < 2) return;
    const auto special = [](const Json& piece) {
      const Json* found = piece.find("SpecialToken");
      return found == nullptr ? std::string() : found->text_at("id");
    };
    const auto pieces = single->elements();
    if (pieces.empty()) return;
    result_.first = special(pieces.front());
    result_.last = special(pieces.back());
  }

  void add_pre_tokenizer(GgufHeader& keys) const {
    const bool ignore_merges = model_.find_flag("ignore_merges").value_or(false);
    const PreTokenizerName found =
        name_pre_tokenizer(*fields_.find("pre_tokenizer"), ignore_merges);
    if (found.name.empty()) {
      fields_.fail(fmt::format("its pre-tokenizer is not known ({}); use a GGUF file of the model",
                               printable(found.steps)));
    }
    keys.add_text("tokenizer.ggml.pre", found.name);
  }

  // A merge is "a b", or ["a", "b"] whose parts may contain spaces.
  std::vector<Merge> read_merges() const {
    const Json* list = model_.find("merges");
    if (list == nullptr || !list->is_array()) model_.fail("\"merges\" is missing");
    std::vector<Merge> merges;
    merges.reserve(list->size());
    for (const Json& merge : list->elements()) {
      const auto parts = merge.elements();
      std::string left, right;
      if (const std::string* text = merge.as_text()) {
        const std::size_t space = text->find(' ', 1);
        left = text->substr(0, space);
        if (space != text->npos) right = text->substr(space + 1);
      } else if (parts.size() == 2 && parts[0].is_string() && parts[1].is_string()) {
        left = *parts[0].as_text();
        right = *parts[1].as_text();
      }
      if (left.empty() || right.empty()) {
        model_.fail(
            fmt::format("\"merges\" has {}, expected two texts", printable(merge.excerpt())));
      }
      merges.emplace_back(std::move(left), std::move(right));
    }
    return merges;
  }

  std::vector<float> scores_of(const std::vector<Merge>& merges) const {
    std::unordered_map<std::string, std::size_t> places;
    for (const auto& [left, right] : merges) places.try_emplace(left + right, places.size());
    std::vector<float> scores;
    scores.reserve(result_.tokens.size());
    for (const std::string& token : result_.tokens) {
      const auto found = places.find(token);
      const std::size_t place = found == places.end() ? places.size() : found->second;
      scores.push_back(-static_cast<float>(place));
    }
    return scores;
  }

  bool puts_space_first() const {
    if (find_step(fields_.find("normalizer"), "normalizers", "Prepend") != nullptr) return true;
    const Json* spaces = find_step(fields_.find("pre_tokenizer"), "pretokenizers", "Metaspace");
    if (spaces == nullptr) return false;
    const std::string scheme = spaces->text_at("prepend_scheme");
    return scheme.empty() ? is_flagged(*spaces, "add_prefix_space") : scheme != "never";
  }

  JsonFields fields_;
  JsonFields model_;
  bool byte_level_ = false;
  TokenizerJson result_;
  std::vector<std::int32_t> types_;
};

}  // namespace

std::optional<std::uint32_t> TokenizerJson::find(std::string_view token) const {
  const auto found = std::ranges::find(tokens, token);
  if (token.empty() || found == tokens.end()) return std::nullopt;
  return static_cast<std::uint32_t>(found - tokens.begin());
}

TokenizerJson add_tokenizer(const std::string& path, const Json& tokenizer, std::size_t n_vocab,
                            GgufHeader& keys) {
  return TokenizerReader(path, tokenizer, n_vocab).read(keys);
}

namespace {

constexpr std::string_view kBytes = " bytes", kGpt2 = " gpt2", kDigits = " digits";

// `steps` is in the format of append_step(), with the expressions of the tokenizer.json files.
// llama.cpp (src/llama-vocab.cpp) cites them next to its rules of the same names.
struct Rule {
  std::string_view name;
  std::string_view steps;
  std::string_view ending = {};  // if set, `steps` is only the beginning
};
constexpr Rule kRules[] = {
    {"gpt-2", " gpt2"},
    {"smollm", " digits gpt2"},
    {"llama-bpe", R"( (?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}|)"
                  R"( ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+ bytes)"},
    {"qwen2", R"( (?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}|)"
              R"( ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+ bytes)"},
    {"qwen35", R"( (?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}|)"
               R"( ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+ bytes)"},
    // V2, V2 Lite and earlier. The range of letters is left out because some files have it
    // normalised.
    {"deepseek-llm", R"( [\r\n] \s?[A-Za-zµÀ-ÖØ-öø-ƺƼ-ƿ)",
     R"(𞤀-𞥃]+ \s?[!-/:-~！-／：-～‘-‟　-。]+ \s+$ [一-龥ࠀ-一가-퟿]+ digits bytes)"},
    {"deepseek-coder", R"( [\r\n] \s?\p{L}+ \s?\p{P}+ [一-龥ࠀ-一가-퟿]+ digits bytes)"},
    {"deepseek-v3", R"( \p{N}{1,3} [一-龥぀-ゟ゠-ヿ]+ )"
                    R"([!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|)"
                    R"([^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*|)"
                    R"(\s*[\r\n]+|\s+(?!\S)|\s+ bytes)"},
    {"tekken", R"( [^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+|)"
               R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*|)"
               R"(\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+ bytes)"},
    {"gpt-4o", R"( [^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+)"
               R"((?i:'s|'t|'re|'ve|'m|'ll|'d)?|)"
               R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*)"
               R"((?i:'s|'t|'re|'ve|'m|'ll|'d)?|)"
               R"(\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+ bytes)"},
};

bool fits(const Rule& rule, std::string_view steps) noexcept {
  if (rule.ending.empty()) return steps == rule.steps;
  return steps.starts_with(rule.steps) && steps.ends_with(rule.ending);
}

// Like llama-bpe, except that words that are tokens are merged like all others.
constexpr std::string_view kWithMerges = "smaug-bpe";

bool flag_of(const Json& step, const char* key, bool otherwise) {
  const Json* flag = step.find(key);
  return flag == nullptr ? otherwise : flag->as_bool().value_or(otherwise);
}

// Some files contain line breaks themselves instead of their escapes.
void append_escaped(std::string_view regex, std::string& out) {
  for (const char c : regex) {
    if (c == '\r') {
      out += "\\r";
    } else if (c == '\n') {
      out += "\\n";
    } else {
      out += c;
    }
  }
}

void append_step(const Json& step, int depth, std::string& out) {
  constexpr int kMaxDepth = 4;
  const std::string type = step.text_at("type");
  const Json* inner = type == "Sequence" ? step.find("pretokenizers") : nullptr;
  const Json* pattern = type == "Split" ? step.find("pattern") : nullptr;
  if (depth < kMaxDepth && inner != nullptr && inner->is_array()) {
    for (const Json& one : inner->elements()) append_step(one, depth + 1, out);
  } else if (type == "ByteLevel") {
    out += flag_of(step, "use_regex", true) ? kGpt2 : kBytes;
  } else if (type == "Digits" && flag_of(step, "individual_digits", false)) {
    out += kDigits;
  } else if (pattern != nullptr && !pattern->text_at("Regex").empty()) {
    out += ' ';
    append_escaped(pattern->text_at("Regex"), out);
  } else {
    out += " " + (type.empty() ? "nothing" : type);
  }
}

}  // namespace

PreTokenizerName name_pre_tokenizer(const Json& pre_tokenizer, bool ignore_merges) {
  PreTokenizerName found;
  append_step(pre_tokenizer, 0, found.steps);
  for (const Rule& rule : kRules)
    if (fits(rule, found.steps)) found.name = rule.name;
  if (found.name == "llama-bpe" && !ignore_merges) found.name = kWithMerges;
  return found;
}

namespace {

using Id = std::optional<std::uint32_t>;

// Returns the text of "<s>" or {"content": "<s>", ...}.
std::string token_text(const Json& config, const char* key) {
  const Json* found = config.find(key);
  if (found == nullptr) return {};
  return found->is_string() ? *found->as_text() : found->text_at("content");
}

// Reads an id or a list of ids. Invalid ids are ignored.
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

// Adds the other tokens at which the authors end an answer.
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

// The template is one text, or a list of named ones whose "default" is for chats.
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
