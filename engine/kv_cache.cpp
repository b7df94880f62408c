// SPDX-License-Identifier: MIT
#include "engine/kv_cache.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <cstring>
#include <system_error>

#include "engine/cache_type.h"
#include "engine/error.h"
#include "engine/hparams.h"

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
        fmt::format("KV cache: {} heads of {} values cannot be kept as {}, which needs "
                    "a multiple of {}; F16 can",
                    kind, n, type.name, type.block));
  }
  return kernels::row_bytes(dtype, n);
}

std::size_t checked_product(std::size_t a, std::size_t b) {
  std::size_t product = 0;
  if (__builtin_mul_overflow(a, b, &product)) throw ModelError("KV cache: its size overflows");
  return product;
}

std::size_t checked_sum(std::size_t a, std::size_t b) {
  std::size_t sum = 0;
  if (__builtin_add_overflow(a, b, &sum)) throw ModelError("KV cache: its size overflows");
  return sum;
}

std::byte* reserve(std::size_t n_bytes, int n_ctx) {
  void* range = ::mmap(nullptr, n_bytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (range == MAP_FAILED) {
    throw ModelError(fmt::format("KV cache: cannot reserve {} MiB for a context of {} tokens: {}",
                                 n_bytes >> 20, n_ctx, std::generic_category().message(errno)));
  }
  return static_cast<std::byte*>(range);
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
      const int turn = engine::key_rotation(type_k, layer.head_dim_k | layer.head_dim_v);
      layers.push_back({layer.n_head_kv, both, both, turn, turn});  // divides both
      continue;
    }
    const std::size_t v_bytes = cache_row_bytes("value", type_v, layer.head_dim_v);
    const Slice k = take(type_k, k_bytes, layer.n_head_kv);
    layers.push_back({layer.n_head_kv, k, take(type_v, v_bytes, layer.n_head_kv),
                      engine::key_rotation(type_k, layer.head_dim_k),
                      engine::value_rotation(type_v, layer.head_dim_v)});
  }
  n_bytes = checked_sum(n_bytes, kBlockAlignment - 1) / kBlockAlignment * kBlockAlignment;
  return layers;
}

std::size_t KvCache::block_bytes(const Hparams& hp, kernels::Dtype type_k, kernels::Dtype type_v) {
  std::size_t n_bytes = 0;
  lay_out(hp, type_k, type_v, n_bytes);
  return n_bytes;
}

KvCache::KvCache(const Hparams& hp, int n_ctx, kernels::Dtype type_k, kernels::Dtype type_v)
    : n_ctx_(n_ctx), layers_(lay_out(hp, type_k, type_v, block_bytes_)), recurrent_(hp) {
  if (n_ctx < 1) throw ModelError(fmt::format("KV cache: a context of {} tokens", n_ctx));
  const auto n_blocks = static_cast<std::size_t>((n_ctx - 1) / kBlockTokens + 1);
  range_bytes_ = checked_product(block_bytes_, n_blocks);
  range_ = reserve(range_bytes_, n_ctx);
}

KvCache::~KvCache() {
  ::munmap(range_, range_bytes_);
}

const KvCache::Layer& KvCache::layer(int il) const noexcept {
  assert(il >= 0 && static_cast<std::size_t>(il) < layers_.size());
  return layers_[static_cast<std::size_t>(il)];
}

std::byte* KvCache::row(const Slice& slice, int head_kv, int pos) const noexcept {
  assert(pos >= 0 && pos < n_ctx_);
  return range_ + block_bytes_ * static_cast<std::size_t>(pos / kBlockTokens) + slice.offset +
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
  return {range_ + block_bytes_ * static_cast<std::size_t>(i), block_bytes_};
}

void KvCache::restore_block(int i, std::span<const std::byte> payload, int n) noexcept {
  assert(is_made_of_blocks());
  assert(n_tokens_ == i * kBlockTokens && n >= 0 && n <= kBlockTokens);
  assert(payload.size() == block_bytes_);
  for (const Layer& layer : layers_) {
    for (int head = 0; head < layer.n_head_kv; ++head) {
      for (const Slice* slice : {&layer.k, &layer.v}) {
        std::byte* rows = row(*slice, head, i * kBlockTokens);
        const auto offset = static_cast<std::size_t>(rows - block(i).data());
        std::memcpy(rows, payload.data() + offset, slice->row_bytes * static_cast<std::size_t>(n));
      }
    }
  }
  commit(n);
}

}  // namespace confab::engine
