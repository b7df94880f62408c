// SPDX-License-Identifier: MIT
// Merges neighbours in a word, best first, until no merge is left. SentencePiece and byte-level BPE
// share this.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace confab::engine {

// The possible merges in a word, best first: lowest rank, then leftmost.
//
// Ordinary words use a binary heap. For a word of a megabyte that would cost a cache miss per
// level, so long words have a bucket per rank: a run of positions that arrived in order, as most
// do, and a heap of the others. In both forms push and pop are O(log n).
class MergeQueue {
 public:
  struct Candidate {
    std::uint32_t rank = 0;
    std::uint32_t left = 0;  // index of the left symbol
  };
  // Empties the queue and chooses its form for a word of n symbols.
  void reset(std::size_t n);
  void push(Candidate candidate);
  // Removes and returns the best merge; nullopt if none is left.
  std::optional<Candidate> pop();

 private:
  struct Bucket {
    std::uint32_t rank = 0;
    std::size_t at = 0;               // next position in `run`
    std::vector<std::uint32_t> run;   // ascending
    std::vector<std::uint32_t> late;  // a heap, lowest on top
  };
  std::uint32_t take(Bucket& bucket);
  Bucket& bucket_of(std::uint32_t rank);
  std::uint32_t& slot_of(std::uint32_t rank);
  void grow();

  bool in_buckets_ = false;
  std::vector<std::uint64_t> heap_;  // rank and left; or rank and index of a non-empty bucket
  std::vector<Bucket> buckets_;      // the first n_buckets_ are in use
  std::uint32_t n_buckets_ = 0;
  std::vector<std::uint32_t> slots_;  // by rank: 1 + bucket index, 0: free; linear probing
};

// The result of merging two neighbours.
struct PairMerge {
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
  std::uint32_t rank = kNone;  // lowest first; kNone: they do not merge
  int id = 0;                  // of the merged symbol
};

struct Symbol {
  int id = 0;  // in the vocabulary's numbering of symbols
  int prev = -1;
  int next = -1;
  std::uint32_t begin = 0;  // offset in the word
  PairMerge with_next;
};

// Working space, reused from word to word.
struct MergeScratch {
  std::vector<Symbol> symbols;
  MergeQueue queue;
  std::string text;  // for use by the caller

  // The size of a symbol in a word of word_size bytes.
  std::size_t size_of(const Symbol& symbol, std::size_t word_size) const {
    const std::size_t end =
        symbol.next < 0 ? word_size : symbols[static_cast<std::size_t>(symbol.next)].begin;
    return end - symbol.begin;
  }
};

// Merges scratch.symbols, a chain in order that starts at index 0. The result is such a chain
// again. find(left, right) returns the PairMerge of two neighbouring symbols.
template <typename FindPair>
void merge_symbols(MergeScratch& scratch, FindPair find) {
  auto& symbols = scratch.symbols;
  auto& queue = scratch.queue;
  const auto at = [&symbols](int i) -> Symbol& { return symbols[static_cast<std::size_t>(i)]; };
  const auto update = [&](int i) {
    Symbol& left = at(i);
    left.with_next = left.next < 0 ? PairMerge() : find(left, at(left.next));
    if (left.with_next.rank == PairMerge::kNone) return;
    queue.push({left.with_next.rank, static_cast<std::uint32_t>(i)});
  };
  queue.reset(symbols.size());
  for (int i = 0; i + 1 < static_cast<int>(symbols.size()); ++i) update(i);
  while (const auto candidate = queue.pop()) {
    const int i = static_cast<int>(candidate->left);
    Symbol& left = at(i);
    if (left.with_next.rank != candidate->rank) continue;  // stale: it or its neighbour has merged
    Symbol& right = at(left.next);
    left.id = left.with_next.id;
    left.next = right.next;
    right.with_next = PairMerge();
    if (left.next >= 0) at(left.next).prev = i;
    if (left.prev >= 0) update(left.prev);
    update(i);
  }
}

}  // namespace confab::engine
