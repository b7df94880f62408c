// SPDX-License-Identifier: MIT
#include "engine/text/vocabulary_difference.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "engine/text/tokenizer.h"

namespace confab::engine {
namespace {

// Whether all tokens from this one on are fillers, which have no text.
bool are_fillers(const Tokenizer& tokenizer, Token first) {
  for (Token token = first; token < tokenizer.n_vocab(); ++token)
    if (!tokenizer.piece(token, true).empty() || tokenizer.is_eog(token)) return false;
  return true;
}

// The bytes of a token in one line of ASCII.
std::string quoted(std::string_view piece) {
  std::string text;
  for (const char c : piece) {
    const auto byte = static_cast<unsigned char>(c);
    text += byte >= 0x20 && byte < 0x7F ? std::string(1, c) : fmt::format("\\x{:02x}", byte);
  }
  return "\"" + text + "\"";
}

std::string name_of(std::optional<Token> token) {
  return token ? fmt::format("token {}", *token) : "none";
}

std::optional<std::string> special_difference(const Tokenizer& model, const Tokenizer& other) {
  if (model.bos() != other.bos())
    return fmt::format("the token that begins a text is {}, not {}", name_of(other.bos()),
                       name_of(model.bos()));
  if (model.eos() != other.eos())
    return fmt::format("the token that ends a text is {}, not {}", name_of(other.eos()),
                       name_of(model.eos()));
  return std::nullopt;
}

}  // namespace

std::optional<std::string> vocabulary_difference(const Tokenizer& model, const Tokenizer& other) {
  const Token n_both = std::min(model.n_vocab(), other.n_vocab());
  if (!are_fillers(model, n_both) || !are_fillers(other, n_both))
    return fmt::format("it has {} tokens, not {}", other.n_vocab(), model.n_vocab());
  for (Token token = 0; token < n_both; ++token) {
    const std::string_view wanted = model.piece(token, true), found = other.piece(token, true);
    if (wanted != found)
      return fmt::format("token {} is {}, not {}", token, quoted(found), quoted(wanted));
    if (model.piece(token, false).empty() != other.piece(token, false).empty())
      return fmt::format("token {}, {}, is {} token", token, quoted(wanted),
                         other.piece(token, false).empty() ? "a control" : "no control");
    if (model.is_eog(token) != other.is_eog(token))
      return fmt::format("token {}, {}, {} an answer", token, quoted(wanted),
                         other.is_eog(token) ? "ends" : "does not end");
  }
  return special_difference(model, other);
}

}  // namespace confab::engine
