// SPDX-License-Identifier: MIT
#include "engine/cache/page_pool.h"

#include <gtest/gtest.h>

#include <cstring>
#include <set>
#include <thread>
#include <vector>

#include "engine/model/hparams.h"
#include "tests/engine/cache/memory_block_store.h"

namespace confab::engine {
namespace {

using kernels::Dtype;

std::shared_ptr<PagePool> pool_of(int n_pages) {
  Hparams hp;
  hp.layers.assign(1, {.n_head = 1, .n_head_kv = 1, .head_dim_k = 32, .head_dim_v = 32});
  return PagePool::make(KvLayout(hp, Dtype::F32, Dtype::F32), n_pages);
}

TEST(PagePoolTest, PagesAreApartAndComeBack) {
  const auto pool = pool_of(4);
  std::vector<PageRef> pages;
  std::set<std::byte*> places;
  for (int i = 0; i < 4; ++i) {
    pages.push_back(pool->take());
    std::memset(pages.back()->data, i, pool->layout().block_bytes());
    places.insert(pages.back()->data);
  }
  EXPECT_EQ(places.size(), 4U);
  EXPECT_EQ(pool->n_free(), 0);
  EXPECT_THROW(pool->take(), OutOfPages);
  for (int i = 0; i < 4; ++i)
    EXPECT_EQ(pages[static_cast<std::size_t>(i)]->data[7], static_cast<std::byte>(i));
  const PageRef second_hold = pages[2];
  pages.clear();
  EXPECT_EQ(pool->n_free(), 3);
}

// The memory is there as long as somebody reads it, though everybody else has gone.
TEST(PagePoolTest, APageOutlivesThePoolsUsers) {
  auto pool = pool_of(1);
  PageRef page = pool->take();
  pool.reset();
  std::jthread reader([page = std::move(page)]() mutable {
    std::memset(page->data, 1, 100);
    page.reset();
  });
}

TEST(PagePoolTest, AFileIsMappedOnceAndItsPageIsMemoryForTheNext) {
  const auto pool = pool_of(2);
  PageRef page = pool->take();
  std::memset(page->data, 5, pool->layout().block_bytes());
  const NamelessFile file({page->data, pool->layout().block_bytes()});
  NamelessBlock block(file, kBlockTokens, kBlockTokens);
#ifdef MREMAP_FIXED
  EXPECT_TRUE(pool->map(*page, block));
  EXPECT_TRUE(page->mapped);
  EXPECT_EQ(page->data[9], std::byte{5});
#endif
  const std::byte* place = page->data;
  page.reset();
  const PageRef next = pool->take();
  ASSERT_EQ(next->data, place);
  EXPECT_FALSE(next->mapped);
  std::memset(next->data, 6, 100);  // nobody dies
}

TEST(PagePoolTest, WhatIsNotToBeMappedIsNot) {
  const auto pool = pool_of(1);
  const PageRef page = pool->take();
  const NamelessFile file({page->data, pool->layout().block_bytes()});
  NamelessBlock block(file, kBlockTokens, kBlockTokens);
  pool->stop_mapping();
  EXPECT_FALSE(pool->map(*page, block));
  EXPECT_FALSE(page->mapped);
}

// Of three layers, of which the second looks back.
std::shared_ptr<PagePool> windowed_pool(int n_pages, int n_whole) {
  Hparams hp;
  hp.layers.assign(3, {.n_head = 1, .n_head_kv = 1, .head_dim_k = 32, .head_dim_v = 32});
  hp.layers[1].window = 100;
  return PagePool::make(KvLayout(hp, Dtype::F32, Dtype::F32), n_pages, n_whole);
}

TEST(PagePoolTest, ASpentPageHasNoMemoryForWhatIsWindowed) {
  const auto pool = windowed_pool(2, 2);
  const PageRef page = pool->take();
  EXPECT_TRUE(page->is_whole());
  std::memset(page->data, 5, pool->layout().block_bytes());
  pool->spend(*page);
  EXPECT_FALSE(page->is_whole());
  const auto [begin, end] = pool->layout().windowed()[0];
  EXPECT_EQ(page->data[begin - 1], std::byte{5});
  EXPECT_EQ(page->data[end], std::byte{5});
#ifdef __linux__
  EXPECT_EQ(page->data[begin], std::byte{0});
  EXPECT_EQ(page->data[end - 1], std::byte{0});
#endif
}

TEST(PagePoolTest, OnlySoManyPagesAreWholeAtATime) {
  const auto pool = windowed_pool(6, 2);
  EXPECT_EQ(pool->n_free(), 2);
  std::vector<PageRef> pages;
  for (int i = 0; i < 4; ++i) {
    pages.push_back(pool->take());
    if (i == 3) break;
    EXPECT_EQ(pool->n_free(), 1);
    pool->spend(*pages.back());
    pool->spend(*pages.back());  // once is enough
    EXPECT_EQ(pool->n_free(), 2);
  }
  pages.push_back(pool->take());
  EXPECT_EQ(pool->n_free(), 0);
  EXPECT_THROW(pool->take(), OutOfPages);
  const std::byte* place = pages.back()->data;
  pages.pop_back();
  pages.erase(pages.begin());  // spent
  EXPECT_EQ(pool->n_free(), 1);
  pages.push_back(pool->take());
  EXPECT_EQ(pages.back()->data, place) << "that has its memory yet";
  EXPECT_THROW(pool->take(), OutOfPages);
  pages.clear();
  pool->give_back();
  EXPECT_EQ(pool->n_free(), 2);
  for (int i = 0; i < 2; ++i) pages.push_back(pool->take());
  EXPECT_THROW(pool->take(), OutOfPages);
}

TEST(PagePoolTest, APageOfAFileIsWholeThoughItIsSpent) {
  const auto pool = windowed_pool(3, 1);
  const PageRef page = pool->take();
  std::memset(page->data, 5, pool->layout().block_bytes());
  const NamelessFile file({page->data, pool->layout().block_bytes()});
  NamelessBlock block(file, kBlockTokens, kBlockTokens);
  EXPECT_THROW(pool->take(), OutOfPages);
  if (!pool->map(*page, block)) GTEST_SKIP() << "this system does not map over memory";
  PageRef next = pool->take();
  EXPECT_THROW(pool->take(), OutOfPages) << "the other one is memory";
  pool->spend(*page);
  EXPECT_TRUE(page->is_whole());
  EXPECT_EQ(page->data[pool->layout().windowed()[0].begin], std::byte{5}) << "read again";
  EXPECT_THROW(pool->take(), OutOfPages) << "it was not counted";
  next.reset();
  EXPECT_EQ(pool->n_free(), 1);
}

}  // namespace
}  // namespace confab::engine
