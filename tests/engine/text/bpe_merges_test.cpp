// SPDX-License-Identifier: MIT
#include "engine/text/bpe.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <random>

#include "engine/error.h"
#include "tests/engine/text/tiny_vocabularies.h"

namespace confab::engine {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

GgufWriter with_merges(const std::vector<std::string>& merges) {
  GgufWriter gguf = bpe_vocabulary();
  gguf.remove("tokenizer.ggml.merges").add_array("tokenizer.ggml.merges", merges);
  return gguf;
}

class Merger {
 public:
  explicit Merger(const GgufWriter& writer)
      : gguf_(writer), vocab_(*gguf_, TokenizerModel::bpe, false), merges_(*gguf_, vocab_) {}

  // What the merges leave of a word, as texts.
  std::vector<std::string> operator()(std::string_view word) const {
    MergeScratch scratch;
    merges_.merge(word, scratch);
    std::vector<std::string> parts;
    for (int i = 0; i >= 0;) {
      const auto& symbol = scratch.symbols[static_cast<std::size_t>(i)];
      i = symbol.next;
      const std::size_t end =
          i < 0 ? word.size() : scratch.symbols[static_cast<std::size_t>(i)].begin;
      parts.emplace_back(word.substr(symbol.begin, end - symbol.begin));
    }
    return parts;
  }

 private:
  WrittenGguf gguf_;
  Vocab vocab_;
  BpeMerges merges_;
};

TEST(BpeMergesTest, LowestRankFirstThenLeftmost) {
  EXPECT_THAT(Merger(with_merges({"b c", "a b"}))("abc"), ElementsAre("a", "bc"));
  EXPECT_THAT(Merger(with_merges({"a b", "b c"}))("abc"), ElementsAre("ab", "c"));
  EXPECT_THAT(Merger(with_merges({"a a"}))("aaaaa"), ElementsAre("aa", "aa", "a"));
  EXPECT_THAT(Merger(with_merges({"a a", "aa aa"}))("aaaaaaa"), ElementsAre("aaaa", "aa", "a"));
}

TEST(BpeMergesTest, PartsAndResultsNeedNotBeTokens) {
  // Neither "xy" nor "xyz" is in the vocabulary.
  EXPECT_THAT(Merger(with_merges({"x y", "xy z"}))("xyz!"), ElementsAre("xyz", "!"));
}

TEST(BpeMergesTest, OfAPairGivenTwiceTheFirstRankCounts) {
  EXPECT_THAT(Merger(with_merges({"a b", "b c", "a b"}))("abc"), ElementsAre("ab", "c"));
}

// The definition, in the plainest words: merge the best pair until there is none.
std::vector<std::string> merge_slowly(const std::vector<std::string>& merges,
                                      std::string_view word) {
  std::map<std::string, std::size_t> ranks;
  for (std::size_t i = 0; i < merges.size(); ++i) ranks.emplace(merges[i], i);
  std::vector<std::string> parts;
  for (const char c : word) parts.emplace_back(1, c);
  for (;;) {
    std::size_t best = parts.size(), best_rank = merges.size();
    for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
      const auto found = ranks.find(parts[i] + " " + parts[i + 1]);
      if (found == ranks.end() || found->second >= best_rank) continue;
      best = i;
      best_rank = found->second;
    }
    if (best == parts.size()) return parts;
    parts[best] += parts[best + 1];
    parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(best) + 1);
  }
}

TEST(BpeMergesTest, EqualsTheDefinitionOnRandomMerges) {
  std::mt19937 rng(20250611);
  for (int round = 0; round < 30; ++round) {
    std::vector<std::string> known{"a", "b", "c"}, merges;
    for (int i = 0; i < 25; ++i) {
      const std::string left = known[rng() % known.size()], right = known[rng() % known.size()];
      merges.push_back(left + " " + right);
      known.push_back(left + right);
    }
    const Merger merge(with_merges(merges));
    for (int i = 0; i < 50; ++i) {
      std::string word;
      for (int n = 1 + static_cast<int>(rng() % 30); n > 0; --n) {
        word += static_cast<char>('a' + rng() % 3);
      }
      ASSERT_EQ(merge(word), merge_slowly(merges, word)) << word;
    }
  }
}

std::string error_of(const GgufWriter& writer) {
  try {
    const Merger merge(writer);
  } catch (const ModelError& error) {
    return error.what();
  }
  return "no error";
}

TEST(BpeMergesTest, BrokenMergesAreRefusedByName) {
  for (const char* bad : {"", "nospace", " ", " x", "y ", "a  b", "\xFF z", "a b c"}) {
    const std::string error = error_of(with_merges({"a b", bad}));
    EXPECT_THAT(error, HasSubstr("tokenizer.ggml.merges[1]")) << bad;
    EXPECT_THAT(error, HasSubstr("expected two texts with a space between")) << bad;
  }
  GgufWriter without = bpe_vocabulary();
  EXPECT_THAT(error_of(without.remove("tokenizer.ggml.merges")),
              HasSubstr("tokenizer.ggml.merges is missing"));
  without.add_array("tokenizer.ggml.merges", std::vector<std::uint32_t>{1, 2});
  EXPECT_THAT(error_of(without), HasSubstr("tokenizer.ggml.merges"));
}

TEST(BpeMergesTest, NoMergesAtAll) {
  EXPECT_THAT(Merger(with_merges({}))("ab"), ElementsAre("a", "b"));
}

}  // namespace
}  // namespace confab::engine
