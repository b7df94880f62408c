// SPDX-License-Identifier: MIT
#include "engine/cache/kv_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cstring>
#include <string_view>

#include "engine/cache/cache_type.h"
#include "engine/error.h"
#include "engine/model/hparams.h"
#include "engine/platform/mapped_range.h"

namespace confab::engine {
namespace {

// The largest page size of the systems we run on, so a block can be mapped from a file on all of
// them.
constexpr std::size_t kBlockAlignment = 64 * 1024;

// Bytes of a row of `n` values in the cache. Checks the type.
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

std::size_t rows_of(int n_heads, int n_tokens) {
  return static_cast<std::size_t>(n_heads) * static_cast<std::size_t>(n_tokens);
}

}  // namespace

KvLayout::Slice KvLayout::take(kernels::Dtype dtype, std::size_t row_bytes, int n_head_kv) {
  const Slice slice{dtype, row_bytes, block_bytes_};
  const std::size_t n_rows = rows_of(n_head_kv, kBlockTokens);
  block_bytes_ = checked_sum(block_bytes_, checked_product(n_rows, row_bytes));
  return slice;
}

KvLayout::KvLayout(const Hparams& hp, kernels::Dtype type_k, kernels::Dtype type_v) {
  for (const LayerHparams& layer : hp.layers) {
    if (layer.kv_layer >= 0) {
      layers_.push_back(layers_[static_cast<std::size_t>(layer.kv_layer)]);
      continue;
    }
    const std::size_t k_bytes = cache_row_bytes("key", type_k, layer.head_dim_k);
    if (hp.latent.kv_rank > 0) {  // a row begins with the latent, which is also the value
      cache_row_bytes("value", type_k, layer.head_dim_v);
      const Slice both = take(type_k, k_bytes, layer.n_head_kv);
      const int turn = key_rotation(type_k, layer.head_dim_k | layer.head_dim_v);
      layers_.push_back({layer.n_head_kv, both, both, {turn, turn}});  // divides both head sizes
      continue;
    }
    const std::size_t v_bytes = cache_row_bytes("value", type_v, layer.head_dim_v);
    const Slice k = take(type_k, k_bytes, layer.n_head_kv);
    layers_.push_back(
        {layer.n_head_kv,
         k,
         take(type_v, v_bytes, layer.n_head_kv),
         {key_rotation(type_k, layer.head_dim_k), value_rotation(type_v, layer.head_dim_v)}});
  }
  block_bytes_ = checked_sum(block_bytes_, kBlockAlignment - 1) / kBlockAlignment * kBlockAlignment;
  if (!hp.has_recurrent_layers()) find_windowed(hp);
}

// Layers may read the rows of an earlier one. Such rows count as windowed only if all their readers
// are windowed. Rows of consecutive windowed layers form one range.
void KvLayout::find_windowed(const Hparams& hp) {
  std::vector<bool> slides(hp.layers.size());
  for (std::size_t il = 0; il < slides.size(); ++il) {
    const LayerHparams& layer = hp.layers[il];
    slides[il] = layer.window > 0;
    if (layer.kv_layer >= 0 && !slides[il])
      slides[static_cast<std::size_t>(layer.kv_layer)] = false;
    window_ = std::max(window_, layer.window);
  }
  for (std::size_t il = 0; il < slides.size(); ++il) {
    if (!slides[il] || hp.layers[il].kv_layer >= 0) continue;
    const Layer& layer = layers_[il];
    const std::size_t end =
        layer.v.offset + layer.v.row_bytes * rows_of(layer.n_head_kv, kBlockTokens);
    if (windowed_.empty() || windowed_.back().end != layer.k.offset)
      windowed_.push_back({layer.k.offset, end});
    else
      windowed_.back().end = end;
  }
  const std::size_t page = platform::page_bytes();
  for (Range& range : windowed_)
    range = {(range.begin + page - 1) / page * page, range.end / page * page};
  std::erase_if(windowed_, [](const Range& range) { return range.begin >= range.end; });
}

std::size_t KvLayout::windowed_bytes() const noexcept {
  std::size_t n_bytes = 0;
  for (const Range& range : windowed_) n_bytes += range.end - range.begin;
  return n_bytes;
}

int KvLayout::n_unspent(int n_ctx, int n_batch) const noexcept {
  const int n_all = count_blocks(n_ctx);
  if (windowed_.empty()) return n_all;
  const std::int64_t n_read = std::int64_t{window_} - 1 + kWindowSlack + n_batch;
  return std::min(n_all, count_blocks(static_cast<int>(std::min<std::int64_t>(n_read, n_ctx))) + 1);
}

const KvLayout::Layer& KvLayout::layer(int il) const noexcept {
  assert(il >= 0 && static_cast<std::size_t>(il) < layers_.size());
  return layers_[static_cast<std::size_t>(il)];
}

template <typename F>
void KvLayout::for_each_slice(F f) const {
  std::size_t end = 0;  // of the slices seen; layers may share the place of an earlier one
  for (const Layer& layer : layers_) {
    for (const Slice* slice : {&layer.k, &layer.v}) {
      if (slice->offset < end) continue;
      f(*slice, layer.n_head_kv);
      end = slice->offset + slice->row_bytes * rows_of(layer.n_head_kv, kBlockTokens);
    }
  }
}

std::vector<std::uint64_t> KvLayout::segments(int n) const {
  std::vector<std::uint64_t> sizes;
  std::size_t total = 0;
  for_each_slice([&](const Slice& slice, int n_head_kv) {
    sizes.push_back(slice.row_bytes * rows_of(n_head_kv, n));
    total += sizes.back();
  });
  if (n == kBlockTokens && total < block_bytes_) sizes.push_back(block_bytes_ - total);
  return sizes;
}

std::size_t KvLayout::payload_bytes(int n) const noexcept {
  if (n == kBlockTokens) return block_bytes_;
  std::size_t n_bytes = 0;
  for_each_slice([&](const Slice& slice, int n_head_kv) {
    n_bytes += slice.row_bytes * rows_of(n_head_kv, n);
  });
  return n_bytes;
}

std::vector<std::byte> KvLayout::packed_rows(const std::byte* block, int n) const {
  std::vector<std::byte> packed;
  packed.reserve(payload_bytes(n));
  for_each_slice([&](const Slice& slice, int n_head_kv) {
    for (int head = 0; head < n_head_kv; ++head) {
      const std::byte* rows = block + row_offset(slice, head, 0);
      packed.insert(packed.end(), rows, rows + slice.row_bytes * static_cast<std::size_t>(n));
    }
  });
  return packed;
}

// In a payload, a slice begins where the slices before it end, and all are shorter in proportion.
void KvLayout::copy_rows(const std::byte* payload, int n_stored, int n,
                         std::byte* block) const noexcept {
  for_each_slice([&](const Slice& slice, int n_head_kv) {
    const std::byte* rows =
        payload + slice.offset / kBlockTokens * static_cast<std::size_t>(n_stored);
    for (int head = 0; head < n_head_kv; ++head) {
      std::memcpy(block + row_offset(slice, head, 0),
                  rows + slice.row_bytes * rows_of(head, n_stored),
                  slice.row_bytes * static_cast<std::size_t>(n));
    }
  });
}

}  // namespace confab::engine
