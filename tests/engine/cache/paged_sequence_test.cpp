// SPDX-License-Identifier: MIT
#include "engine/cache/paged_sequence.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <vector>

#include "engine/model/hparams.h"

namespace confab::engine {
namespace {

using kernels::Dtype;

Hparams one_head() {
  Hparams hp;
  hp.layers.assign(2, {.n_head = 1, .n_head_kv = 1, .head_dim_k = 4, .head_dim_v = 4});
  return hp;
}

// A sequence, and what its rows must be: a copy that nothing is shared with.
struct Both {
  std::unique_ptr<Sequence> sequence;
  std::vector<int> rows;

  KvCache& cache() const { return static_cast<PagedSequence&>(*sequence).cache; }
  void grow(int value) {
    cache().make_room(1);
    const auto pos = static_cast<int>(rows.size());
    for (int il = 0; il < 2; ++il) {
      std::memcpy(cache().key_row(il, 0, pos), &value, sizeof value);
      std::memcpy(cache().value_row(il, 0, pos), &value, sizeof value);
    }
    cache().commit(1);
    static_cast<PagedSequence&>(*sequence).append(std::vector<Token>{value});
    rows.push_back(value);
  }
  void cut(std::size_t n) {
    sequence->truncate(static_cast<int>(n));
    rows.resize(n);
  }
  bool is_right() const {
    const auto tokens = sequence->tokens();
    if (!std::equal(tokens.begin(), tokens.end(), rows.begin(), rows.end())) return false;
    for (std::size_t pos = 0; pos < rows.size(); ++pos) {
      const std::byte* key = cache().keys(1, 0).row(static_cast<int>(pos));
      const std::byte* value = cache().values(0, 0).row(static_cast<int>(pos));
      if (std::memcmp(key, &rows[pos], sizeof(int)) != 0 ||
          std::memcmp(value, &rows[pos], sizeof(int)) != 0)
        return false;
    }
    return true;
  }
};

// Random growing, forking, cutting and releasing, against a model that copies.
TEST(PagedSequenceTest, SequencesThatSharePagesAreAsIfTheyDidNot) {
  const Hparams hp = one_head();
  constexpr int kContext = 1300, kPages = 60;
  PagedSequences all(hp, PagePool::make(KvLayout(hp, Dtype::F32, Dtype::F32), kPages), kContext);
  std::mt19937 rng(11);
  std::vector<Both> live;
  int next = 0, n_shared = 0;
  for (int step = 0; step < 3000; ++step) {
    const auto what = static_cast<unsigned>(rng() % 10);
    if (live.empty() || (what == 0 && live.size() < 8)) {
      live.push_back({all.make(), {}});
      continue;
    }
    Both& one = live[rng() % live.size()];
    const std::size_t n = one.rows.empty() ? 0 : rng() % (one.rows.size() + 1);
    if (what <= 2 && live.size() < 8) {
      Both fork{one.sequence->fork(static_cast<int>(n)), one.rows};
      fork.rows.resize(n);
      n_shared += n > 0;
      live.push_back(std::move(fork));
    } else if (what == 3) {
      one.cut(n);
    } else if (what == 4) {
      std::swap(one, live.back());
      live.pop_back();
    } else {
      const int room = kContext - static_cast<int>(one.rows.size());
      for (int i = 0; i < std::min<int>(room, 1 + static_cast<int>(rng() % 150)); ++i)
        one.grow(next++);
    }
    if (step % 50 == 0) {
      for (const Both& both : live) ASSERT_TRUE(both.is_right()) << step;
    }
  }
  EXPECT_GT(n_shared, 100);
  live.clear();
  EXPECT_EQ(all.pool().n_free(), kPages);
}

TEST(PagedSequenceTest, AForkCopiesNoFullPage) {
  const Hparams hp = one_head();
  PagedSequences all(hp, PagePool::make(KvLayout(hp, Dtype::F32, Dtype::F32), 8), 1024);
  Both one{all.make(), {}};
  for (int i = 0; i < 600; ++i) one.grow(i);
  EXPECT_EQ(all.pool().n_free(), 5);
  Both fork{one.sequence->fork(550), {one.rows.begin(), one.rows.begin() + 550}};
  EXPECT_EQ(all.pool().n_free(), 5) << "not even the last one, as long as nobody writes";
  fork.grow(-1);
  EXPECT_EQ(all.pool().n_free(), 4);
  EXPECT_TRUE(one.is_right());
  EXPECT_TRUE(fork.is_right());
  one.grow(601);  // alone now
  EXPECT_EQ(all.pool().n_free(), 4);
  fork.sequence.reset();
  EXPECT_EQ(all.pool().n_free(), 5);
  EXPECT_TRUE(one.is_right());
}

}  // namespace
}  // namespace confab::engine
