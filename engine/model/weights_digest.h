// SPDX-License-Identifier: MIT
// A hash of every byte of a model's weights, computed at memory bandwidth and in steps, so that
// other work can run in between.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "engine/gguf/gguf.h"
#include "kernels/thread_pool.h"

namespace confab::engine {

class WeightsDigest {
 public:
  // The references must outlive the object. is_kept says which tensors stay in memory because
  // something computes with them; the pages of all others are released once read. Empty: all are
  // kept.
  WeightsDigest(const Gguf& gguf, kernels::ThreadPool& pool,
                const std::function<bool(const GgufTensor&)>& is_kept = {});

  // Reads on, at most 64 MiB.
  void step() noexcept;
  bool done() const noexcept { return n_done_ == slices_.size(); }
  std::uint64_t bytes_done() const noexcept { return bytes_done_; }
  std::uint64_t n_bytes() const noexcept { return n_bytes_; }
  // The XXH3-128 of the hashes of all slices, as 32 hexadecimal digits. Requires done(). The result
  // does not depend on the number of threads.
  std::string hex() const;

 private:
  struct Slice {
    std::span<const std::byte> bytes;
    bool is_kept = true;
  };
  void add(std::span<const std::byte> bytes, bool is_kept);
  static void give_back(const Slice& slice) noexcept;

  kernels::ThreadPool& pool_;
  std::vector<Slice> slices_;
  std::vector<std::array<std::byte, 16>> hashes_;  // one per slice
  std::size_t n_done_ = 0;
  std::uint64_t bytes_done_ = 0;
  std::uint64_t n_bytes_ = 0;
};

}  // namespace confab::engine
