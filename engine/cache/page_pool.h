// SPDX-License-Identifier: MIT
// The memory of all KV caches of one model: reference-counted pages of kBlockTokens positions.
//
// One address range is reserved at the start, and is backed by memory only where something has been
// written. Pages start at multiples of 64 KiB, so that a file can be mapped over them. Any holder
// of a page may read it; its only holder may write to it, unless it is mapped. Confined to one
// thread, except that any thread may release the last reference to a page.
//
// With windowed layers, only some pages are whole at a time. The others are spent (kv_layout.h) and
// have no memory for their windowed bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "engine/cache/block_store.h"
#include "engine/cache/kv_layout.h"
#include "engine/error.h"
#include "engine/locked.h"
#include "engine/platform/fault_guard.h"
#include "engine/platform/mapped_range.h"

namespace confab::engine {

struct Page {
  std::byte* data;
  int slot;     // index in the range
  bool mapped;  // from a file; read-only
  bool spent;   // windowed bytes were given back; if mapped, they can be read again

  // Whether all rows still have what was written.
  bool is_whole() const noexcept { return mapped || !spent; }
};
using PageRef = std::shared_ptr<Page>;

// All pages are held, or as many whole pages as are allowed.
class OutOfPages : public ModelError {
 public:
  using ModelError::ModelError;
};

class PagePool : public std::enable_shared_from_this<PagePool> {
 public:
  // n_whole: how many of n_pages may be whole at a time; 0: all. Throws ModelError if the address
  // range cannot be reserved.
  static std::shared_ptr<PagePool> make(KvLayout layout, int n_pages, int n_whole = 0);
  PagePool(const PagePool&) = delete;
  PagePool& operator=(const PagePool&) = delete;

  // Memory of so many pages when all are held.
  static std::uint64_t bytes(const KvLayout& layout, int n_pages, int n_whole) noexcept {
    return static_cast<std::uint64_t>(n_pages) * layout.block_bytes() -
           static_cast<std::uint64_t>(n_pages - n_whole) * layout.windowed_bytes();
  }

  const KvLayout& layout() const noexcept { return layout_; }
  int n_pages() const noexcept { return static_cast<int>(pages_.size()); }
  int n_free() const;  // pages that can be taken

  // Returns a page to write to, with arbitrary contents. Throws OutOfPages, and ModelError if the
  // system has no memory for it; the pool is then unusable.
  PageRef take();
  // Throws ModelError if the pool is unusable.
  void check() const;
  // Maps a stored copy over the memory of this page. Returns false if the caller must copy it
  // instead. Throws as take() does.
  bool map(Page& page, StoredBlock& stored);
  // No holder of this page will read its windowed bytes again; gives them back.
  void spend(Page& page) noexcept;
  // Gives back all memory outside pages that are held. Throws as take() does.
  void give_back();
  // From now on blocks are copied instead of mapped.
  void stop_mapping() noexcept { may_map_ = false; }

  // If a mapped page has been lost since the last call, because its file was truncated or could not
  // be read: the first slot that may be lost; the slots after it may be lost as well. Everything
  // computed meanwhile is void.
  std::optional<int> take_lost() noexcept { return guard_.take_lost(); }

 private:
  struct Free {               // slot numbers; the last is taken first
    std::vector<int> whole;   // were whole and still have their memory
    std::vector<int> others;  // spent, mapped or never taken
    int n_whole = 0;          // whole pages: in `whole`, and held
  };
  PagePool(KvLayout layout, int n_pages, int n_whole);
  std::optional<int> take_slot();
  std::span<std::byte> bytes_of(const Page& page) const noexcept;
  void make_memory(Page& page);
  void count_out() noexcept;
  [[noreturn]] void fail_without_memory() const;

  KvLayout layout_;
  platform::MappedRange range_;
  std::vector<Page> pages_;
  int max_whole_;
  mutable Locked<Free> free_;
  platform::FaultGuard guard_;
  bool may_map_ = true;
  bool failed_ = false;
};

}  // namespace confab::engine
