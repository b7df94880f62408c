// SPDX-License-Identifier: MIT
// Tokens with the texts that a test gives them.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "engine/text/tokenizer.h"

namespace confab::engine {

class FakeTokenizer : public Tokenizer {
 public:
  explicit FakeTokenizer(std::vector<std::string> pieces, std::vector<Token> eog = {})
      : pieces_(std::move(pieces)), eog_(std::move(eog)) {}

  std::vector<Token> encode(std::string_view, std::span<const ByteSpan>) const override {
    return {};
  }
  std::span<const Token> prefix() const noexcept override { return {}; }
  std::span<const Token> suffix() const noexcept override { return {}; }
  std::string_view piece(Token token, bool) const override {
    return pieces_.at(static_cast<std::size_t>(token));
  }
  std::string decode(std::span<const Token>, bool) const override { return {}; }
  std::string detokenize(std::span<const Token>, bool) const override { return {}; }
  int n_vocab() const noexcept override { return static_cast<int>(pieces_.size()); }
  std::optional<Token> bos() const noexcept override { return {}; }
  std::optional<Token> eos() const noexcept override { return {}; }
  bool is_eog(Token token) const noexcept override {
    return std::ranges::find(eog_, token) != eog_.end();
  }

 private:
  std::vector<std::string> pieces_;
  std::vector<Token> eog_;
};

}  // namespace confab::engine
