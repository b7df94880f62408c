// SPDX-License-Identifier: MIT
#include "engine/remote/engine_facts.h"

#include <gtest/gtest.h>

namespace confab::engine {
namespace {

TEST(EngineFactsTest, EnginesHaveTheNamesThatPeopleKnow) {
  EXPECT_STREQ(name_of(EngineKind::llama_server), "llama-server");
  EXPECT_STREQ(name_of(EngineKind::other), "OpenAI-compatible");
}

TEST(EngineFactsTest, AModelIsCalledByItsEngineAndItsIdWithOneSlashBetween) {
  EXPECT_EQ(name_at("work", "org/model"), "work/org/model");
  EXPECT_EQ(name_at("127.0.0.1:8080", "/models/m.gguf"), "127.0.0.1:8080/models/m.gguf");
  EXPECT_EQ(name_at("work", "/"), "work/");
}

}  // namespace
}  // namespace confab::engine
