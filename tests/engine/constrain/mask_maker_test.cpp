// SPDX-License-Identifier: MIT
// The mask of a vocabulary is what asking for each token by itself says: at every position, for any
// grammar and any vocabulary.
#include "engine/constrain/mask_maker.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>

#include "engine/constrain/grammar.h"
#include "engine/constrain/json/json_schema.h"
#include "engine/constrain/pattern.h"
#include "engine/gguf/gguf.h"
#include "engine/text/tokenizer.h"
#include "tests/engine/constrain/grammar_cases.h"
#include "tests/engine/constrain/random_expression.h"
#include "tests/engine/text/tiny_vocabularies.h"

namespace confab::engine {
namespace {

using Texts = std::vector<std::string>;
using Make = std::function<std::unique_ptr<Grammar>(RegexSet&)>;

// Bytes, some of them twice, and random tokens: pieces of what the grammar has, and of anything.
Texts random_vocabulary(std::mt19937& rng, const std::string& sample, std::size_t n) {
  Texts all{"",   "\xF0\x9F\x98\x80",    "\xC3", "\xA9\"", "\":", "\", \"", "{\"", "}}", "]]}",
            "  ", std::string(300, 'a'), "\n\n"};
  for (int b = 0; b < kMostBytes; b += 1 + static_cast<int>(rng() % 2))
    all.push_back(std::string(1, static_cast<char>(b)));
  while (all.size() < n) {
    const std::size_t at = rng() % (sample.size() + 1), size = 1 + rng() % 12;
    std::string text = sample.substr(at, size);
    if (rng() % 3 == 0) text += "\"}],: a1.-"[rng() % 10];
    if (rng() % 4 == 0) text.insert(0, 1, "\",{[ 0e"[rng() % 7]);
    all.push_back(text);
  }
  return all;
}

// Walks at random, by whole tokens too, and compares at every position.
class MaskWalk {
 public:
  MaskWalk(const Make& make, const Texts& texts)
      : reader_(make),
        texts_(texts),
        views_(texts.begin(), texts.end()),
        trie_(views_),
        masks_(trie_, reader_.regexes) {}

  void walk(std::mt19937& rng, int n_steps) {
    Position at = reader_.machine.start();
    for (int i = 0; i < n_steps; ++i) {
      const std::vector<Token> allowed = check_grammar(at);
      if (allowed.empty() || testing::Test::HasFailure()) return;
      const std::string& next = texts_[static_cast<std::size_t>(allowed[rng() % allowed.size()])];
      at = reader_.machine.advance(at, next);
    }
  }

 private:
  std::vector<Token> check_grammar(const Position& at) {
    const TokenMask mask = masks_.mask(reader_.machine, at);
    std::vector<Token> allowed;
    for (Token token = 0; token < trie_.n_vocab(); ++token) {
      const std::string& text = texts_[static_cast<std::size_t>(token)];
      const bool may = !text.empty() && !reader_.machine.advance(at, text).is_dead();
      EXPECT_EQ(mask.has(token), may) << "token " << testing::PrintToString(text);
      if (may) allowed.push_back(token);
    }
    return allowed;
  }

  TextReader reader_;
  Texts texts_;
  std::vector<std::string_view> views_;
  TokenTrie trie_;
  MaskMaker masks_;
};

void compare(const Make& make, std::mt19937& rng, int n_walks, int n_steps) {
  TextReader reader(make);
  std::string sample;
  for (int i = 0; i < 4; ++i)
    sample += reader.random_text(rng, 60, [](const auto&, const auto&) {});
  MaskWalk walk(make, random_vocabulary(rng, sample, 250));
  for (int i = 0; i < n_walks; ++i) walk.walk(rng, n_steps);
}

TEST(MaskMakerTest, GrammarsTokenByToken) {
  std::mt19937 rng(20261123);
  for (const char* grammar : {kArithmetic, kJson, kStatements}) {
    SCOPED_TRACE(grammar);
    compare([&](RegexSet& r) { return parse_gbnf(r, grammar); }, rng, 3, 10);
  }
  MaskWalk ambiguous([](RegexSet& r) { return parse_gbnf(r, kAmbiguous); }, texts_up_to(3));
  ambiguous.walk(rng, 10);
}

constexpr const char* kSchemas[] = {
    "{}",
    R"({"type": "object", "properties": {"name": {"type": "string", "maxLength": 20},
        "names": {"type": "array", "items": {"enum": ["a", "aa", "é\n"]}}, "n": {"minimum": -2.5}},
        "required": ["name", "n"], "additionalProperties": {"type": "boolean"}})",
    R"({"anyOf": [{"type": "string", "minLength": 10, "maxLength": 300}, {"type": "integer"},
        {"pattern": "^a{0,40}$"}, {"const": {"a": [1, "x"]}}]})",
    R"({"type": "array", "items": {"$ref": "#"}, "maxItems": 3})",
    R"({"type": "object", "patternProperties": {"^x": {"type": "null"}}, "maxProperties": 2})",
};

TEST(MaskMakerTest, SchemasTokenByToken) {
  std::mt19937 rng(20261124);
  for (const char* schema : kSchemas) {
    SCOPED_TRACE(schema);
    compare([&](RegexSet& r) { return parse_json_schema(r, schema); }, rng, 3, 10);
  }
}

TEST(MaskMakerTest, PatternsTokenByToken) {
  std::mt19937 rng(20261125);
  for (const char* pattern :
       {"a{0,100}b{3,90}", "(?:[a-z]{2,30} ){1,40}", ".{10,200}", "[^\"]*(?:\"[^\"]{0,50}\")*",
        "(?!.*aa)[ab]{1,60}", "(?:é|😀){0,50}x", "(?:a{0,30}|[ab]{0,40}c)(?:a|b){0,20}"}) {
    SCOPED_TRACE(pattern);
    compare(
        [&](RegexSet& r) { return std::make_unique<StaticGrammar>(r, parse_pattern(r, pattern)); },
        rng, 3, 12);
  }
}

TEST(MaskMakerTest, RandomExpressionsTokenByToken) {
  std::mt19937 rng(20261126);
  Texts texts = texts_up_to(4);
  for (int i = 0; i < 40; ++i) {
    SCOPED_TRACE(i);
    const Expression one = random_expression(rng, 4, {.longest_repeat = 20});
    const Make make = [&](RegexSet& r) { return std::make_unique<StaticGrammar>(r, made(r, one)); };
    MaskWalk walk(make, texts);
    for (int n = 0; n < 3; ++n) walk.walk(rng, 8);
  }
}

// The vocabulary of a model that people run.
TEST(MaskMakerTest, ARealVocabularyTokenByToken) {
  const auto tokenizer =
      Tokenizer::load(Gguf(std::string(CONFAB_SOURCE_DIR) + "/models/confab-demo.gguf"));
  Texts texts;
  for (Token token = 0; token < tokenizer->n_vocab(); ++token)
    texts.emplace_back(tokenizer->is_eog(token) ? "" : tokenizer->piece(token, false));
  std::mt19937 rng(20261127);
  for (const char* schema : kSchemas) {
    SCOPED_TRACE(schema);
    MaskWalk walk([&](RegexSet& r) { return parse_json_schema(r, schema); }, texts);
    walk.walk(rng, 8);
  }
}

// Masks of several grammars over the same expressions, in turns.
TEST(MaskMakerTest, OneMakerForSeveralAnswers) {
  RegexSet r;
  const Texts texts = texts_up_to(3);
  const std::vector<std::string_view> views(texts.begin(), texts.end());
  const TokenTrie trie(views);
  MaskMaker masks(trie, r);
  const auto one = parse_gbnf(r, "root ::= \"a\" root \"b\" | \"c\"");
  const auto two = parse_gbnf(r, "root ::= [abc]{0,9} | \"x\" root");
  Machine first(*one), second(*two);
  Position a = first.start(), b = second.start();
  for (const char c : std::string_view("aaaac")) {
    for (Token token = 1; token < trie.n_vocab(); ++token) {
      const std::string& text = texts[static_cast<std::size_t>(token)];
      EXPECT_EQ(masks.mask(first, a).has(token), !first.advance(a, text).is_dead());
      EXPECT_EQ(masks.mask(second, b).has(token), !second.advance(b, text).is_dead());
    }
    a = first.advance(a, static_cast<std::uint8_t>(c));
    b = second.advance(b, static_cast<std::uint8_t>(c));
  }
}

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
