// SPDX-License-Identifier: MIT
// The tokens of a model, without the rules that split a text into them: their texts and types, and
// which of them are special. Const after construction.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/text/special_tokens.h"
#include "engine/text/tokenizer.h"

namespace confab::engine {

// The values of tokenizer.ggml.token_type.
enum class TokenType : std::uint8_t {
  undefined = 0,
  normal = 1,
  unknown = 2,
  control = 3,
  user_defined = 4,
  unused = 5,
  byte = 6,
  marker = 7,  // not in files: a control token that is shown
};

// How the vocabulary writes text. SentencePiece and Gemma 4's BPE use UTF-8 with U+2581 for the
// space; byte-level BPE uses the alphabet of append_bytes().
enum class TokenizerModel { spm, plain_bpe, bpe };

class Vocab {
 public:
  // Throws ModelError if the lists are missing, too short or of another type. Ids of special tokens
  // that are out of range count as absent. A token whose text marks the end of a generation becomes
  // a control token, whatever its type in the file (as in llama.cpp).
  Vocab(const Gguf& gguf, TokenizerModel model, bool default_add_bos, bool always_add_bos = false);

  int n_tokens() const noexcept { return static_cast<int>(types_.size()); }
  TokenType type(Token token) const { return types_[static_cast<std::size_t>(token)]; }
  // The bytes that the token stands for. Control, unknown and user-defined tokens stand for their
  // text.
  std::string_view piece(Token token) const;
  // A hidden token is never the result of merging and is shown only on request.
  bool is_hidden(Token token) const;
  // A silent token never shows anything. The vocabulary is padded with such tokens.
  bool is_silent(Token token) const;
  // Merging can produce this token: it is not hidden, not a byte token, and is written in the
  // model's alphabet.
  bool is_mergeable(Token token) const { return mergeable_[static_cast<std::size_t>(token)]; }

  std::optional<Token> bos() const noexcept { return bos_; }
  std::optional<Token> eos() const noexcept { return eos_; }
  std::optional<Token> unk() const noexcept { return unk_; }
  bool is_eog(Token token) const noexcept;
  std::span<const Token> prefix() const noexcept { return prefix_; }
  std::span<const Token> suffix() const noexcept { return suffix_; }
  // The token for a byte that nothing else covers, such as "<0x0A>"; -1 if there is none.
  Token byte_token(unsigned char byte) const noexcept { return byte_tokens_[byte]; }

  std::vector<SpecialTokens::Entry> special_entries() const;

 private:
  void read_types(const Gguf& gguf, std::size_t n);
  void read_pieces(const Gguf& gguf, TokenizerModel model, std::span<const std::string_view> texts);
  // Returns true if merging can produce the token.
  bool append_piece(TokenizerModel model, Token token, std::string_view text);
  void read_special_ids(const Gguf& gguf, TokenizerModel model);
  void mark_by_text(const Gguf& gguf, std::span<const std::string_view> texts);

  std::vector<TokenType> types_;
  std::vector<bool> mergeable_;
  std::string bytes_;                 // of all pieces
  std::vector<std::uint32_t> begin_;  // [n_tokens + 1] offsets into bytes_
  std::array<Token, 256> byte_tokens_;
  std::optional<Token> bos_, eos_, unk_;
  std::vector<Token> eog_;  // sorted
  std::vector<Token> prefix_, suffix_;
  bool rstrip_ = false;  // special tokens swallow the white space after them
};

// The token id stored under this key. nullopt if the value is not the id of a token; such a fault
// is not worth refusing a model for.
std::optional<Token> token_at(const Gguf& gguf, std::string_view key, std::size_t n_tokens);

// Appends `text` with every U+2581 replaced by a space.
void append_unescaped(std::string_view text, std::string& out);

// Decodes GPT-2's alphabet, in which the vocabularies and merges of byte-level BPE write bytes as
// printable characters ("Ġ" is the space). Appends the bytes that `text` stands for. Returns false
// and leaves `out` unchanged if some character does not stand for a byte. Source: Radford et al.
// 2019, encoder.py, bytes_to_unicode().
bool append_bytes(std::string_view text, std::string& out);

}  // namespace confab::engine
