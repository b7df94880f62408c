// SPDX-License-Identifier: MIT
#include "engine/text/symbol_merger.h"

#include <algorithm>
#include <functional>

namespace confab::engine {
namespace {

constexpr std::size_t kLongWord = 512;   // number of symbols from which buckets pay off
constexpr std::size_t kMinSlots = 1024;  // a power of two

std::uint64_t key_of(std::uint32_t high, std::uint32_t low) {
  return static_cast<std::uint64_t>(high) << 32 | low;
}

template <typename T>
void push_lowest(std::vector<T>& heap, T value) {
  heap.push_back(value);
  std::push_heap(heap.begin(), heap.end(), std::greater<>());
}

template <typename T>
T pop_lowest(std::vector<T>& heap) {
  std::pop_heap(heap.begin(), heap.end(), std::greater<>());
  const T lowest = heap.back();
  heap.pop_back();
  return lowest;
}

}  // namespace

void MergeQueue::reset(std::size_t n) {
  heap_.clear();
  in_buckets_ = n >= kLongWord;
  if (!in_buckets_) return;
  n_buckets_ = 0;
  slots_.assign(std::max(slots_.size(), kMinSlots), 0);
}

void MergeQueue::push(Candidate candidate) {
  if (!in_buckets_) {
    push_lowest(heap_, key_of(candidate.rank, candidate.left));
    return;
  }
  Bucket& bucket = bucket_of(candidate.rank);
  if (bucket.at == bucket.run.size() && bucket.late.empty()) {
    push_lowest(heap_, key_of(bucket.rank, static_cast<std::uint32_t>(&bucket - buckets_.data())));
    bucket.run.clear();
    bucket.at = 0;
  }
  if (bucket.run.empty() || candidate.left >= bucket.run.back()) {
    bucket.run.push_back(candidate.left);
  } else {
    push_lowest(bucket.late, candidate.left);
  }
}

std::optional<MergeQueue::Candidate> MergeQueue::pop() {
  if (heap_.empty()) return std::nullopt;
  if (!in_buckets_) {
    const std::uint64_t key = pop_lowest(heap_);
    return Candidate{static_cast<std::uint32_t>(key >> 32), static_cast<std::uint32_t>(key)};
  }
  Bucket& bucket = buckets_[static_cast<std::uint32_t>(heap_.front())];
  const Candidate candidate{bucket.rank, take(bucket)};
  if (bucket.at == bucket.run.size() && bucket.late.empty()) pop_lowest(heap_);
  return candidate;
}

std::uint32_t MergeQueue::take(Bucket& bucket) {
  const bool from_run = bucket.at < bucket.run.size() &&
                        (bucket.late.empty() || bucket.run[bucket.at] <= bucket.late.front());
  return from_run ? bucket.run[bucket.at++] : pop_lowest(bucket.late);
}

MergeQueue::Bucket& MergeQueue::bucket_of(std::uint32_t rank) {
  if (const std::uint32_t index = slot_of(rank); index != 0) return buckets_[index - 1];
  if ((n_buckets_ + 1) * std::size_t{2} > slots_.size()) grow();
  slot_of(rank) = n_buckets_ + 1;
  if (n_buckets_ == buckets_.size()) buckets_.emplace_back();
  Bucket& bucket = buckets_[n_buckets_++];
  bucket.rank = rank;
  bucket.at = 0;
  bucket.run.clear();
  bucket.late.clear();
  return bucket;
}

std::uint32_t& MergeQueue::slot_of(std::uint32_t rank) {
  const std::size_t mask = slots_.size() - 1;
  std::size_t i = (rank * std::uint64_t{0x9E3779B97F4A7C15U} >> 32) & mask;
  while (slots_[i] != 0 && buckets_[slots_[i] - 1].rank != rank) i = (i + 1) & mask;
  return slots_[i];
}

void MergeQueue::grow() {
  slots_.assign(slots_.size() * 2, 0);
  for (std::uint32_t i = 0; i < n_buckets_; ++i) slot_of(buckets_[i].rank) = i + 1;
}

}  // namespace confab::engine
