// SPDX-License-Identifier: MIT
#include "engine/text/text_table.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>
#include <string>

namespace confab::engine {
namespace {

TEST(TextTableTest, FindsWhatWasInserted) {
  TextTable table(2);
  EXPECT_EQ(table.find("a"), -1);
  EXPECT_TRUE(table.insert("a", 7));
  EXPECT_TRUE(table.insert(std::string("a\0b", 3), 8));
  EXPECT_EQ(table.find("a"), 7);
  EXPECT_EQ(table.find(std::string("a\0b", 3)), 8);
  EXPECT_EQ(table.find("b"), -1);
  EXPECT_EQ(table.find(""), -1);
  EXPECT_EQ(table.longest(), 3U);
}

TEST(TextTableTest, TheFirstOfEqualKeysStays) {
  TextTable table(4);
  EXPECT_TRUE(table.insert("x", 1));
  EXPECT_FALSE(table.insert("x", 2));
  EXPECT_EQ(table.find("x"), 1);
}

TEST(TextTableTest, AgreesWithAMapWhileItGrows) {
  std::mt19937 rng(20250611);
  TextTable table(0);
  std::map<std::string, int> map;
  for (int i = 0; i < 20000; ++i) {
    std::string key;
    for (std::size_t n = rng() % 20; key.size() < n;) key += static_cast<char>('a' + rng() % 3);
    EXPECT_EQ(table.insert(key, i), map.emplace(key, i).second) << key;
  }
  for (const auto& [key, id] : map) ASSERT_EQ(table.find(key), id);
}

TEST(TextTableTest, HashesDependOnEveryByte) {
  std::set<std::uint64_t> hashes;
  const std::string base(19, 'x');
  for (std::size_t i = 0; i < base.size(); ++i) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string changed = base;
      changed[i] = static_cast<char>(changed[i] ^ (1 << bit));
      hashes.insert(hash_bytes(changed));
    }
    hashes.insert(hash_bytes(base.substr(i)));
  }
  EXPECT_EQ(hashes.size(), 19U * 9);
}

}  // namespace
}  // namespace confab::engine
