// SPDX-License-Identifier: MIT
// Text to token ids and back, as the model's own vocabulary and rules have it.
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
  // Reads the vocabulary of `gguf`; copies what it needs. Throws ModelError.
  static std::unique_ptr<const Tokenizer> load(const Gguf& gguf);

  // Ids of `text`, without BOS and EOS. The text of a control token is that token with
  // parse_special, ordinary text without; user-defined tokens ("<think>") are always recognised,
  // as in llama.cpp. Any bytes are accepted.
  std::vector<Token> encode(std::string_view text, bool parse_special) const;
  // As encode(text, true), but no control token that shares a byte with one of the `literal` spans
  // (sorted, disjoint) is seen: what a user typed cannot end a turn. Merges still cross the spans'
  // borders. With one span over all of the text it is encode(text, false).
  virtual std::vector<Token> encode(std::string_view text,
                                    std::span<const ByteSpan> literal) const = 0;
  // What "add special" puts around a text: usually BOS, or nothing.
  virtual std::span<const Token> prefix() const noexcept = 0;
  virtual std::span<const Token> suffix() const noexcept = 0;

  // The bytes of one token, as they stand in the middle of a text. Control tokens give their text
  // with show_special, nothing without. Borrowed from the tokenizer. Throws ModelError when there
  // is no such token.
  virtual std::string_view piece(Token token, bool show_special) const = 0;
  // The bytes of a text that starts with tokens[0] (SentencePiece drops the space it had added,
  // unless tokens[0] is a hidden BOS). decode(encode(text)) is text, if that is UTF-8.
  virtual std::string decode(std::span<const Token> tokens, bool show_special) const = 0;
  // As decode(), with the spaces cleaned up as llama.cpp's detokeniser does for vocabularies like
  // those of GPT-2 and Llama 3: " ?" becomes "?", " 's" becomes "'s", and so on.
  virtual std::string detokenize(std::span<const Token> tokens, bool show_special) const = 0;

  virtual int n_vocab() const noexcept = 0;
  virtual std::optional<Token> bos() const noexcept = 0;
  virtual std::optional<Token> eos() const noexcept = 0;
  // End of generation: EOS, end of turn, and the like; generation stops on any of them.
  virtual bool is_eog(Token token) const noexcept = 0;
};

// The part of tokenising that differs between SentencePiece and byte-level BPE: a stretch of text
// without special tokens to ids. Const, so safe to share between threads.
class FragmentEncoder {
 public:
  virtual ~FragmentEncoder() = default;
  // Appends the ids of `text`, any bytes. starts_text: nothing or a special token stands before it.
  // Time: O(n log n) at worst, linear for text made of words.
  virtual void encode(std::string_view text, bool starts_text, std::vector<Token>& out) const = 0;
};

// Why the ids of `other` do not mean what those of `model` do, so that one could not continue what
// the other wrote, as the end of a sentence in one line; nullopt: they do. What models only have to
// fill their vocabularies up, and never write, may differ, also in number.
std::optional<std::string> vocabulary_difference(const Tokenizer& model, const Tokenizer& other);

// Takes out the spaces before ?!., and before 's 'm 're 've, and those around a lone apostrophe.
// Source: clean_up_tokenization() of Hugging Face transformers, with the bounds that llama.cpp's
// detokenize() gives it (src/llama-vocab.cpp).
std::string clean_spaces(const std::string& text);

}  // namespace confab::engine
