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

// The second of two layers may have a window.
Hparams one_head(int window = 0) {
  Hparams hp;
  hp.layers.assign(2, {.n_head = 1, .n_head_kv = 1, .head_dim_k = 4, .head_dim_v = 4});
  hp.layers[1].window = window;
  return hp;
}

// A sequence, and what its rows must be: a copy that nothing is shared with.
struct Both {
  std::unique_ptr<Sequence> sequence;
  std::vector<int> rows;
  std::size_t n_most = 0;  // rows that there ever were
  int window = 0;

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
    n_most = std::max(n_most, rows.size());
  }
  // What is left of n: all, where no more than the slack is taken back.
  void cut_rows(std::size_t n) {
    const auto n_left = static_cast<std::size_t>(sequence->n_tokens());
    if (window == 0 || n + kWindowSlack >= n_most) {
      EXPECT_EQ(n_left, n) << n_most;
    }
    EXPECT_LE(n_left, n);
    EXPECT_EQ(sequence->n_left(static_cast<int>(n_left)), static_cast<int>(n_left));
    rows.resize(n_left);
  }
  void cut(std::size_t n) {
    const int n_left = sequence->n_left(static_cast<int>(n));
    EXPECT_EQ(sequence->truncate(static_cast<int>(n)), n_left);
    cut_rows(n);
  }
  bool is_right() const {
    const auto tokens = sequence->tokens();
    if (!std::equal(tokens.begin(), tokens.end(), rows.begin(), rows.end())) return false;
    const auto is_row = [&](const kernels::KvRows& kept, std::size_t pos) {
      return std::memcmp(kept.row(static_cast<int>(pos)), &rows[pos], sizeof(int)) == 0;
    };
    for (std::size_t pos = 0; pos < rows.size(); ++pos) {
      const bool is_read = window == 0 || pos + static_cast<std::size_t>(window) > rows.size();
      if (!is_row(cache().values(0, 0), pos) || (is_read && !is_row(cache().keys(1, 0), pos)))
        return false;
    }
    return true;
  }
};

// Random growing, forking, cutting and releasing, against a model that copies.
class PagedSequencesTest : public testing::TestWithParam<int> {};

TEST_P(PagedSequencesTest, ThatSharePagesAreAsIfTheyDidNot) {
  const int window = GetParam();
  const Hparams hp = one_head(window);
  const int kContext = window > 0 ? 3000 : 1300, kPages = window > 0 ? 110 : 60;
  PagedSequences all(hp, PagePool::make(KvLayout(hp, Dtype::F32, Dtype::F32), kPages), kContext);
  std::mt19937 rng(11);
  std::vector<Both> live;
  const unsigned n_growth = window > 0 ? 700 : 150;
  int next = 0, n_shared = 0, n_spent = 0;
  for (int step = 0; step < 3000; ++step) {
    const auto what = static_cast<unsigned>(rng() % 10);
    if (live.empty() || (what == 0 && live.size() < 8)) {
      live.push_back({all.make(), {}, 0, window});
      continue;
    }
    Both& one = live[rng() % live.size()];
    const std::size_t n = one.rows.empty() ? 0 : rng() % (one.rows.size() + 1);
    if (what <= 2 && live.size() < 8) {
      Both fork{one.sequence->fork(static_cast<int>(n)), one.rows, one.n_most, window};
      fork.cut_rows(n);
      n_shared += !fork.rows.empty();
      live.push_back(std::move(fork));
    } else if (what == 3) {
      one.cut(n);
    } else if (what == 4) {
      std::swap(one, live.back());
      live.pop_back();
    } else {
      const int room = kContext - static_cast<int>(one.rows.size());
      const int n_more = std::min(room, 1 + static_cast<int>(rng() % n_growth));
      for (int i = 0; i < n_more; ++i) one.grow(next++);
      all.release_spent();
      for (int i = 0; i < one.cache().layout().n_spent(static_cast<int>(one.rows.size())); ++i)
        n_spent += one.cache().page(i)->is_whole() ? 0 : 1;
    }
    if (step % 50 == 0) {
      for (const Both& both : live) ASSERT_TRUE(both.is_right()) << step;
    }
  }
  EXPECT_GT(n_shared, 100);
  EXPECT_EQ(n_spent > 100, window > 0) << n_spent;
  live.clear();
  EXPECT_EQ(all.pool().n_free(), kPages);
}

INSTANTIATE_TEST_SUITE_P(Windows, PagedSequencesTest, testing::Values(0, 300));

// A page is spent when nobody who holds it reads it any more.
TEST(PagedSequenceTest, AForkThatStaysBehindKeepsItsRows) {
  const Hparams hp = one_head(100);
  PagedSequences all(hp, PagePool::make(KvLayout(hp, Dtype::F32, Dtype::F32), 20), 4096);
  const auto grow = [&](Both& both, int n) {
    for (int i = 0; i < n; ++i) both.grow(i);
    all.release_spent();
  };
  Both one{all.make(), {}, 0, 100};
  grow(one, 700);
  Both fork{one.sequence->fork(700), one.rows, 700, 100};
  grow(one, 2000);
  EXPECT_TRUE(one.is_right());
  EXPECT_TRUE(fork.is_right());
  EXPECT_EQ(fork.sequence->n_left(400), 400);
  EXPECT_TRUE(one.cache().page(1)->is_whole());
  EXPECT_FALSE(one.cache().page(4)->is_whole());
  EXPECT_EQ(one.sequence->n_left(1400), 512) << "what is shared";
  grow(fork, 1500);
  EXPECT_FALSE(one.cache().page(1)->is_whole());
  EXPECT_TRUE(one.is_right());
  EXPECT_TRUE(fork.is_right());
}

// Somebody else reads the page meanwhile, such as a store.
TEST(PagedSequenceTest, APageThatIsLentIsNotSpent) {
  const Hparams hp = one_head(100);
  PagedSequences all(hp, PagePool::make(KvLayout(hp, Dtype::F32, Dtype::F32), 20), 4096);
  Both one{all.make(), {}, 0, 100};
  for (int i = 0; i < 300; ++i) one.grow(i);
  BlockPayload lent = one.sequence->block(0);
  for (int i = 0; i < 1500; ++i) one.grow(i);
  all.release_spent();
  EXPECT_TRUE(one.sequence->is_whole(0));
  EXPECT_FALSE(one.sequence->is_whole(1));
  lent.owner.reset();
  for (int i = 0; i < 256; ++i) one.grow(i);
  all.release_spent();
  EXPECT_FALSE(one.sequence->is_whole(0));
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
