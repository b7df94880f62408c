// SPDX-License-Identifier: MIT
#include "engine/gpu/gpu_pages.h"

#include <algorithm>
#include <cassert>
#include <cstring>

#include "engine/cache/page_pool.h"

namespace confab::engine {

using kernels::vulkan::Buffer;
using kernels::vulkan::Commands;
using kernels::vulkan::Memory;

GpuPagePool::GpuPagePool(kernels::vulkan::Gpu& gpu, KvLayout layout, int n_pages)
    : gpu_(gpu),
      layout_(std::move(layout)),
      n_of_range_(std::max<std::size_t>(
          1, std::min<std::uint64_t>(gpu.info().most_at_once_bytes / layout_.block_bytes(),
                                     static_cast<std::uint64_t>(n_pages)))) {
  for (std::size_t left = static_cast<std::size_t>(n_pages); left > 0;) {
    const std::size_t n = std::min(left, n_of_range_);
    memory_.push_back(gpu.allocate(n * layout_.block_bytes(), Memory::device));
    left -= n;
  }
  for (int i = n_pages - 1; i >= 0; --i) free_.push_back(static_cast<std::uint32_t>(i));
}

GpuPageRef GpuPagePool::take() {
  if (free_.empty()) throw OutOfPages("KV cache: sequences have all pages");
  const std::uint32_t number = free_.back();
  free_.pop_back();
  const Place at = place(number);
  return GpuPageRef(new GpuPage{number, at.memory.address() + at.offset}, [this](GpuPage* page) {
    free_.push_back(page->number);
    delete page;
  });
}

void GpuPagePool::copy(const Place& from, const Place& to) {
  Commands commands(gpu_);
  commands.copy(from.memory, from.offset, to.memory, to.offset, layout_.block_bytes());
  commands.end();
  gpu_.run(commands);
}

GpuPageRef GpuPagePool::copy(const GpuPage& page) {
  GpuPageRef made = take();
  copy(place(page.number), place(made->number));
  return made;
}

void GpuPagePool::read(const GpuPage& page, std::span<std::byte> block) {
  assert(block.size() == layout_.block_bytes());
  if (down_.size() == 0) down_ = gpu_.allocate(block.size(), Memory::readback);
  copy(place(page.number), {down_, 0});
  std::memcpy(block.data(), down_.data(), block.size());
}

void GpuPagePool::write(const GpuPage& page, std::span<const std::byte> block) {
  assert(block.size() == layout_.block_bytes());
  if (up_.size() == 0) up_ = gpu_.allocate(block.size(), Memory::upload);
  std::memcpy(up_.data(), block.data(), block.size());
  copy({up_, 0}, place(page.number));
}

GpuSequence::GpuSequence(const GpuSequence& other, int n)
    : Sequence(std::span(other.tokens_).first(static_cast<std::size_t>(n))),
      pool_(other.pool_),
      pages_(other.pages_.begin(), other.pages_.begin() + count_blocks(n)) {}

std::unique_ptr<Sequence> GpuSequence::fork(int n) const {
  return std::make_unique<GpuSequence>(*this, n);
}

void GpuSequence::make_room(int n) {
  std::vector<GpuPageRef> pages(pages_.begin(), pages_.begin() + count_blocks(n_tokens()));
  if (n_tokens() % kBlockTokens != 0) {  // the last page will be written to
    GpuPageRef& last = pages.back();
    if (last.use_count() > 2) last = pool_.copy(*last);  // more holders than the two lists here
    last->stored = false;
  }
  while (static_cast<int>(pages.size()) < count_blocks(n_tokens() + n))
    pages.push_back(pool_.take());
  pages_ = std::move(pages);
}

int GpuSequence::truncate_state(int n) noexcept {
  pages_.resize(static_cast<std::size_t>(count_blocks(n)));
  return n;
}

std::vector<std::byte> GpuSequence::read(int i) const {
  std::vector<std::byte> bytes(pool_.layout().block_bytes());
  pool_.read(*page(i), bytes);
  return bytes;
}

BlockPayload GpuSequence::block(int i) const {
  const auto bytes = std::make_shared<const std::vector<std::byte>>(read(i));
  page(i)->stored = true;
  return {*bytes, segments(kBlockTokens), bytes};
}

std::vector<std::byte> GpuSequence::packed_rows(int i, int n) const {
  return pool_.layout().packed_rows(read(i).data(), n);
}

std::optional<std::size_t> GpuSequence::restore_state(StoredBlock& stored,
                                                      std::span<const Token> tokens) {
  const int n = static_cast<int>(tokens.size());
  const KvLayout& layout = pool_.layout();
  const std::span<const std::byte> payload = stored.payload();
  assert(n_tokens() % kBlockTokens == 0 && n >= 1 && n <= stored.n_stored());
  if (stored.n_stored() > kBlockTokens ||
      payload.size() != layout.payload_bytes(stored.n_stored())) {
    return std::nullopt;
  }
  pages_.resize(static_cast<std::size_t>(count_blocks(n_tokens())));
  GpuPageRef page = pool_.take();
  if (stored.n_stored() == kBlockTokens) {
    pool_.write(*page, payload);
    page->stored = n == kBlockTokens;
  } else {
    std::vector<std::byte> block(layout.block_bytes());
    layout.copy_rows(payload.data(), stored.n_stored(), n, block.data());
    pool_.write(*page, block);
  }
  pages_.push_back(std::move(page));
  return payload.size();
}

}  // namespace confab::engine
