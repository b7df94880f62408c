// SPDX-License-Identifier: MIT
#include "engine/platform/mapped_range.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>

namespace confab::engine::platform {
namespace {

std::span<std::byte> whole_pages(std::span<std::byte> bytes) noexcept {
  const std::uintptr_t page = page_bytes();
  const auto begin = reinterpret_cast<std::uintptr_t>(bytes.data());
  const std::uintptr_t first = (begin + page - 1) / page * page;
  const std::uintptr_t end = (begin + bytes.size()) / page * page;
  return first < end ? bytes.subspan(first - begin, end - first) : std::span<std::byte>{};
}

}  // namespace

MappedRange::~MappedRange() {
  for (const std::span<std::byte> part : {bytes_, behind_}) {
    if (!part.empty()) ::munmap(part.data(), part.size());
  }
}

void MappedRange::cut(std::size_t n_bytes, std::size_t hole_bytes) noexcept {
  behind_ = bytes_.subspan(n_bytes + hole_bytes);
  bytes_ = bytes_.first(n_bytes);
}

std::size_t page_bytes() noexcept {
  return static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

void give_back(std::span<std::byte> bytes) noexcept {
  const std::span<std::byte> pages = whole_pages(bytes);
  if (pages.empty()) return;
#ifdef __APPLE__
  // On macOS, MADV_DONTNEED only makes pages the first candidates for reclaiming. MADV_FREE frees
  // private memory, and does nothing to pages of files.
  ::madvise(pages.data(), pages.size(), MADV_FREE);
#endif
  ::madvise(pages.data(), pages.size(), MADV_DONTNEED);
}

void read_soon(std::span<const std::byte> bytes) noexcept {
  const std::span<std::byte> pages =
      whole_pages({const_cast<std::byte*>(bytes.data()), bytes.size()});
  if (!pages.empty()) ::madvise(pages.data(), pages.size(), MADV_WILLNEED);
}

}  // namespace confab::engine::platform
