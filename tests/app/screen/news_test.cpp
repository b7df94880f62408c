// SPDX-License-Identifier: MIT
#include "app/screen/news.h"

#include <gtest/gtest.h>

namespace confab::app {
namespace {

using namespace std::chrono_literals;

constexpr News::Clock::time_point kNow{1h};

TEST(NewsTest, ALineGoesAwayByItself) {
  News news;
  EXPECT_FALSE(news.due());
  news.tell("Copied.", kNow);
  EXPECT_EQ(news.due(), kNow + News::kShown);
  EXPECT_FALSE(news.expire(kNow + 1s));
  EXPECT_EQ(news.line(), "Copied.");
  EXPECT_TRUE(news.expire(kNow + News::kShown));
  EXPECT_EQ(news.line(), "");
  EXPECT_FALSE(news.due());
}

TEST(NewsTest, WhatHasToBeReadStaysUntilItIsAndIsToldOnce) {
  News news;
  news.fault("disk full");
  news.warn("not saved");
  news.fault("disk full");
  EXPECT_FALSE(news.expire(kNow + 1h));
  ASSERT_EQ(news.unread().size(), 2U);
  EXPECT_EQ(news.unread()[0].text, "not saved");
  EXPECT_EQ(news.unread()[1].text, "! disk full");
  EXPECT_EQ(news.unread()[1].role, ui::Role::error);
  EXPECT_TRUE(news.has_unread());
  news.read();
  EXPECT_FALSE(news.has_unread());
}

}  // namespace
}  // namespace confab::app
