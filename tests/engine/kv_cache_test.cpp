// SPDX-License-Identifier: MIT
#include "engine/kv_cache.h"

#include <gmock/gmock.h>

#include <cstring>
#include <set>

#include "engine/cache_type.h"
#include "engine/hparams.h"
#include "tests/engine/error_of.h"

namespace confab::engine {
namespace {

using kernels::Dtype;
using testing::StartsWith;

Hparams sizes() {
  Hparams hp;
  hp.layers.assign(3, {.n_head = 4, .n_head_kv = 2, .head_dim_k = 64, .head_dim_v = 32});
  return hp;
}

TEST(KvCacheTest, BlocksHoldEveryRowOnce) {
  KvCache cache(sizes(), 600, Dtype::Q8_0, Dtype::F16);
  const std::size_t k_bytes = 68, v_bytes = 64;
  EXPECT_EQ(cache.block_bytes() % 65536, 0U);
  const std::size_t used = 3U * 2U * 256U * (k_bytes + v_bytes);
  EXPECT_GE(cache.block_bytes(), used);
  EXPECT_LT(cache.block_bytes(), used + 65536);

  std::set<std::byte*> bytes;
  for (int il = 0; il < 3; ++il) {
    for (int head = 0; head < 2; ++head) {
      for (int pos = 256; pos < 512; ++pos) {
        for (std::size_t i = 0; i < k_bytes; ++i) bytes.insert(cache.key_row(il, head, pos) + i);
        for (std::size_t i = 0; i < v_bytes; ++i) bytes.insert(cache.value_row(il, head, pos) + i);
      }
    }
  }
  EXPECT_EQ(bytes.size(), used);  // no two rows overlap
  EXPECT_EQ(*bytes.begin(), cache.block(1).data());
  EXPECT_LE(*bytes.rbegin(), cache.block(1).data() + used - 1);
}

TEST(KvCacheTest, ALatentIsKeyAndValueOfOneRow) {
  Hparams hp;
  hp.latent.kv_rank = 64;
  hp.layers.assign(3, {.n_head = 4, .n_head_kv = 1, .head_dim_k = 96, .head_dim_v = 64});
  KvCache cache(hp, 300, Dtype::Q8_0, Dtype::F32);
  EXPECT_EQ(cache.value_row(1, 0, 257), cache.key_row(1, 0, 257));
  EXPECT_EQ(cache.values(1, 0).dtype, Dtype::Q8_0);
  EXPECT_EQ(cache.values(1, 0).row_bytes, kernels::row_bytes(Dtype::Q8_0, 96));
  const std::size_t used = 3U * 256U * kernels::row_bytes(Dtype::Q8_0, 96);
  EXPECT_LT(cache.block_bytes(), used + 65536);
}

TEST(KvCacheTest, AttentionFindsTheRowsWhereTheyWereWritten) {
  KvCache cache(sizes(), 600, Dtype::F32, Dtype::F16);
  for (const int pos : {0, 255, 256, 599}) {
    const kernels::KvRows k = cache.keys(2, 1), v = cache.values(2, 1);
    const auto at = [&](const kernels::KvRows& rows) {
      return rows.base + rows.block_stride * static_cast<std::size_t>(pos / rows.block_tokens) +
             rows.row_bytes * static_cast<std::size_t>(pos % rows.block_tokens);
    };
    EXPECT_EQ(at(k), cache.key_row(2, 1, pos));
    EXPECT_EQ(at(v), cache.value_row(2, 1, pos));
    EXPECT_EQ(k.dtype, Dtype::F32);
    EXPECT_EQ(v.dtype, Dtype::F16);
  }
}

TEST(KvCacheTest, TheWholeRangeCanBeWritten) {
  KvCache cache(sizes(), 257, Dtype::F16, Dtype::F16);
  std::memset(cache.key_row(0, 0, 0), 1, 128);
  std::memset(cache.value_row(2, 1, 256), 2, 64);
  EXPECT_EQ(cache.block(1)[0], std::byte{0});
}

TEST(KvCacheTest, CountsTokens) {
  KvCache cache(sizes(), 600, Dtype::F16, Dtype::F16);
  EXPECT_EQ(cache.n_ctx(), 600);
  EXPECT_EQ(cache.n_tokens(), 0);
  cache.commit(300);
  cache.commit(300);
  EXPECT_EQ(cache.n_tokens(), 600);
  cache.truncate(17);
  EXPECT_EQ(cache.n_tokens(), 17);
}

TEST(KvCacheTest, RestoresTheRowsOfABlock) {
  KvCache from(sizes(), 512, Dtype::F32, Dtype::F32), to(sizes(), 512, Dtype::F32, Dtype::F32);
  const auto value = [](int il, int head, int pos) {
    return static_cast<float>(il * 1000 + head * 500 + pos);
  };
  for (int il = 0; il < 3; ++il) {
    for (int head = 0; head < 2; ++head) {
      for (int pos = 0; pos < 512; ++pos) {
        const float v = value(il, head, pos);
        std::memcpy(from.key_row(il, head, pos) + 63 * sizeof v, &v, sizeof v);
        std::memcpy(from.value_row(il, head, pos), &v, sizeof v);
      }
    }
  }
  to.restore_block(0, from.block(0), 256);
  to.restore_block(1, from.block(1), 10);
  EXPECT_EQ(to.n_tokens(), 266);
  for (int il = 0; il < 3; ++il) {
    for (const int pos : {0, 255, 256, 265}) {
      float k = -1, v = -1;
      std::memcpy(&k, to.key_row(il, 1, pos) + 63 * sizeof k, sizeof k);
      std::memcpy(&v, to.value_row(il, 1, pos), sizeof v);
      EXPECT_EQ(k, value(il, 1, pos));
      EXPECT_EQ(v, value(il, 1, pos));
    }
  }
}

TEST(KvCacheTest, LayersMayDifferOrShare) {
  Hparams hp = sizes();
  hp.layers[1] = {.n_head = 4, .n_head_kv = 4, .head_dim_k = 16, .head_dim_v = 8};
  hp.layers[2].kv_layer = 0;
  KvCache cache(hp, 300, Dtype::F32, Dtype::F16);
  const std::size_t used = 256 * (2 * (64 * 4 + 32 * 2) + 4 * (16 * 4 + 8 * 2));
  EXPECT_EQ(cache.block_bytes(), (used + 65535) / 65536 * 65536);
  EXPECT_EQ(cache.block_bytes(), KvCache::block_bytes(hp, Dtype::F32, Dtype::F16));
  EXPECT_EQ(cache.key_row(2, 1, 299), cache.key_row(0, 1, 299));
  EXPECT_EQ(cache.values(2, 1).base, cache.values(0, 1).base);
  std::set<std::byte*> rows;
  for (int pos = 0; pos < 300; ++pos) {
    for (int head = 0; head < 4; ++head) rows.insert(cache.value_row(1, head, pos));
    for (int head = 0; head < 2; ++head) rows.insert(cache.value_row(0, head, pos));
  }
  EXPECT_EQ(rows.size(), 1800U);
  EXPECT_EQ(cache.keys(1, 0).row_bytes, 64U);
}

TEST(KvCacheTest, HoldsEveryTypeForKeysAndValuesApart) {
  for (const Dtype type_k : cache_types()) {
    for (const Dtype type_v : cache_types()) {
      const KvCache cache(sizes(), 10, type_k, type_v);
      EXPECT_EQ(cache.keys(1, 1).dtype, type_k);
      EXPECT_EQ(cache.keys(1, 1).row_bytes, kernels::row_bytes(type_k, 64));
      EXPECT_EQ(cache.values(1, 1).dtype, type_v);
      EXPECT_EQ(cache.values(1, 1).row_bytes, kernels::row_bytes(type_v, 32));
    }
  }
}

TEST(KvCacheTest, SaysHowRowsAreTurned) {
  Hparams hp = sizes();
  hp.layers[1].head_dim_k = hp.layers[1].head_dim_v = 256;
  const KvCache plain(hp, 10, Dtype::F32, Dtype::BF16), small(hp, 10, Dtype::Q4_0, Dtype::Q8_0);
  EXPECT_EQ(plain.key_rotation(0), 0);
  EXPECT_EQ(plain.value_rotation(1), 0);
  EXPECT_EQ(small.key_rotation(0), 64);
  EXPECT_EQ(small.value_rotation(0), 0) << "a head of 32";
  EXPECT_EQ(small.key_rotation(1), 256);
  EXPECT_EQ(small.value_rotation(1), 64);
}

TEST(KvCacheTest, ALatentTurnsSoThatItIsTheBeginningOfItsRow) {
  Hparams hp = sizes();
  hp.latent.kv_rank = 512;
  hp.layers.assign(2, {.n_head = 4, .n_head_kv = 1, .head_dim_k = 576, .head_dim_v = 512});
  const KvCache cache(hp, 10, Dtype::Q8_0, Dtype::Q8_0);
  EXPECT_EQ(cache.key_rotation(1), 64);
  EXPECT_EQ(cache.value_rotation(1), 64);
  hp.latent.kv_rank = 32;
  hp.layers.assign(2, {.n_head = 4, .n_head_kv = 1, .head_dim_k = 64, .head_dim_v = 32});
  const KvCache narrow(hp, 10, Dtype::Q8_0, Dtype::Q8_0);
  EXPECT_EQ(narrow.key_rotation(1), 0);
  EXPECT_EQ(narrow.value_rotation(1), 0);
}

TEST(KvCacheTest, RefusesTypesItCannotHold) {
  Hparams hp = sizes();
  EXPECT_EQ(error_of([&] { KvCache(hp, 100, Dtype::Q4_K, Dtype::F16); }),
            "KV cache: type Q4_K for key, expected one of f32, f16, bf16, q8_0, q5_1, q5_0, q4_1, "
            "q4_0, iq4_nl");
  hp.layers[1].head_dim_v = 16;
  EXPECT_EQ(error_of([&] { KvCache(hp, 100, Dtype::Q8_0, Dtype::Q8_0); }),
            "KV cache: value heads of 16 values cannot be kept as Q8_0, which needs a multiple of "
            "32; F16 can");
  EXPECT_EQ(error_of([&] { KvCache(hp, 100, Dtype::Q8_0, Dtype::F16); }), "");
}

TEST(KvCacheTest, RefusesContextsThatCannotBeReserved) {
  Hparams hp = sizes();
  hp.layers[0].n_head_kv = 1 << 12;
  hp.layers.assign(1 << 12, hp.layers[0]);
  EXPECT_THAT(error_of([&] { KvCache(hp, 1 << 28, Dtype::F32, Dtype::F32); }),
              StartsWith("KV cache: cannot reserve "));
  hp.layers[0] = {.n_head_kv = 1 << 30, .head_dim_k = 1 << 30, .head_dim_v = 1};
  EXPECT_EQ(error_of([&] { KvCache(hp, 1 << 28, Dtype::F32, Dtype::F32); }),
            "KV cache: its size overflows");
  EXPECT_EQ(error_of([&] { KvCache(sizes(), 0, Dtype::F32, Dtype::F32); }),
            "KV cache: a context of 0 tokens");
}

}  // namespace
}  // namespace confab::engine
