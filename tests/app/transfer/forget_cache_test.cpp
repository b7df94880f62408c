// SPDX-License-Identifier: MIT
#include "app/transfer/forget_cache.h"

#include <gtest/gtest.h>

#include "tests/sessions/blocks/kv_fixture.h"

namespace confab::app {
namespace {

using sessions::ids;
using sessions::kTestBlock;

class ForgetCacheTest : public sessions::KvFixture {
 protected:
  void keep_for(std::int64_t origin, int first) {
    store->set_origin(origin);
    keep(ids(kTestBlock, first));
    n_found(ids(kTestBlock, first));
    store->record(kTestBlock, kTestBlock, 0, 0);
    flush();
  }
};

TEST_F(ForgetCacheTest, ADeletedConversationTakesItsBlocksAlong) {
  keep_for(3, 0);
  keep_for(4, 1000);
  EXPECT_GT(forget_conversation_cache(dir / "kv", 3), sessions::kTestPayload);
  EXPECT_EQ(files().size(), 1U);
  EXPECT_EQ(n_found(ids(kTestBlock, 1000)), kTestBlock);
}

TEST_F(ForgetCacheTest, WithoutACacheNoneIsMade) {
  store.reset();
  std::filesystem::remove_all(dir / "kv");
  EXPECT_EQ(forget_conversation_cache(dir / "kv", 1), 0U);
  EXPECT_EQ(forget_conversation_cache({}, 1), 0U);
  EXPECT_FALSE(std::filesystem::exists(dir / "kv"));
}

}  // namespace
}  // namespace confab::app
