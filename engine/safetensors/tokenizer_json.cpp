// SPDX-License-Identifier: MIT
#include "engine/safetensors/tokenizer_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
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

std::string text_of(const Json& object, const char* key) {
  const auto found = object.is_object() ? object.find(key) : object.end();
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

bool is_flagged(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_boolean() && found->get<bool>();
}

// The object of this type, or of those in the sequence that it is.
const Json* find_step(const Json* step, const char* list, std::string_view type) {
  if (step == nullptr || !step->is_object()) return nullptr;
  if (text_of(*step, "type") == type) return step;
  const auto inner = step->find(list);
  if (inner == step->end() || !inner->is_array()) return nullptr;
  for (const Json& one : *inner)
    if (text_of(one, "type") == type) return &one;
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
      const std::string type = text_of(step, "type");
      const bool known = byte_level_ ? type == "NFC" : type == "Prepend" || type == "Replace";
      if (known) return;
      fields_.fail(fmt::format("its normalizer {} is not supported; use a GGUF file of the model",
                               printable(type)));
    };
    if (text_of(*normalizer, "type") != "Sequence") return check(*normalizer);
    const auto inner = normalizer->find("normalizers");
    if (inner == normalizer->end()) return;
    for (const Json& step : *inner) check(step);
  }

  // False: there is no row for it.
  bool set_token(const Json& id, const std::string& text, Type type) {
    if (!id.is_number_integer() || id.get<std::int64_t>() < 0) {
      fields_.fail(fmt::format("the id of token {} is {}, expected a number", printable(text),
                               printable(id.dump(-1, ' ', true))));
    }
    const auto i = id.get<std::uint64_t>();
    if (i >= types_.size()) return false;
    result_.tokens[i] = text;
    types_[i] = type;
    return true;
  }

  void read_vocabulary() {
    const Json* vocab = model_.find("vocab");
    if (vocab == nullptr || !vocab->is_object()) model_.fail("\"vocab\" is missing");
    const std::string unk = model_.find_text("unk_token").value_or("");
    for (const auto& [text, id] : vocab->items()) {
      const bool is_unknown = !byte_level_ && text == unk;
      set_token(id, text, is_unknown ? unknown : !byte_level_ && is_byte(text) ? byte : normal);
    }
  }

  void read_added_tokens() {
    const Json* added = fields_.find("added_tokens");
    if (added == nullptr) return;
    if (!added->is_array()) fields_.fail("\"added_tokens\" is no list");
    const std::string unk = model_.find_text("unk_token").value_or("");
    for (const Json& token : *added) {
      const std::string text = text_of(token, "content");
      if (text.empty() || !token.contains("id")) {
        fields_.fail("\"added_tokens\" has one without content and id");
      }
      if (!byte_level_ && text == unk) {
        set_token(token["id"], text, unknown);
      } else if (is_flagged(token, "special") || looks_special(text)) {
        set_token(token["id"], text, control);
      } else {
        set_token(token["id"], with_spaces(text), user_defined);
      }
    }
  }

  void read_post_processor() {
    const Json* step =
        find_step(fields_.find("post_processor"), "processors", "TemplateProcessing");
    if (step == nullptr) return;
    const auto single = step->find("single");
    if (single == step->end() || !single->is_array() || single->size() < 2) return;
    const auto special = [](const Json& piece) {
      const auto found = piece.is_object() ? piece.find("SpecialToken") : piece.end();
      return found == piece.end() ? std::string() : text_of(*found, "id");
    };
    result_.first = special(single->front());
    result_.last = special(single->back());
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
    for (const Json& merge : *list) {
      if (merge.is_string()) {
        const auto& text = merge.get_ref<const std::string&>();
        const std::size_t space = text.find(' ', 1);
        if (space != text.npos) merges.emplace_back(text.substr(0, space), text.substr(space + 1));
      } else if (merge.is_array() && merge.size() == 2 && merge[0].is_string() &&
                 merge[1].is_string()) {
        merges.emplace_back(merge[0].get<std::string>(), merge[1].get<std::string>());
      }
      const bool is_read = merges.size() == static_cast<std::size_t>(&merge - &list->front()) + 1;
      if (is_read && !merges.back().first.empty() && !merges.back().second.empty()) continue;
      model_.fail(fmt::format("\"merges\" has {}, expected two texts",
                              printable(merge.dump(-1, ' ', true))));
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
    const std::string scheme = text_of(*spaces, "prepend_scheme");
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
