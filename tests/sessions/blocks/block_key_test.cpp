// SPDX-License-Identifier: MIT
#include "sessions/blocks/block_key.h"

#include <gtest/gtest.h>

#include <set>
#include <vector>

namespace confab::sessions {
namespace {

TEST(BlockKeyTest, HexComesBackAsItWas) {
  const BlockKey key = root_key("fingerprint", 256);
  EXPECT_EQ(to_hex(key).size(), 32u);
  EXPECT_EQ(key_from_hex(to_hex(key)), key);
  BlockKey counting;
  for (std::size_t i = 0; i < counting.size(); ++i) counting[i] = static_cast<std::byte>(i * 17);
  EXPECT_EQ(to_hex(counting), "00112233445566778899aabbccddeeff");
}

TEST(BlockKeyTest, WhatIsNoKeyIsRefused) {
  const std::string good = to_hex(root_key("", 1));
  EXPECT_FALSE(key_from_hex(""));
  EXPECT_FALSE(key_from_hex(good.substr(1)));
  EXPECT_FALSE(key_from_hex(good + "0"));
  for (const char bad : {'g', 'A', '-', '/', ':', '`', '\0'}) {
    std::string hex = good;
    hex[13] = bad;
    EXPECT_FALSE(key_from_hex(hex)) << bad;
  }
}

TEST(BlockKeyTest, EverythingBeforeTheEndOfABlockCounts) {
  const std::vector<std::int32_t> a{1, 2, 3, 4};
  const std::vector<std::int32_t> b{1, 2, 3, 5};
  const BlockKey root = root_key("fp", 4);
  std::set<BlockKey> keys{root, root_key("fq", 4), root_key("fp", 8), root_key("", 4)};
  for (const BlockKey& parent : std::set<BlockKey>(keys)) {
    for (const auto& ids : {a, b, {1, 2, 3}, {1}}) {
      const BlockKey key = child_key(parent, ids);
      EXPECT_EQ(key, child_key(parent, ids));
      keys.insert(key);
      keys.insert(child_key(key, a));
    }
  }
  EXPECT_EQ(keys.size(), 4u + 4 * 4 * 2);
}

// Files of earlier builds stay valid: the values are part of the format.
TEST(BlockKeyTest, KeysDoNotChange) {
  const BlockKey root = root_key("example", 4);
  EXPECT_EQ(to_hex(root), "6170c12eb3722d6b241fb9084edebce6");
  const std::vector<std::int32_t> ids{1, 2, 300, 4};
  EXPECT_EQ(to_hex(child_key(root, ids)), "a1b4a0bbe65fbee15de98d4fc381577d");
}

}  // namespace
}  // namespace confab::sessions
