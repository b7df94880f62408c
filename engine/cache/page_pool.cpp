// SPDX-License-Identifier: MIT
#include "engine/cache/page_pool.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <system_error>
#include <utility>

#include "engine/platform/mapped_range.h"

namespace confab::engine {
namespace {

std::span<std::byte> reserve(std::size_t page_bytes, int n_pages) {
  std::size_t n_bytes = 0;
  if (n_pages < 1 ||
      __builtin_mul_overflow(page_bytes, static_cast<std::size_t>(n_pages), &n_bytes)) {
    throw ModelError(
        fmt::format("KV cache: a context of {} tokens", std::int64_t{n_pages} * kBlockTokens));
  }
  void* range = ::mmap(nullptr, n_bytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (range == MAP_FAILED) {
    throw ModelError(fmt::format("KV cache: cannot reserve {} MiB for {} tokens: {}", n_bytes >> 20,
                                 std::int64_t{n_pages} * kBlockTokens,
                                 std::generic_category().message(errno)));
  }
  return {static_cast<std::byte*>(range), n_bytes};
}

}  // namespace

PagePool::PagePool(KvLayout layout, int n_pages, int n_whole)
    : layout_(std::move(layout)),
      range_(reserve(layout_.block_bytes(), n_pages)),
      max_whole_(n_whole > 0 ? std::min(n_whole, n_pages) : n_pages),
      guard_(range_.data(), range_.size(), layout_.block_bytes()) {
  for (int slot = 0; slot < n_pages; ++slot) {
    pages_.push_back({range_.data() + layout_.block_bytes() * static_cast<std::size_t>(slot), slot,
                      false, true});
  }
  free_.with([&](Free& free) {
    free.whole.reserve(pages_.size());  // so that releasing a page never allocates
    free.others.reserve(pages_.size());
    for (int slot = n_pages; slot-- > 0;) free.others.push_back(slot);
    return 0;
  });
}

std::shared_ptr<PagePool> PagePool::make(KvLayout layout, int n_pages, int n_whole) {
  return std::shared_ptr<PagePool>(new PagePool(std::move(layout), n_pages, n_whole));
}

int PagePool::n_free() const {
  return free_.with([this](const Free& free) {
    const int n_others = std::min(static_cast<int>(free.others.size()), max_whole_ - free.n_whole);
    return static_cast<int>(free.whole.size()) + std::max(0, n_others);
  });
}

std::span<std::byte> PagePool::bytes_of(const Page& page) const noexcept {
  return {page.data, layout_.block_bytes()};
}

void PagePool::check() const {
  if (failed_) fail_without_memory();
}

std::optional<int> PagePool::take_slot() {
  return free_.with([this](Free& free) -> std::optional<int> {
    const bool other = free.whole.empty();
    if (other && (free.others.empty() || free.n_whole >= max_whole_)) return std::nullopt;
    std::vector<int>& slots = other ? free.others : free.whole;
    const int last = slots.back();
    slots.pop_back();
    free.n_whole += other ? 1 : 0;
    return last;
  });
}

PageRef PagePool::take() {
  check();
  const std::optional<int> slot = take_slot();
  if (!slot) throw OutOfPages("KV cache: the context is full");
  const auto give_back = [pool = shared_from_this()](const Page* page) noexcept {
    pool->free_.with([page](Free& free) {
      (page->mapped || page->spent ? free.others : free.whole).push_back(page->slot);
      return 0;
    });
  };
  PageRef page(&pages_[static_cast<std::size_t>(*slot)], give_back);
  page->spent = false;
  if (page->mapped) make_memory(*page);
  return page;
}

void PagePool::fail_without_memory() const {
  throw ModelError(
      fmt::format("KV cache: no memory for {} MiB; close other programs and load the model again",
                  layout_.block_bytes() >> 20));
}

// Replaces whatever is mapped there.
void PagePool::make_memory(Page& page) {
  const std::span<std::byte> bytes = bytes_of(page);
  page.mapped = false;
  if (::mmap(bytes.data(), bytes.size(), PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) != MAP_FAILED) {
    return;
  }
  // There may be nothing mapped there now, and somebody else may get the addresses.
  failed_ = true;
  const std::size_t before = bytes.size() * static_cast<std::size_t>(page.slot);
  guard_.cut(before);
  range_.cut(before, bytes.size());
  fail_without_memory();
}

void PagePool::give_back() {
  check();
  const std::vector<int> slots = free_.with([](Free& free) {
    free.n_whole -= static_cast<int>(free.whole.size());
    free.others.insert(free.others.end(), free.whole.begin(), free.whole.end());
    free.whole.clear();
    return free.others;
  });
  for (const int slot : slots) {  // only this thread takes slots
    Page& page = pages_[static_cast<std::size_t>(slot)];
    if (page.mapped)
      make_memory(page);
    else
      platform::give_back(bytes_of(page));
  }
}

void PagePool::spend(Page& page) noexcept {
  if (std::exchange(page.spent, true)) return;
  for (const KvLayout::Range& range : layout_.windowed())
    platform::give_back(bytes_of(page).subspan(range.begin, range.end - range.begin));
  if (!page.mapped) count_out();
}

// One whole page fewer.
void PagePool::count_out() noexcept {
  free_.with([](Free& free) { return --free.n_whole; });
}

bool PagePool::map(Page& page, StoredBlock& stored) {
  assert(stored.payload().size() == layout_.block_bytes());
  check();
  if (!may_map_ || !guard_.arm()) return false;
  if (stored.move_to(page.data)) {
    if (!std::exchange(page.spent, false)) count_out();
    page.mapped = true;
    return true;
  }
  make_memory(page);  // what was there may be gone
  return false;
}

}  // namespace confab::engine
