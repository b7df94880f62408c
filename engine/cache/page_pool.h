// SPDX-License-Identifier: MIT
// The memory of all KV caches of one model: pages of kBlockTokens positions with counted
// references.
//
// One range is reserved once, and backed by memory only where something has been written. A page
// starts at a multiple of 64 KiB, so that a file can be mapped over it. Whoever holds a page may
// read it; whoever alone holds one that is not mapped may write to it. Confined to one thread, but
// for the last hold of a page, which any thread may give back.
//
// Where layers have a window, only some pages are whole at a time. The others are spent
// (kv_layout.h), and have no memory for what is windowed.
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
  int slot;     // in the range
  bool mapped;  // from a file, to be read only
  bool spent;   // of a file: the system may have to read what is windowed again

  // All rows are what was written.
  bool is_whole() const noexcept { return mapped || !spent; }
};
using PageRef = std::shared_ptr<Page>;

// All pages are held, or as many whole ones as may be.
class OutOfPages : public ModelError {
 public:
  using ModelError::ModelError;
};

class PagePool : public std::enable_shared_from_this<PagePool> {
 public:
  // n_whole: of n_pages, those that may be memory as a whole; 0: all. Throws ModelError when the
  // range cannot be reserved.
  static std::shared_ptr<PagePool> make(KvLayout layout, int n_pages, int n_whole = 0);
  PagePool(const PagePool&) = delete;
  PagePool& operator=(const PagePool&) = delete;

  // The memory of so many pages when all are held.
  static std::uint64_t bytes(const KvLayout& layout, int n_pages, int n_whole) noexcept {
    return static_cast<std::uint64_t>(n_pages) * layout.block_bytes() -
           static_cast<std::uint64_t>(n_pages - n_whole) * layout.windowed_bytes();
  }

  const KvLayout& layout() const noexcept { return layout_; }
  int n_pages() const noexcept { return static_cast<int>(pages_.size()); }
  int n_free() const;  // that can be taken

  // A page to write to, with anything in it. Throws OutOfPages, and ModelError when the system has
  // no memory for it: then the pool is of no use any more.
  PageRef take();
  // Throws ModelError when the pool is of no use any more.
  void check() const;
  // Maps a stored copy of this page in place of the memory that it has. False: it is copied
  // instead. Throws as take() does.
  bool map(Page& page, StoredBlock& stored);
  // No holder of this page reads what is windowed any more.
  void spend(Page& page) noexcept;
  // What is in no page that is held takes no memory any more. Throws as take() does.
  void give_back();
  // From now on blocks are copied, not mapped.
  void stop_mapping() noexcept { may_map_ = false; }

  // Some page that is mapped was lost since the last call, because the file under it was truncated
  // or could not be read: those of this slot and above may be. What was computed meanwhile is void.
  std::optional<int> take_lost() noexcept { return guard_.take_lost(); }

 private:
  struct Free {               // slots; the last is taken first
    std::vector<int> whole;   // those that were, and have their memory yet
    std::vector<int> others;  // spent, mapped or never taken
    int n_whole = 0;          // of these and of pages that are held
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
