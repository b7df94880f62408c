// SPDX-License-Identifier: MIT
#include "engine/constrain/token_trie.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>

#include "engine/text/tokenizer.h"
#include "tests/engine/text/tiny_vocabularies.h"

namespace confab::engine {
namespace {

// The text of each token as a walk over the nodes finds it.
std::multimap<std::string, Token> walked(const TokenTrie& trie) {
  std::multimap<std::string, Token> found;
  std::string text;
  for (const TokenTrie::Node& node : trie.nodes()) {
    text.resize(node.depth - 1U);
    text += static_cast<char>(node.byte);
    for (Token t = node.token; t != TokenTrie::kNone; t = trie.twin(t)) found.emplace(text, t);
  }
  return found;
}

void check_shape(const TokenTrie& trie) {
  const auto nodes = trie.nodes();
  for (std::uint32_t i = 0; i < nodes.size(); ++i) {
    ASSERT_GT(nodes[i].end, i);
    ASSERT_LE(nodes[i].end, nodes.size());
    int height = 0;
    for (std::uint32_t below = i + 1; below < nodes[i].end; ++below) {
      ASSERT_GT(nodes[below].depth, nodes[i].depth);
      height = std::max(height, nodes[below].depth - nodes[i].depth);
    }
    ASSERT_EQ(nodes[i].height, height);
    ASSERT_TRUE(nodes[i].end == nodes.size() || nodes[nodes[i].end].depth <= nodes[i].depth);
  }
}

TEST(TokenTrieTest, HasTheTextsThatItWasMadeOf) {
  std::mt19937 rng(9);
  for (int i = 0; i < 60; ++i) {
    std::vector<std::string> texts(static_cast<std::size_t>(i * 3));
    for (std::string& text : texts)
      for (std::size_t n = rng() % 6; n > 0; --n) text += "ab\x80\xFF"[rng() % 4];
    const std::vector<std::string_view> views(texts.begin(), texts.end());
    const TokenTrie trie(views);
    std::multimap<std::string, Token> want;
    for (std::size_t t = 0; t < texts.size(); ++t)
      if (!texts[t].empty()) want.emplace(texts[t], static_cast<Token>(t));
    EXPECT_EQ(walked(trie), want) << i;
    EXPECT_EQ(trie.n_vocab(), std::ssize(texts));
    check_shape(trie);
  }
}

TEST(TokenTrieTest, LongTokensAndTwins) {
  const std::string long_one(5000, 'x'), too_long(70'000, 'y');
  const std::vector<std::string_view> texts{"a", long_one, "a", "", "ab", "a", too_long};
  const TokenTrie trie(texts);
  EXPECT_EQ(trie.max_depth(), 5000U);
  EXPECT_EQ(trie.nodes()[0].token, 0);
  EXPECT_EQ(trie.twin(0), 2);
  EXPECT_EQ(trie.twin(2), 5);
  EXPECT_EQ(trie.twin(5), TokenTrie::kNone);
  EXPECT_EQ(trie.nodes()[0].end, 2U);
  EXPECT_EQ(walked(trie).size(), 5U) << "neither the empty one nor the one beyond all bounds";
}

TEST(TokenTrieTest, NoTokensNoNodes) {
  const TokenTrie trie(std::span<const std::string_view>{});
  EXPECT_TRUE(trie.nodes().empty());
  EXPECT_EQ(trie.n_vocab(), 0);
}

TEST(TokenTrieTest, OfAVocabularyWithoutItsControlTokens) {
  TemporaryFolder folder;
  bpe_vocabulary().write(folder / "v.gguf");
  const auto tokenizer = Tokenizer::load(Gguf(folder / "v.gguf"));
  const TokenTrie trie(*tokenizer);
  const auto found = walked(trie);
  EXPECT_EQ(trie.n_vocab(), 300);
  EXPECT_EQ(found.size(), 297U);
  for (const auto& [text, token] : found) EXPECT_EQ(text, tokenizer->piece(token, false));
}

}  // namespace
}  // namespace confab::engine
