// SPDX-License-Identifier: MIT
// Pages of keys and values in the memory of a graphics processor, and the sequences made of them.
// Pages have the layout of KvLayout, so blocks are the same as on the processor.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "engine/cache/decoder.h"
#include "engine/cache/kv_layout.h"
#include "kernels/vulkan/gpu.h"

namespace confab::engine {

class GpuPagePool;

struct GpuPage {
  std::uint32_t number;   // in the pool
  std::uint64_t address;  // on the device
  bool stored = false;    // a store has a copy
};
using GpuPageRef = std::shared_ptr<GpuPage>;

// Must outlive its pages. Uses as few ranges of memory as the device allows.
class GpuPagePool {
 public:
  // Throws GpuError if the device does not have enough memory.
  GpuPagePool(kernels::vulkan::Gpu& gpu, KvLayout layout, int n_pages);
  GpuPagePool(const GpuPagePool&) = delete;
  GpuPagePool& operator=(const GpuPagePool&) = delete;

  const KvLayout& layout() const noexcept { return layout_; }
  int n_free() const noexcept { return static_cast<int>(free_.size()); }

  // The contents are undefined. Throws OutOfPages.
  GpuPageRef take();
  // Returns a new page with the same contents. Throws OutOfPages, GpuError.
  GpuPageRef copy(const GpuPage& page);
  void read(const GpuPage& page, std::span<std::byte> block);
  void write(const GpuPage& page, std::span<const std::byte> block);

 private:
  struct Place {
    const kernels::vulkan::Buffer& memory;
    std::size_t offset;
  };
  Place place(std::uint32_t number) const noexcept {
    return {memory_[number / n_of_range_], number % n_of_range_ * layout_.block_bytes()};
  }
  void copy(const Place& from, const Place& to);

  kernels::vulkan::Gpu& gpu_;
  KvLayout layout_;
  std::size_t n_of_range_;  // pages per range
  std::vector<kernels::vulkan::Buffer> memory_;
  kernels::vulkan::Buffer up_, down_;  // one block each; allocated on first use
  std::vector<std::uint32_t> free_;
};

class GpuSequence final : public Sequence {
 public:
  // pool must outlive the sequence.
  explicit GpuSequence(GpuPagePool& pool) : pool_(pool) {}
  GpuSequence(const GpuSequence& other, int n);

  int n_left(int n) const noexcept override { return n; }
  void checkpoint() noexcept override {}
  std::unique_ptr<Sequence> fork(int n) const override;
  bool is_stored(int i) const noexcept override { return page(i)->stored; }
  bool is_whole(int /*i*/) const noexcept override { return true; }
  BlockPayload block(int i) const override;
  std::vector<std::byte> packed_rows(int i, int n) const override;
  std::vector<std::uint64_t> segments(int n) const override { return pool_.layout().segments(n); }

  // Gives the next n positions pages that no other sequence shares. Throws OutOfPages or GpuError,
  // and then changes nothing.
  void make_room(int n);
  void append(std::span<const Token> tokens) {
    tokens_.insert(tokens_.end(), tokens.begin(), tokens.end());
  }
  const GpuPageRef& page(int i) const noexcept { return pages_[static_cast<std::size_t>(i)]; }
  int n_pages() const noexcept { return static_cast<int>(pages_.size()); }

 protected:
  int truncate_state(int n) noexcept override;
  std::optional<std::size_t> restore_state(StoredBlock& stored,
                                           std::span<const Token> tokens) override;

 private:
  std::vector<std::byte> read(int i) const;

  GpuPagePool& pool_;
  std::vector<GpuPageRef> pages_;  // covers at least all tokens
};

}  // namespace confab::engine
