// SPDX-License-Identifier: MIT
#include "engine/cache/kv_cache.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <cstring>
#include <memory>
#include <numeric>
#include <set>

#include "engine/cache/cache_type.h"
#include "engine/model/hparams.h"
#include "tests/engine/cache/memory_block_store.h"
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

#ifdef MREMAP_FIXED
constexpr bool can_map = true;
#else
constexpr bool can_map = false;
#endif

// A block in a file, as a store would give it.
struct FileBlock {
  FileBlock(std::span<const std::byte> payload, int n_rows) : file(payload), n_stored(n_rows) {}
  std::unique_ptr<StoredBlock> open(int n) const {
    return std::make_unique<NamelessBlock>(file, n_stored, n);
  }
  NamelessFile file;
  int n_stored;
};

TEST(KvCacheTest, BlocksHoldEveryRowOnce) {
  KvCache cache(sizes(), 600, Dtype::Q8_0, Dtype::F16);
  const std::size_t k_bytes = 68, v_bytes = 64;
  EXPECT_EQ(cache.block_bytes() % 65536, 0U);
  const std::size_t used = 3U * 2U * 256U * (k_bytes + v_bytes);
  EXPECT_GE(cache.block_bytes(), used);
  EXPECT_LT(cache.block_bytes(), used + 65536);

  cache.make_room(512);
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
  cache.make_room(300);
  EXPECT_EQ(cache.value_row(1, 0, 257), cache.key_row(1, 0, 257));
  EXPECT_EQ(cache.values(1, 0).dtype, Dtype::Q8_0);
  EXPECT_EQ(cache.values(1, 0).row_bytes, kernels::row_bytes(Dtype::Q8_0, 96));
  const std::size_t used = 3U * 256U * kernels::row_bytes(Dtype::Q8_0, 96);
  EXPECT_LT(cache.block_bytes(), used + 65536);
}

TEST(KvCacheTest, AttentionFindsTheRowsWhereTheyWereWritten) {
  KvCache cache(sizes(), 600, Dtype::F32, Dtype::F16);
  cache.make_room(600);
  for (const int pos : {0, 255, 256, 599}) {
    const kernels::KvRows k = cache.keys(2, 1), v = cache.values(2, 1);
    EXPECT_EQ(k.row(pos), cache.key_row(2, 1, pos));
    EXPECT_EQ(v.row(pos), cache.value_row(2, 1, pos));
    EXPECT_EQ(k.dtype, Dtype::F32);
    EXPECT_EQ(v.dtype, Dtype::F16);
  }
}

TEST(KvCacheTest, TheWholeRangeCanBeWritten) {
  KvCache cache(sizes(), 257, Dtype::F16, Dtype::F16);
  cache.make_room(257);
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
  from.make_room(512);
  for (int il = 0; il < 3; ++il) {
    for (int head = 0; head < 2; ++head) {
      for (int pos = 0; pos < 512; ++pos) {
        const float v = value(il, head, pos);
        std::memcpy(from.key_row(il, head, pos) + 63 * sizeof v, &v, sizeof v);
        std::memcpy(from.value_row(il, head, pos), &v, sizeof v);
      }
    }
  }
  from.commit(512);
  const FileBlock whole(from.block(0), 256);
  const FileBlock part(from.packed_rows(1, 40), 40);
  EXPECT_EQ(to.restore_block(0, *whole.open(256), 256), can_map ? 0 : from.block_bytes());
  EXPECT_EQ(to.restore_block(1, *part.open(10), 10), from.packed_rows(1, 10).size());
  EXPECT_EQ(to.is_mapped(0), can_map);
  EXPECT_FALSE(to.is_mapped(1));
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

// Every row of the cache in turn, made different by `seed`.
void write_rows(KvCache& cache, int begin, int end, int seed) {
  for (int il = 0; il < 3; ++il) {
    for (int head = 0; head < 2; ++head) {
      for (int pos = begin; pos < end; ++pos) {
        const int v = seed + il * 100'000 + head * 10'000 + pos;
        std::memcpy(cache.key_row(il, head, pos), &v, sizeof v);
        std::memcpy(cache.value_row(il, head, pos), &v, sizeof v);
      }
    }
  }
}

bool has_rows(KvCache& cache, int begin, int end, int seed) {
  bool same = true;
  for (int il = 0; il < 3; ++il) {
    for (int head = 0; head < 2; ++head) {
      for (int pos = begin; pos < end; ++pos) {
        const int want = seed + il * 100'000 + head * 10'000 + pos;
        same = same && std::memcmp(cache.key_row(il, head, pos), &want, sizeof want) == 0 &&
               std::memcmp(cache.value_row(il, head, pos), &want, sizeof want) == 0;
      }
    }
  }
  return same;
}

void fill(KvCache& cache, int n, int seed) {
  const int begin = cache.n_tokens();
  cache.make_room(n);
  write_rows(cache, begin, begin + n, seed);
  cache.commit(n);
}

TEST(KvCacheTest, PackedRowsComeBackWhateverTheirNumber) {
  KvCache from(sizes(), 512, Dtype::Q8_0, Dtype::F16), to(sizes(), 512, Dtype::Q8_0, Dtype::F16);
  fill(from, 400, 7);
  for (const int n : {1, 7, 144}) {
    const std::vector<std::byte> packed = from.packed_rows(1, n);
    const auto segments = from.layout().segments(n);
    EXPECT_EQ(segments.size(), 6U);  // keys and values of three layers
    EXPECT_EQ(std::accumulate(segments.begin(), segments.end(), std::size_t{0}), packed.size());
    to.truncate(0);
    fill(to, 256, 7);
    const FileBlock block(packed, n);
    EXPECT_EQ(to.restore_block(1, *block.open(n), n), packed.size());
    EXPECT_TRUE(has_rows(to, 0, 256 + n, 7)) << n;
  }
  const auto whole = from.layout().segments(256);
  EXPECT_EQ(std::accumulate(whole.begin(), whole.end(), std::size_t{0}), from.block_bytes());
  const FileBlock wrong(from.packed_rows(1, 8), 9);
  to.truncate(256);
  EXPECT_FALSE(to.restore_block(1, *wrong.open(8), 8));
  EXPECT_EQ(to.n_tokens(), 256);
}

TEST(KvCacheTest, AMappedBlockIsWrittenToOnlyInMemoryOfItsOwn) {
  KvCache from(sizes(), 768, Dtype::Q8_0, Dtype::F16), to(sizes(), 768, Dtype::Q8_0, Dtype::F16);
  fill(from, 768, 7);
  const FileBlock first(from.block(0), 256), second(from.block(1), 256);
  to.restore_block(0, *first.open(256), 256);
  to.restore_block(1, *second.open(256), 256);
  EXPECT_TRUE(has_rows(to, 0, 512, 7));
  to.truncate(300);
  fill(to, 300, 9);
  EXPECT_FALSE(to.is_mapped(1));
  EXPECT_EQ(to.is_mapped(0), can_map);
  EXPECT_TRUE(has_rows(to, 0, 300, 7));
  EXPECT_TRUE(has_rows(to, 300, 600, 9));
  to.truncate(0);
  fill(to, 600, 5);
  EXPECT_TRUE(has_rows(to, 0, 600, 5));
  KvCache again(sizes(), 768, Dtype::Q8_0, Dtype::F16);  // the files are as they were
  again.restore_block(0, *first.open(256), 256);
  again.restore_block(1, *second.open(256), 256);
  EXPECT_TRUE(has_rows(again, 0, 512, 7));
}

TEST(KvCacheTest, AWrittenBlockTakesThePlaceOfItsMemory) {
  KvCache cache(sizes(), 512, Dtype::Q8_0, Dtype::F16);
  fill(cache, 300, 7);
  const FileBlock block(cache.block(0), 256);
  replace_page(cache.pool(), *cache.page(0), *block.open(256));
  EXPECT_EQ(cache.is_mapped(0), can_map);
  EXPECT_TRUE(has_rows(cache, 0, 300, 7));
  cache.pool().stop_mapping();
  cache.truncate(0);
  fill(cache, 300, 9);
  const FileBlock other(cache.block(0), 256);
  replace_page(cache.pool(), *cache.page(0), *other.open(256));
  EXPECT_FALSE(cache.is_mapped(0));
  EXPECT_TRUE(has_rows(cache, 0, 300, 9));
}

TEST(KvCacheTest, ALostFileIsReported) {
  if (!can_map) GTEST_SKIP() << "nothing is mapped on this system";
  KvCache cache(sizes(), 1024, Dtype::Q8_0, Dtype::F16);
  fill(cache, 768, 7);
  const FileBlock first(cache.block(0), 256), second(cache.block(1), 256);
  replace_page(cache.pool(), *cache.page(0), *first.open(256));
  replace_page(cache.pool(), *cache.page(1), *second.open(256));
  EXPECT_FALSE(cache.pool().take_lost());
  second.file.truncate();
  EXPECT_FALSE(has_rows(cache, 0, 768, 7));  // and nobody dies
  const std::optional<int> slot = cache.pool().take_lost();
  ASSERT_TRUE(slot);
  EXPECT_EQ(cache.first_lost(*slot), 1);
  EXPECT_FALSE(cache.pool().take_lost());
  EXPECT_TRUE(has_rows(cache, 0, 256, 7));
  cache.truncate(256);
  fill(cache, 512, 8);
  EXPECT_TRUE(has_rows(cache, 256, 768, 8));
}

// A system that has no memory left when it is asked for some.
TEST(KvCacheTest, APoolThatGetsNoMemoryIsOfNoUseAnyMore) {
  KvCache cache(sizes(), 1024, Dtype::Q8_0, Dtype::F16);
  fill(cache, 600, 7);
  const std::vector<std::byte> payload(cache.block(1).begin(), cache.block(1).end());
  EXPECT_THAT(error_of([&] {
                HoleBlock block(payload);
                replace_page(cache.pool(), *cache.page(1), block);
              }),
              StartsWith("KV cache: no memory for "));
  EXPECT_TRUE(has_rows(cache, 0, 256, 7));
  EXPECT_THAT(error_of([&] { cache.make_room(1); }), StartsWith("KV cache: no memory for "));
  const FileBlock stored(payload, 256);
  cache.truncate(256);
  EXPECT_THAT(error_of([&] { cache.restore_block(1, *stored.open(256), 256); }),
              StartsWith("KV cache: no memory for "));
  const auto lose_a_file_there = [&] {
    const NamelessFile file(payload);
    NamelessBlock block(file, 256, 256);
    auto* place = const_cast<std::byte*>(cache.block(0).data()) + cache.block_bytes();
    if (block.payload().data() != place && !block.move_to(place)) ::_exit(1);
    file.truncate();
    ::signal(SIGBUS, SIG_DFL);  // a sanitizer has taken it
    ::_exit(std::to_integer<int>(*place));
  };
  EXPECT_EXIT(lose_a_file_there(), testing::KilledBySignal(SIGBUS), "") << "it is somebody else's";
}

TEST(KvCacheTest, LayersMayDifferOrShare) {
  Hparams hp = sizes();
  hp.layers[1] = {.n_head = 4, .n_head_kv = 4, .head_dim_k = 16, .head_dim_v = 8};
  hp.layers[2].kv_layer = 0;
  KvCache cache(hp, 300, Dtype::F32, Dtype::F16);
  const std::size_t used = 256 * (2 * (64 * 4 + 32 * 2) + 4 * (16 * 4 + 8 * 2));
  EXPECT_EQ(cache.block_bytes(), (used + 65535) / 65536 * 65536);
  cache.make_room(300);
  EXPECT_EQ(cache.key_row(2, 1, 299), cache.key_row(0, 1, 299));
  EXPECT_EQ(cache.values(2, 1).row(0), cache.values(0, 1).row(0));
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
  EXPECT_EQ(plain.rotations(0).keys, 0);
  EXPECT_EQ(plain.rotations(1).values, 0);
  EXPECT_EQ(small.rotations(0).keys, 64);
  EXPECT_EQ(small.rotations(0).values, 0) << "a head of 32";
  EXPECT_EQ(small.rotations(1).keys, 256);
  EXPECT_EQ(small.rotations(1).values, 64);
}

TEST(KvCacheTest, ALatentTurnsSoThatItIsTheBeginningOfItsRow) {
  Hparams hp = sizes();
  hp.latent.kv_rank = 512;
  hp.layers.assign(2, {.n_head = 4, .n_head_kv = 1, .head_dim_k = 576, .head_dim_v = 512});
  const KvCache cache(hp, 10, Dtype::Q8_0, Dtype::Q8_0);
  EXPECT_EQ(cache.rotations(1).keys, 64);
  EXPECT_EQ(cache.rotations(1).values, 64);
  hp.latent.kv_rank = 32;
  hp.layers.assign(2, {.n_head = 4, .n_head_kv = 1, .head_dim_k = 64, .head_dim_v = 32});
  const KvCache narrow(hp, 10, Dtype::Q8_0, Dtype::Q8_0);
  EXPECT_EQ(narrow.rotations(1).keys, 0);
  EXPECT_EQ(narrow.rotations(1).values, 0);
}

TEST(KvCacheTest, RefusesTypesItCannotHold) {
  Hparams hp = sizes();
  EXPECT_EQ(error_of([&] { KvCache(hp, 100, Dtype::Q4_K, Dtype::F16); }),
            "KV cache: type Q4_K for key, expected one of f32, f16, bf16, q8_0, q5_1, q5_0, q4_1, "
            "q4_0, iq4_nl");
  hp.layers[1].head_dim_v = 16;
  EXPECT_EQ(
      error_of([&] { KvCache(hp, 100, Dtype::Q8_0, Dtype::Q8_0); }),
      "KV cache: value heads of 16 values cannot be stored as Q8_0, which needs a multiple of "
      "32; use F16");
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
            "KV cache: the size overflows");
  EXPECT_EQ(error_of([&] { KvCache(sizes(), 0, Dtype::F32, Dtype::F32); }),
            "KV cache: a context of 0 tokens");
}

// Rows of two values each, which tell their positions.
std::vector<float> rows(int pos, int n) {
  std::vector<float> values;
  for (int i = 0; i < n; ++i) values.insert(values.end(), {float(pos + i), -float(pos + i)});
  return values;
}

TEST(OutputTailTest, KnowsTheLastRowsOfTheLastRun) {
  OutputTail tail(2);
  EXPECT_EQ(tail.row(0), nullptr);
  EXPECT_EQ(tail.row(-1), nullptr);
  tail.set(0, rows(0, 100));
  EXPECT_EQ(tail.row(100 - OutputTail::kMaxRows - 1), nullptr);
  EXPECT_EQ(tail.row(100), nullptr);
  for (int pos = 100 - OutputTail::kMaxRows; pos < 100; ++pos) {
    ASSERT_NE(tail.row(pos), nullptr) << pos;
    EXPECT_EQ(tail.row(pos)[1], -float(pos));
  }
  tail.set(100, rows(100, 3));
  EXPECT_EQ(tail.row(99), nullptr);
  EXPECT_EQ(tail.row(102)[0], 102.0F);
}

TEST(OutputTailTest, ForgetsWhatIsCut) {
  OutputTail tail(2);
  tail.set(10, rows(10, 5));
  tail.truncate(13);
  EXPECT_EQ(tail.row(13), nullptr);
  EXPECT_EQ(tail.row(12)[0], 12.0F);
  tail.truncate(4);
  EXPECT_EQ(tail.row(10), nullptr);
  tail.truncate(20);
  EXPECT_EQ(tail.row(12), nullptr);
}

TEST(OutputTailTest, KeepsNothingWhereThereIsNoHead) {
  OutputTail tail(0);
  tail.set(0, {});
  EXPECT_EQ(tail.row(0), nullptr);
}

}  // namespace
}  // namespace confab::engine
