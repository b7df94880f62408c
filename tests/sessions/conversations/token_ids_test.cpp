// SPDX-License-Identifier: MIT
#include "sessions/conversations/message_rows.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>

namespace confab::sessions {
namespace {

using Ids = std::vector<std::int32_t>;

TEST(TokenIdsTest, ComeBackAsTheyWere) {
  const std::int32_t most = std::numeric_limits<std::int32_t>::max();
  const std::int32_t least = std::numeric_limits<std::int32_t>::min();
  for (const Ids& ids : {Ids{}, Ids{0}, Ids{127, 128, 16383, 16384, 2097151, 2097152, 268435455},
                         Ids{268435456, most, 0, -1, least}}) {
    EXPECT_EQ(decode_token_ids(encode_token_ids(ids)), ids);
  }
  std::mt19937 rng(11);
  for (int round = 0; round < 200; ++round) {
    Ids ids(rng() % 50);
    for (auto& id : ids) id = static_cast<std::int32_t>(rng() >> (rng() % 32));
    EXPECT_EQ(decode_token_ids(encode_token_ids(ids)), ids) << "round " << round;
  }
}

TEST(TokenIdsTest, TakeTwoBytesEachInAVocabularyOfUsualSize) {
  EXPECT_EQ(encode_token_ids(Ids{5, 1000, 16000}), std::string("\x05\xe8\x07\x80\x7d"));
}

TEST(TokenIdsTest, WhatIsNoBlobOfOursIsRefused) {
  using namespace std::string_literals;
  EXPECT_FALSE(decode_token_ids("\x80"s));                      // ends within a number
  EXPECT_FALSE(decode_token_ids("\x05\xff"s));                  //
  EXPECT_FALSE(decode_token_ids("\xff\xff\xff\xff\x1f"s));      // above 32 bits
  EXPECT_FALSE(decode_token_ids("\x80\x80\x80\x80\x80\x01"s));  // six bytes
  EXPECT_FALSE(decode_token_ids("\x81\x00"s));                  // 1, written longer
  EXPECT_TRUE(decode_token_ids("\xff\xff\xff\xff\x0f"s));       // -1
}

}  // namespace
}  // namespace confab::sessions
