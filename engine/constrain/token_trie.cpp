// SPDX-License-Identifier: MIT
#include "engine/constrain/token_trie.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "engine/text/tokenizer.h"

namespace confab::engine {
namespace {

std::size_t shared_length(std::string_view a, std::string_view b) {
  const auto [at, other] = std::ranges::mismatch(a, b);
  return static_cast<std::size_t>(at - a.begin());
}

}  // namespace

TokenTrie::TokenTrie(const Tokenizer& tokenizer) {
  std::vector<std::string_view> texts;
  for (Token token = 0; token < tokenizer.n_vocab(); ++token)
    texts.push_back(tokenizer.is_eog(token) ? std::string_view() : tokenizer.piece(token, false));
  build(texts);
}

TokenTrie::TokenTrie(std::span<const std::string_view> texts) {
  build(texts);
}

void TokenTrie::build(std::span<const std::string_view> texts) {
  twins_.assign(texts.size(), kNone);
  std::vector<Token> order(texts.size());
  std::iota(order.begin(), order.end(), 0);
  const auto text_of = [&](Token token) { return texts[static_cast<std::size_t>(token)]; };
  std::ranges::stable_sort(order, {}, text_of);
  std::vector<std::uint32_t> open;  // the nodes that lead to where the last token ends
  const auto close = [&](std::size_t depth) {
    for (; open.size() > depth; open.pop_back()) {
      Node& node = nodes_[open.back()];
      node.end = static_cast<std::uint32_t>(nodes_.size());
      if (open.size() < 2) continue;
      std::uint16_t& above = nodes_[open[open.size() - 2]].height;
      above = std::max(above, static_cast<std::uint16_t>(node.height + 1));
    }
  };
  std::string_view last;
  Token last_token = kNone;
  for (const Token token : order) {
    const std::string_view text = text_of(token);
    if (text.empty() || text.size() > std::numeric_limits<std::uint16_t>::max()) continue;
    if (text == last) {
      twins_[static_cast<std::size_t>(last_token)] = token;
      last_token = token;
      continue;
    }
    close(shared_length(last, text));
    while (open.size() < text.size()) {
      const auto byte = static_cast<std::uint8_t>(text[open.size()]);
      open.push_back(static_cast<std::uint32_t>(nodes_.size()));
      nodes_.push_back({0, kNone, byte, static_cast<std::uint16_t>(open.size())});
    }
    nodes_.back().token = token;
    max_depth_ = std::max(max_depth_, text.size());
    last = text;
    last_token = token;
  }
  close(0);
}

}  // namespace confab::engine
