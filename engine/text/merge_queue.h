// SPDX-License-Identifier: MIT
// The merges that are possible in a word, the best one first: lowest rank, then leftmost.
//
// A binary heap for ordinary words. A word of a megabyte would make that a cache miss a level, so
// long words have a bucket a rank: a run of positions that came in order, which most do, and a heap
// of those that did not. Either way push and pop are O(log n).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace confab::engine {

class MergeQueue {
 public:
  struct Candidate {
    std::uint32_t rank = 0;
    std::uint32_t left = 0;  // index of the left symbol
  };
  // Empties the queue and chooses its form for a word of n symbols.
  void reset(std::size_t n);
  void push(Candidate candidate);
  // Takes the best one out; nullopt: none is left.
  std::optional<Candidate> pop();

 private:
  struct Bucket {
    std::uint32_t rank = 0;
    std::size_t at = 0;               // the run's next one
    std::vector<std::uint32_t> run;   // ascending
    std::vector<std::uint32_t> late;  // a heap, the lowest on top
  };
  std::uint32_t take(Bucket& bucket);
  Bucket& bucket_of(std::uint32_t rank);
  std::uint32_t& slot_of(std::uint32_t rank);
  void grow();

  bool in_buckets_ = false;
  std::vector<std::uint64_t> heap_;  // rank, left; or rank, index of the bucket that is not empty
  std::vector<Bucket> buckets_;      // the first n_buckets_ are in use
  std::uint32_t n_buckets_ = 0;
  std::vector<std::uint32_t> slots_;  // by rank: 1 + index of its bucket, 0: free; linear probing
};

}  // namespace confab::engine
