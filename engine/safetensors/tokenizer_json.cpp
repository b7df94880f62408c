// SPDX-License-Identifier: MIT
#include "engine/safetensors/tokenizer_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "engine/error.h"
#include "engine/safetensors/json_file.h"
#include "engine/safetensors/pre_tokenizer_name.h"

namespace confab::engine {
namespace {

constexpr std::string_view kSpmSpace = "\xE2\x96\x81";  // U+2581

// tokenizer.ggml.token_type
enum Type : std::int32_t { normal = 1, unknown, control, user_defined, unused, byte };

bool is_flagged(const Json& object, const char* key) {
  const Json* flag = object.find(key);
  return flag != nullptr && flag->as_bool().value_or(false);
}

// The object of this type, or of those in the sequence that it is.
const Json* find_step(const Json* step, const char* list, std::string_view type) {
  if (step == nullptr) return nullptr;
  if (step->text_at("type") == type) return step;
  const Json* inner = step->find(list);
  if (inner == nullptr) return nullptr;
  for (const Json& one : inner->elements())
    if (one.text_at("type") == type) return &one;
  return nullptr;
}

// Some files do not mark them so. Source: llama.cpp's converter, does_token_look_special.
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

  // What changes a text before it is read: only what the tokenizers do anyway, or what this program
  // leaves to whoever writes (NFC).
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

  // False: there is no row for it.
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

  // "a b", or ["a", "b"], where a part may have spaces of its own.
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

}  // namespace confab::engine
