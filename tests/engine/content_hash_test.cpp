// SPDX-License-Identifier: MIT
#include "engine/content_hash.h"

#include <gtest/gtest.h>

namespace confab::engine {
namespace {

std::uint64_t hash_of(std::string_view bytes) {
  ContentHash hash;
  hash.add_bytes(std::as_bytes(std::span(bytes)));
  return hash.value();
}

TEST(ContentHashTest, GivesThePublishedValues) {
  EXPECT_EQ(hash_of(""), 0xcbf29ce484222325U);
  EXPECT_EQ(hash_of("a"), 0xaf63dc4c8601ec8cU);
  EXPECT_EQ(hash_of("foobar"), 0x85944171f73967e8U);
}

TEST(ContentHashTest, TextsAreKeptApart) {
  ContentHash one, two;
  one.add("ab");
  one.add("c");
  two.add("a");
  two.add("bc");
  EXPECT_NE(one.value(), two.value());
}

TEST(ContentHashTest, NumbersAreLittleEndianBytes) {
  ContentHash hash;
  hash.add(0x0807060504030201U);
  EXPECT_EQ(hash.value(), hash_of("\x01\x02\x03\x04\x05\x06\x07\x08"));
}

TEST(ContentHashTest, HexHasAllDigits) {
  EXPECT_EQ(ContentHash().hex(), "cbf29ce484222325");
}

}  // namespace
}  // namespace confab::engine
