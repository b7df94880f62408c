// SPDX-License-Identifier: MIT
#include "engine/text/special_texts.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <utility>

#include "engine/gguf/gguf.h"
#include "engine/text/text_table.h"
#include "engine/text/vocab.h"

namespace confab::engine {
namespace {

// Texts of tokens that end a generation.
constexpr std::string_view kEogTexts[] = {
    "<|eot_id|>",
    "<|im_end|>",
    "<|end|>",
    "<|return|>",
    "<|call|>",
    "<|flush|>",
    "<|calls|>",
    "<end_of_turn>",
    "<|endoftext|>",
    "</s>",
    "<|eom_id|>",
    "<EOT>",
    "_<EOT>",
    "[EOT]",
    "[EOS]",
    "<|end_of_text|>",
    "<end_of_utterance>",
    "<eos>",
    "<turn|>",
    "<|tool_response>",
    "<｜end▁of▁sentence｜>",
    "[e~[",
};
// Tokens of fill-in-the-middle models: by the keys of the file, or else by their texts.
struct FimToken {
  std::size_t first_key, n_keys;  // in kFimKeys
  bool ends_generation;
  std::array<std::string_view, 8> texts;  // the rest is empty
};
constexpr std::string_view kFimKeys[] = {
    "tokenizer.ggml.fim_pre_token_id", "tokenizer.ggml.prefix_token_id",
    "tokenizer.ggml.fim_suf_token_id", "tokenizer.ggml.suffix_token_id",
    "tokenizer.ggml.fim_mid_token_id", "tokenizer.ggml.middle_token_id",
    "tokenizer.ggml.fim_pad_token_id", "tokenizer.ggml.fim_rep_token_id",
    "tokenizer.ggml.fim_sep_token_id"};
constexpr FimToken kFimTokens[] = {
    {0,
     2,
     false,
     {"<|fim_prefix|>", "<fim-prefix>", "<fim_prefix>", "<｜fim▁begin｜>", "<PRE>", "▁<PRE>",
      "<|code_prefix|>", "<|prefix|>"}},
    {2,
     2,
     false,
     {"<|fim_suffix|>", "<fim-suffix>", "<fim_suffix>", "<｜fim▁hole｜>", "<SUF>", "▁<SUF>",
      "<|code_suffix|>", "<|suffix|>"}},
    {4,
     2,
     false,
     {"<|fim_middle|>", "<fim-middle>", "<fim_middle>", "<｜fim▁end｜>", "<MID>", "▁<MID>",
      "<|code_middle|>", "<|middle|>"}},
    {6, 1, true, {"<|fim_pad|>", "<fim-pad>", "<fim_pad>", "<PAD>", "[PAD]"}},
    {7, 1, true, {"<|fim_repo|>", "<|repo_name|>", "<fim-repo>", "<REPO>", "<reponame>"}},
    {8, 1, true, {"<|file_sep|>"}},
};
// The markers of the harmony format (gpt-oss): an answer is made of them, so they are shown.
constexpr std::string_view kHarmonyMarkers[] = {"<|start|>", "<|channel|>", "<|message|>",
                                                "<|constrain|>"};

// What a text in the table stands for: one of these, or kFim and the index in kFimTokens.
constexpr int kEog = 0;
constexpr int kMarker = 1;
constexpr int kFim = 2;

TextTable table_of_texts() {
  TextTable table(100);
  for (const auto text : kEogTexts) table.insert(text, kEog);
  for (const auto text : kHarmonyMarkers) table.insert(text, kMarker);
  for (std::size_t i = 0; i < std::size(kFimTokens); ++i) {
    for (const auto text : kFimTokens[i].texts) {
      if (!text.empty()) table.insert(text, kFim + static_cast<int>(i));
    }
  }
  return table;
}

// The token that the file names for this purpose.
std::optional<Token> named_token(const Gguf& gguf, const FimToken& fim, std::size_t n_tokens) {
  std::optional<Token> token;
  for (const auto key : std::span(kFimKeys).subspan(fim.first_key, fim.n_keys)) {
    if (const auto named = token_at(gguf, key, n_tokens)) token = named;
  }
  return token;
}

class Finder {
 public:
  Finder(const Gguf& gguf, std::span<const std::string_view> texts) : texts_(texts) {
    for (std::size_t i = 0; i < fim_.size(); ++i) {
      fim_[i] = named_token(gguf, kFimTokens[i], texts.size());
      if (fim_[i] && kFimTokens[i].ends_generation) found_.eog.push_back(*fim_[i]);
    }
  }

  SpecialTexts find() {
    const TextTable table = table_of_texts();
    for (std::size_t i = 0; i < texts_.size(); ++i) {
      const std::string_view text = texts_[i];
      if (text.size() > table.longest() || text.empty()) continue;
      // All of them start with one of these.
      if (std::string_view("<_[\xE2").find(text[0]) == std::string_view::npos) continue;
      if (const int kind = table.find(text); kind >= 0) add(static_cast<Token>(i), kind);
    }
    except();
    return std::move(found_);
  }

 private:
  void add(Token token, int kind) {
    if (kind == kMarker) {
      found_.markers.push_back(token);
    } else if (kind == kEog) {
      found_.control.push_back(token);
      found_.eog.push_back(token);
      note(token);
    } else if (const auto i = static_cast<std::size_t>(kind - kFim); !fim_[i]) {
      found_.control.push_back(token);
      if (kFimTokens[i].ends_generation) found_.eog.push_back(token);
    }
  }

  void note(Token token) {
    const std::string_view text = texts_[static_cast<std::size_t>(token)];
    if (text == "<|end|>") end_ = token;
    if (text == "</s>") s_ = token;
    has_call_ = has_call_ || text == "<|call|>" || text == "<|calls|>";
    has_return_ = has_return_ || text == "<|return|>" || text == "<|flush|>";
    has_tool_response_ = has_tool_response_ || text == "<|tool_response>";
  }

  void except() {
    // In the harmony format <|end|> ends a message, and the answer goes on with the next one.
    if (has_call_ && has_return_ && end_) take_out(*end_, found_.markers);
    // Gemma 4 has </s> for HTML.
    if (has_tool_response_ && s_) take_out(*s_, found_.normal);
  }

  void take_out(Token token, std::vector<Token>& kind) {
    std::erase(found_.eog, token);
    std::erase(found_.control, token);
    kind.push_back(token);
  }

  std::span<const std::string_view> texts_;
  SpecialTexts found_;
  std::array<std::optional<Token>, std::size(kFimTokens)> fim_;
  std::optional<Token> end_, s_;
  bool has_call_ = false, has_return_ = false, has_tool_response_ = false;
};

}  // namespace

SpecialTexts find_special_texts(const Gguf& gguf, std::span<const std::string_view> texts) {
  return Finder(gguf, texts).find();
}

}  // namespace confab::engine
