// SPDX-License-Identifier: MIT
#include "engine/cache/kv_cache.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <cstring>
#include <system_error>

#include "engine/cache/cache_type.h"
#include "engine/error.h"
#include "engine/model/hparams.h"

namespace confab::engine {
namespace {

// The largest page size of the systems we run on: a block can be mapped from a file on all.
constexpr std::size_t kBlockAlignment = 64 * 1024;

// Bytes of a row of `n` values in the cache.
std::size_t cache_row_bytes(std::string_view kind, kernels::Dtype dtype, int n) {
  const kernels::DtypeInfo& type = kernels::info(dtype);
  if (std::ranges::find(cache_types(), dtype) == cache_types().end()) {
    throw ModelError(fmt::format("KV cache: type {} for {}, expected one of {}", type.name, kind,
                                 cache_type_names()));
  }
  if (n % type.block != 0) {
    throw ModelError(
        fmt::format("KV cache: {} heads of {} values cannot be stored as {}, which needs a "
                    "multiple of {}; use F16",
                    kind, n, type.name, type.block));
  }
  return kernels::row_bytes(dtype, n);
}

std::size_t checked_product(std::size_t a, std::size_t b) {
  std::size_t product = 0;
  if (__builtin_mul_overflow(a, b, &product)) throw ModelError("KV cache: the size overflows");
  return product;
}

std::size_t checked_sum(std::size_t a, std::size_t b) {
  std::size_t sum = 0;
  if (__builtin_add_overflow(a, b, &sum)) throw ModelError("KV cache: the size overflows");
  return sum;
}

std::size_t n_blocks_of(int n_ctx) {
  if (n_ctx < 1) throw ModelError(fmt::format("KV cache: a context of {} tokens", n_ctx));
  return static_cast<std::size_t>((n_ctx - 1) / kBlockTokens + 1);
}

std::size_t rows_of(int n_heads, int n_tokens) {
  return static_cast<std::size_t>(n_heads) * static_cast<std::size_t>(n_tokens);
}

std::span<std::byte> reserve(std::size_t n_bytes, int n_ctx) {
  void* range = ::mmap(nullptr, n_bytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (range == MAP_FAILED) {
    throw ModelError(fmt::format("KV cache: cannot reserve {} MiB for a context of {} tokens: {}",
                                 n_bytes >> 20, n_ctx, std::generic_category().message(errno)));
  }
  return {static_cast<std::byte*>(range), n_bytes};
}

}  // namespace

std::vector<KvCache::Layer> KvCache::lay_out(const Hparams& hp, kernels::Dtype type_k,
                                             kernels::Dtype type_v, std::size_t& n_bytes) {
  std::vector<Layer> layers;
  n_bytes = 0;
  const auto take = [&](kernels::Dtype dtype, std::size_t row_bytes, int n_head_kv) {
    const Slice slice{dtype, row_bytes, n_bytes};
    const std::size_t n_rows = std::size_t{kBlockTokens} * static_cast<std::size_t>(n_head_kv);
    n_bytes = checked_sum(n_bytes, checked_product(n_rows, row_bytes));
    return slice;
  };
  for (const LayerHparams& layer : hp.layers) {
    if (layer.kv_layer >= 0) {
      layers.push_back(layers[static_cast<std::size_t>(layer.kv_layer)]);
      continue;
    }
    const std::size_t k_bytes = cache_row_bytes("key", type_k, layer.head_dim_k);
    if (hp.latent.kv_rank > 0) {  // a row begins with the latent, which is the value
      cache_row_bytes("value", type_k, layer.head_dim_v);
      const Slice both = take(type_k, k_bytes, layer.n_head_kv);
      const int turn = key_rotation(type_k, layer.head_dim_k | layer.head_dim_v);
      layers.push_back({layer.n_head_kv, both, both, {turn, turn}});  // divides both
      continue;
    }
    const std::size_t v_bytes = cache_row_bytes("value", type_v, layer.head_dim_v);
    const Slice k = take(type_k, k_bytes, layer.n_head_kv);
    layers.push_back(
        {layer.n_head_kv,
         k,
         take(type_v, v_bytes, layer.n_head_kv),
         {key_rotation(type_k, layer.head_dim_k), value_rotation(type_v, layer.head_dim_v)}});
  }
  n_bytes = checked_sum(n_bytes, kBlockAlignment - 1) / kBlockAlignment * kBlockAlignment;
  return layers;
}

std::size_t kv_block_bytes(const Hparams& hp, kernels::Dtype type_k, kernels::Dtype type_v) {
  std::size_t n_bytes = 0;
  KvCache::lay_out(hp, type_k, type_v, n_bytes);
  return n_bytes;
}

KvCache::KvCache(const Hparams& hp, int n_ctx, kernels::Dtype type_k, kernels::Dtype type_v)
    : n_ctx_(n_ctx),
      layers_(lay_out(hp, type_k, type_v, block_bytes_)),
      recurrent_(hp),
      range_(reserve(checked_product(block_bytes_, n_blocks_of(n_ctx)), n_ctx)),
      mapped_(n_blocks_of(n_ctx)),
      guard_(range_.data(), range_.size(), block_bytes_) {}

const KvCache::Layer& KvCache::layer(int il) const noexcept {
  assert(il >= 0 && static_cast<std::size_t>(il) < layers_.size());
  return layers_[static_cast<std::size_t>(il)];
}

std::byte* KvCache::row(const Slice& slice, int head_kv, int pos) const noexcept {
  assert(pos >= 0 && pos < n_ctx_);
  return range_.data() + block_bytes_ * static_cast<std::size_t>(pos / kBlockTokens) +
         slice.offset +
         slice.row_bytes * static_cast<std::size_t>(head_kv * kBlockTokens + pos % kBlockTokens);
}

kernels::KvRows KvCache::rows(const Slice& slice, int head_kv) const noexcept {
  return {slice.dtype, row(slice, head_kv, 0), kBlockTokens, block_bytes_, slice.row_bytes};
}

std::byte* KvCache::key_row(int il, int head_kv, int pos) noexcept {
  return row(layer(il).k, head_kv, pos);
}
std::byte* KvCache::value_row(int il, int head_kv, int pos) noexcept {
  return row(layer(il).v, head_kv, pos);
}
kernels::KvRows KvCache::keys(int il, int head_kv) const noexcept {
  return rows(layer(il).k, head_kv);
}
kernels::KvRows KvCache::values(int il, int head_kv) const noexcept {
  return rows(layer(il).v, head_kv);
}

void KvCache::commit(int n) noexcept {
  assert(n >= 0 && n <= n_ctx_ - n_tokens_);
  n_tokens_ += n;
}

int KvCache::truncate(int n_tokens) noexcept {
  assert(n_tokens >= 0 && n_tokens <= n_tokens_);
  if (recurrent_.empty()) {
    n_tokens_ = n_tokens;
  } else if (n_tokens < n_tokens_) {
    n_tokens_ = recurrent_.rewind(n_tokens);
  }
  return n_tokens_;
}

std::span<const std::byte> KvCache::block(int i) const noexcept {
  assert(i >= 0 && i <= (n_ctx_ - 1) / kBlockTokens);
  return {range_.data() + block_bytes_ * static_cast<std::size_t>(i), block_bytes_};
}

template <typename F>
void KvCache::for_each_slice(F f) const {
  std::size_t end = 0;  // of those seen: layers may share their place with an earlier one
  for (const Layer& layer : layers_) {
    for (const Slice* slice : {&layer.k, &layer.v}) {
      if (slice->offset < end) continue;
      f(*slice, layer.n_head_kv);
      end = slice->offset + slice->row_bytes * rows_of(layer.n_head_kv, kBlockTokens);
    }
  }
}

std::vector<std::uint64_t> KvCache::segments(int n) const {
  std::vector<std::uint64_t> sizes;
  std::size_t total = 0;
  for_each_slice([&](const Slice& slice, int n_head_kv) {
    sizes.push_back(slice.row_bytes * rows_of(n_head_kv, n));
    total += sizes.back();
  });
  if (n == kBlockTokens && total < block_bytes_) sizes.push_back(block_bytes_ - total);
  return sizes;
}

std::size_t KvCache::payload_bytes(int n_rows) const noexcept {
  if (n_rows == kBlockTokens) return block_bytes_;
  std::size_t n_bytes = 0;
  for_each_slice([&](const Slice& slice, int n_head_kv) {
    n_bytes += slice.row_bytes * rows_of(n_head_kv, n_rows);
  });
  return n_bytes;
}

std::vector<std::byte> KvCache::packed_rows(int i, int n) const {
  assert(n > 0 && i * kBlockTokens + n <= n_tokens_);
  std::vector<std::byte> packed;
  packed.reserve(payload_bytes(n));
  for_each_slice([&](const Slice& slice, int n_head_kv) {
    for (int head = 0; head < n_head_kv; ++head) {
      const std::byte* rows = row(slice, head, i * kBlockTokens);
      packed.insert(packed.end(), rows, rows + slice.row_bytes * static_cast<std::size_t>(n));
    }
  });
  return packed;
}

// From a payload of n_stored rows: a slice is where all before it end, and as much shorter.
void KvCache::copy_rows(int i, const std::byte* from, int n_stored, int n) noexcept {
  for_each_slice([&](const Slice& slice, int n_head_kv) {
    const std::byte* rows = from + slice.offset / kBlockTokens * static_cast<std::size_t>(n_stored);
    for (int head = 0; head < n_head_kv; ++head) {
      std::memcpy(row(slice, head, i * kBlockTokens),
                  rows + slice.row_bytes * rows_of(head, n_stored),
                  slice.row_bytes * static_cast<std::size_t>(n));
    }
  });
}

void KvCache::make_room(int n) {
  assert(n > 0 && n <= n_ctx_ - n_tokens_);
  const int last = (n_tokens_ + n - 1) / kBlockTokens;
  if (last >= n_blocks()) fail_without_memory();
  for (int i = n_tokens_ / kBlockTokens; i <= last; ++i) {
    if (is_mapped(i)) make_private(i, std::max(0, n_tokens_ - i * kBlockTokens));
  }
}

void KvCache::fail_without_memory() const {
  throw ModelError(
      fmt::format("KV cache: no memory for {} MiB; close other programs and load the model again",
                  block_bytes_ >> 20));
}

// Gives block i memory of its own, with the first rows that it has.
void KvCache::make_private(int i, int n_rows) {
  const std::span<const std::byte> slot = block(i);
  std::vector<std::byte> rows(n_rows > 0 ? block_bytes_ : 0);
  if (n_rows > 0) std::memcpy(rows.data(), slot.data(), rows.size());
  void* address = const_cast<std::byte*>(slot.data());
  if (::mmap(address, slot.size(), PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) == MAP_FAILED) {
    // Nothing may be there now, and the addresses somebody else's by the next time.
    n_tokens_ = std::min(n_tokens_, i * kBlockTokens);
    guard_.cut(block_bytes_ * static_cast<std::size_t>(i));
    range_.cut(block_bytes_ * static_cast<std::size_t>(i), block_bytes_);
    fail_without_memory();
  }
  mapped_[static_cast<std::size_t>(i)] = false;
  if (n_rows > 0) copy_rows(i, rows.data(), kBlockTokens, n_rows);
}

bool KvCache::map_block(int i, StoredBlock& stored) {
  std::byte* slot = range_.data() + block_bytes_ * static_cast<std::size_t>(i);
  if (!may_map_ || !guard_.arm()) return false;
  if (stored.move_to(slot)) {
    mapped_[static_cast<std::size_t>(i)] = true;
    return true;
  }
  make_private(i, 0);  // whatever was there may be gone
  return false;
}

std::optional<std::size_t> KvCache::restore_block(int i, StoredBlock& stored, int n) {
  assert(is_made_of_blocks(*this));
  assert(n_tokens_ == i * kBlockTokens && n >= 1 && n <= stored.n_stored());
  if (stored.n_stored() > kBlockTokens || i * kBlockTokens + n > n_ctx_ || i >= n_blocks() ||
      stored.payload().size() != payload_bytes(stored.n_stored())) {
    return std::nullopt;
  }
  if (n == kBlockTokens && map_block(i, stored)) {
    commit(n);
    return 0;
  }
  make_room(n);
  copy_rows(i, stored.payload().data(), stored.n_stored(), n);
  commit(n);
  return payload_bytes(n);
}

void KvCache::replace_block(int i, StoredBlock& stored) {
  assert((i + 1) * kBlockTokens <= n_tokens_);
  if (stored.payload().size() != block_bytes_ || is_mapped(i)) return;
  if (!map_block(i, stored)) copy_rows(i, stored.payload().data(), kBlockTokens, kBlockTokens);
}

}  // namespace confab::engine
