// SPDX-License-Identifier: MIT
#include "engine/remote/engine_facts.h"

#include <gtest/gtest.h>

namespace confab::engine {
namespace {

TEST(EngineFactsTest, EnginesHaveTheNamesThatPeopleKnow) {
  EXPECT_STREQ(name_of(EngineKind::llama_server), "llama-server");
  EXPECT_STREQ(name_of(EngineKind::other), "OpenAI-compatible");
}

}  // namespace
}  // namespace confab::engine
