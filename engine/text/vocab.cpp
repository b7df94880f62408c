// SPDX-License-Identifier: MIT
#include "engine/text/vocab.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>
#include <variant>

#include "engine/gguf/gguf.h"
#include "engine/text/special_tokens.h"
#include "engine/text/text_table.h"
#include "engine/utf8.h"

namespace confab::engine {
namespace {

constexpr std::string_view kSpmSpace = "\xE2\x96\x81";  // U+2581
constexpr std::size_t kMaxTokens = std::size_t{1} << 30;

TokenType type_of_number(std::int64_t number) {
  return number >= 1 && number <= 6 ? static_cast<TokenType>(number) : TokenType::undefined;
}

// Reads an array of integers of any type; values that do not fit become -1. nullopt if the key is
// absent. Throws ModelError for anything else.
std::optional<std::vector<std::int64_t>> find_integers(const Gguf& gguf, std::string_view key) {
  const GgufValue* value = gguf.find(key);
  if (value == nullptr) return std::nullopt;
  const auto* array = std::get_if<GgufArray>(value);
  if (array == nullptr) gguf.fail(fmt::format("key {} is not an array, expected integers", key));
  return std::visit(
      [&]<typename T>(const std::vector<T>& items) -> std::vector<std::int64_t> {
        if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
          std::vector<std::int64_t> numbers;
          for (const T item : items)
            numbers.push_back(std::in_range<std::int64_t>(item) ? static_cast<std::int64_t>(item)
                                                                : -1);
          return numbers;
        } else {
          gguf.fail(fmt::format("key {} is an array of the wrong type, expected integers", key));
        }
      },
      *array);
}

// Parses "<0x0A>" to 10.
std::optional<unsigned char> parse_byte(std::string_view text) {
  if (text.size() != 6 || text.substr(0, 3) != "<0x" || text[5] != '>') return std::nullopt;
  int value = 0;
  for (const char c : text.substr(3, 2)) {
    const auto digit = std::string_view("0123456789ABCDEF").find(c >= 'a' && c <= 'f' ? c - 32 : c);
    if (digit == std::string_view::npos) return std::nullopt;
    value = value * 16 + static_cast<int>(digit);
  }
  return static_cast<unsigned char>(value);
}

// Phi-3's converter sets rstrip for its special tokens, but no key of the file records it.
// llama.cpp goes by the name as well.
bool is_phi3(const Gguf& gguf) {
  const GgufValue* value = gguf.find("general.name");
  const auto* text = value == nullptr ? nullptr : std::get_if<std::string_view>(value);
  std::string name(text == nullptr ? "" : *text);
  for (char& c : name) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  return name.find("phi-3") != name.npos || name.find("phi3") != name.npos;
}

}  // namespace

std::optional<Token> token_at(const Gguf& gguf, std::string_view key, std::size_t n_tokens) {
  const GgufValue* value = gguf.find(key);
  if (value == nullptr) return std::nullopt;
  std::uint64_t number = n_tokens;
  if (const auto* v = std::get_if<std::uint64_t>(value)) number = *v;
  if (const auto* v = std::get_if<std::int64_t>(value); v != nullptr && *v >= 0)
    number = static_cast<std::uint64_t>(*v);
  return number < n_tokens ? std::optional(static_cast<Token>(number)) : std::nullopt;
}

void append_unescaped(std::string_view text, std::string& out) {
  for (auto at = text.find(kSpmSpace); at != text.npos; at = text.find(kSpmSpace)) {
    out += text.substr(0, at);
    out += ' ';
    text.remove_prefix(at + kSpmSpace.size());
  }
  out += text;
}

Vocab::Vocab(const Gguf& gguf, TokenizerModel model, bool default_add_bos, bool always_add_bos) {
  const auto* texts = gguf.find_array<std::string_view>("tokenizer.ggml.tokens");
  if (texts == nullptr) gguf.fail("tokenizer.ggml.tokens is missing");
  if (texts->empty()) gguf.fail("tokenizer.ggml.tokens is empty, expected at least one token");
  if (texts->size() > kMaxTokens) {
    gguf.fail(
        fmt::format("tokenizer.ggml.tokens has {} entries, expected at most 2^30", texts->size()));
  }
  byte_tokens_.fill(-1);
  read_types(gguf, texts->size());
  rstrip_ = is_phi3(gguf);
  read_special_ids(gguf, model);
  mark_by_text(gguf, *texts);
  read_pieces(gguf, model, *texts);
  const bool add_bos = gguf.find_bool("tokenizer.ggml.add_bos_token").value_or(default_add_bos);
  if (bos_ && (add_bos || always_add_bos)) prefix_ = {*bos_};
  if (eos_ && gguf.find_bool("tokenizer.ggml.add_eos_token").value_or(false)) suffix_ = {*eos_};
}

void Vocab::read_types(const Gguf& gguf, std::size_t n) {
  types_.assign(n, TokenType::normal);
  const auto numbers = find_integers(gguf, "tokenizer.ggml.token_type");
  if (!numbers) return;
  if (numbers->size() < n) {
    gguf.fail(fmt::format("tokenizer.ggml.token_type has {} entries, expected {} as in {}",
                          numbers->size(), n, "tokenizer.ggml.tokens"));
  }
  for (std::size_t i = 0; i < n; ++i) types_[i] = type_of_number((*numbers)[i]);
}

void Vocab::read_special_ids(const Gguf& gguf, TokenizerModel model) {
  const auto id = [&](std::string_view key, std::optional<Token> fallback) {
    if (const auto token = token_at(gguf, key, types_.size())) return token;
    const GgufValue* value = gguf.find(key);
    const bool is_number = value == nullptr || std::holds_alternative<std::uint64_t>(*value) ||
                           std::holds_alternative<std::int64_t>(*value);
    if (!is_number) gguf.find_int(key);  // throws the error
    return fallback && *fallback < n_tokens() ? fallback : std::nullopt;
  };
  // SentencePiece's standard ids, for files that leave them out.
  const auto by_model = [model](Token spm) {
    return model == TokenizerModel::spm ? std::optional(spm) : std::nullopt;
  };
  unk_ = id("tokenizer.ggml.unknown_token_id", by_model(0));
  bos_ = id("tokenizer.ggml.bos_token_id", by_model(1));
  eos_ = id("tokenizer.ggml.eos_token_id", by_model(2));
  for (const auto& token : {eos_, id("tokenizer.ggml.eot_token_id", std::nullopt),
                            id("tokenizer.ggml.eom_token_id", std::nullopt)}) {
    if (token) eog_.push_back(*token);
  }
  // All end tokens that the authors name, as in Ollama's files and Hugging Face's
  // generation_config.json.
  const auto ends = find_integers(gguf, "tokenizer.ggml.eos_token_ids");
  for (const std::int64_t end : ends.value_or(std::vector<std::int64_t>{}))
    if (end >= 0 && end < n_tokens()) eog_.push_back(static_cast<Token>(end));
}

void Vocab::mark_by_text(const Gguf& gguf, std::span<const std::string_view> texts) {
  const SpecialTexts special = find_special_texts(gguf, texts);
  const auto set_types = [this](std::span<const Token> tokens, TokenType type) {
    for (const Token token : tokens) types_[static_cast<std::size_t>(token)] = type;
  };
  set_types(special.control, TokenType::control);
  set_types(special.markers, TokenType::marker);
  set_types(special.normal, TokenType::normal);
  eog_.insert(eog_.end(), special.eog.begin(), special.eog.end());
  for (const auto* exempt : {&special.markers, &special.normal}) {
    for (const Token token : *exempt) std::erase(eog_, token);
  }
  std::sort(eog_.begin(), eog_.end());
}

void Vocab::read_pieces(const Gguf& gguf, TokenizerModel model,
                        std::span<const std::string_view> texts) {
  std::size_t n_bytes = 0;
  for (const auto text : texts) n_bytes += text.size();
  if (n_bytes > std::numeric_limits<std::uint32_t>::max()) {
    gguf.fail(
        fmt::format("tokenizer.ggml.tokens takes {} bytes, expected less than 4 GiB", n_bytes));
  }
  bytes_.reserve(n_bytes);
  mergeable_.resize(texts.size());
  begin_.reserve(texts.size() + 1);
  for (std::size_t i = 0; i < texts.size(); ++i) {
    begin_.push_back(static_cast<std::uint32_t>(bytes_.size()));
    mergeable_[i] = append_piece(model, static_cast<Token>(i), texts[i]) && !texts[i].empty();
  }
  begin_.push_back(static_cast<std::uint32_t>(bytes_.size()));
  bytes_.shrink_to_fit();
  // Files without token types count byte tokens as normal ones.
  for (std::size_t i = 0; i < texts.size() && model != TokenizerModel::bpe; ++i) {
    const auto byte = parse_byte(texts[i]);
    if (byte && byte_tokens_[*byte] < 0) byte_tokens_[*byte] = static_cast<Token>(i);
  }
}

bool Vocab::append_piece(TokenizerModel model, Token token, std::string_view text) {
  switch (type(token)) {
    case TokenType::unknown:
    case TokenType::control:
    case TokenType::marker:
      bytes_ += text;
      return false;
    case TokenType::user_defined:  // taken literally in every model
      bytes_ += text;
      return model == TokenizerModel::spm;
    case TokenType::byte:
      if (const auto byte = parse_byte(text)) {
        if (byte_tokens_[*byte] < 0) byte_tokens_[*byte] = token;
        bytes_ += static_cast<char>(*byte);
        return false;
      }
      [[fallthrough]];
    default:
      if (model != TokenizerModel::bpe) {
        append_unescaped(text, bytes_);
        return true;
      }
      if (append_bytes(text, bytes_)) return true;
      bytes_ += text;
      return false;
  }
}

std::string_view Vocab::piece(Token token) const {
  assert(token >= 0 && token < n_tokens());
  const auto i = static_cast<std::size_t>(token);
  return std::string_view(bytes_).substr(begin_[i], begin_[i + 1] - begin_[i]);
}

bool Vocab::is_hidden(Token token) const {
  return type(token) == TokenType::control || type(token) == TokenType::unknown;
}

bool Vocab::is_silent(Token token) const {
  return type(token) == TokenType::unused || type(token) == TokenType::undefined;
}

bool Vocab::is_eog(Token token) const noexcept {
  return std::binary_search(eog_.begin(), eog_.end(), token);
}

std::vector<SpecialTokens::Entry> Vocab::special_entries() const {
  std::vector<SpecialTokens::Entry> entries;
  for (Token token = 0; token < n_tokens(); ++token) {
    const bool is_control = is_hidden(token) || type(token) == TokenType::marker;
    if (!is_control && type(token) != TokenType::user_defined) continue;
    const std::string_view text = piece(token);
    // Phi-3 exempts these three.
    const bool keeps_space = text == "<unk>" || text == "<s>" || text == "<|endoftext|>";
    entries.push_back({std::string(text), token, is_control, rstrip_ && !keeps_space});
  }
  return entries;
}

namespace {

constexpr bool stands_for_itself(int byte) {
  return (byte >= '!' && byte <= '~') || (byte >= 0xA1 && byte <= 0xAC) || byte >= 0xAE;
}

// byte_of[code point]; -1: stands for no byte. The bytes that are not printable in Latin-1 are
// numbered consecutively from U+0100.
constexpr auto kByteOf = [] {
  std::array<std::int16_t, 0x144> byte_of{};
  for (auto& byte : byte_of) byte = -1;
  std::size_t next = 0x100;
  for (int byte = 0; byte < 256; ++byte) {
    const std::size_t code_point =
        stands_for_itself(byte) ? static_cast<std::size_t>(byte) : next++;
    byte_of[code_point] = static_cast<std::int16_t>(byte);
  }
  return byte_of;
}();

}  // namespace

bool append_bytes(std::string_view text, std::string& out) {
  const std::size_t before = out.size();
  while (!text.empty()) {
    const auto [code_point, size, cut] = read_utf8(text);
    text.remove_prefix(size);
    if (code_point >= kByteOf.size() || kByteOf[code_point] < 0) {
      out.resize(before);
      return false;
    }
    out += static_cast<char>(kByteOf[code_point]);
  }
  return true;
}

}  // namespace confab::engine
