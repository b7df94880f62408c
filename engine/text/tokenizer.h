// SPDX-License-Identifier: MIT
// Converts text to token ids and back by the vocabulary and rules of the model.
//
// Const after construction, so safe to share between threads. Sources: the tokenizer.ggml.* keys of
// the GGUF specification; SentencePiece (Kudo 2018); byte-level BPE (Radford 2019).
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/api/token.h"

namespace confab::engine {

class Gguf;

// A half-open range of bytes.
struct ByteSpan {
  std::size_t begin = 0;
  std::size_t end = 0;
};

class Tokenizer {
 public:
  virtual ~Tokenizer() = default;
  // Reads the vocabulary of `gguf` and copies what it needs. Throws ModelError.
  static std::unique_ptr<const Tokenizer> load(const Gguf& gguf);

  // Returns the ids of `text` without BOS and EOS. With parse_special the text of a control token
  // becomes that token, otherwise it is ordinary text. User-defined tokens ("<think>") are always
  // recognised, as in llama.cpp. Any bytes are accepted.
  std::vector<Token> encode(std::string_view text, bool parse_special) const;
  // Like encode(text, true), except that control tokens sharing a byte with one of the `literal`
  // spans (sorted, disjoint) are not recognised, so text typed by a user cannot end a turn. Merges
  // still cross the borders of the spans. One span over the whole text gives encode(text, false).
  virtual std::vector<Token> encode(std::string_view text,
                                    std::span<const ByteSpan> literal) const = 0;
  // The tokens that "add special" puts around a text: usually BOS, or none.
  virtual std::span<const Token> prefix() const noexcept = 0;
  virtual std::span<const Token> suffix() const noexcept = 0;

  // The bytes of one token in the middle of a text, borrowed from the tokenizer. Control tokens
  // return their text with show_special and nothing without. Throws ModelError if there is no such
  // token.
  virtual std::string_view piece(Token token, bool show_special) const = 0;
  // The bytes of a text that starts with tokens[0]. SentencePiece drops the space it had added,
  // unless tokens[0] is a hidden BOS. decode(encode(text)) equals text if text is UTF-8.
  virtual std::string decode(std::span<const Token> tokens, bool show_special) const = 0;
  // Like decode(), but cleans up spaces like llama.cpp's detokeniser if the vocabulary is like
  // those of GPT-2 and Llama 3: " ?" becomes "?", " 's" becomes "'s", and so on.
  virtual std::string detokenize(std::span<const Token> tokens, bool show_special) const = 0;

  virtual int n_vocab() const noexcept = 0;
  virtual std::optional<Token> bos() const noexcept = 0;
  virtual std::optional<Token> eos() const noexcept = 0;
  // Returns true for tokens that end a generation: EOS, end of turn, and similar.
  virtual bool is_eog(Token token) const noexcept = 0;
};

// The part of tokenising in which SentencePiece and byte-level BPE differ: converting a stretch of
// text without special tokens to ids. Const, so safe to share between threads.
class FragmentEncoder {
 public:
  virtual ~FragmentEncoder() = default;
  // Appends the ids of `text`, which may be any bytes. starts_text: nothing, or a special token,
  // stands before it. Takes O(n log n) at worst, and linear time if the text consists of words.
  virtual void encode(std::string_view text, bool starts_text, std::vector<Token>& out) const = 0;
};

// Explains why the ids of `other` differ in meaning from those of `model`, so that one could not
// continue the other's text. The result completes a sentence, in one line; nullopt if they agree.
// Filler tokens that models never write may differ, also in number.
std::optional<std::string> vocabulary_difference(const Tokenizer& model, const Tokenizer& other);

// Removes the spaces before ?!., and before 's 'm 're 've, and the spaces around a lone apostrophe.
// Source: clean_up_tokenization() of Hugging Face transformers, with the bounds that llama.cpp's
// detokenize() gives it (src/llama-vocab.cpp).
std::string clean_spaces(const std::string& text);

}  // namespace confab::engine
