// SPDX-License-Identifier: MIT
#include "app/models/fit_here.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/platform/memory.h"
#include "tests/engine/tiny_model.h"

namespace confab::app {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

constexpr std::uint64_t kGib = std::uint64_t{1} << 30;

TEST(FitHereTest, AModelFitsWhereThereIsRoomForIt) {
  const engine::TinyModelFile file;
  const ModelFacts facts = facts_of(file.path(), kGib);
  EXPECT_EQ(facts.fault, "");
  EXPECT_EQ(facts.fit, Fit::whole);
  EXPECT_EQ(facts.n_ctx, 512);
  EXPECT_GT(facts.needed_bytes, facts.summary.n_parameters * 4U);
  EXPECT_EQ(fit_text(facts), "fits here, with a context of 512 tokens");
  EXPECT_EQ(facts_of(file.path(), 1000).fit, Fit::no);
  EXPECT_THAT(fit_text(facts_of(file.path(), 1000)), StartsWith("does not fit here: it takes "));
  EXPECT_EQ(facts_of(file.path(), engine::platform::kUnknownBytes).fit, Fit::unknown);
}

TEST(FitHereTest, SpeedIsWhatMemoryAllows) {
  const engine::TinyModelFile file;
  const ModelFacts facts = facts_of(file.path(), kGib);
  EXPECT_NEAR(facts.tokens_per_second(2) * facts.bytes_per_token, 2e9, 1);
  EXPECT_GT(facts.bytes_per_token, 300'000);  // about its weights
  EXPECT_EQ(facts.tokens_per_second(0), 0);
  EXPECT_EQ(facts_of(file.path(), 1000).tokens_per_second(2), 0);
}

TEST(FitHereTest, OfAMixtureOnlyTheExpertsOfATokenAreRead) {
  const engine::TinyModelFile all({.n_expert = 8, .n_expert_used = 8});
  const engine::TinyModelFile some({.n_expert = 8, .n_expert_used = 1});
  const ModelFacts of_all = facts_of(all.path(), kGib), of_some = facts_of(some.path(), kGib);
  EXPECT_EQ(of_some.fault, "");
  EXPECT_LT(of_some.bytes_per_token, of_all.bytes_per_token);
}

TEST(FitHereTest, WhatCannotBeReadHasAFault) {
  const TempDir dir;
  const ModelFacts broken = facts_of(dir.file("b.gguf", "GGUX"), kGib);
  EXPECT_THAT(broken.fault, HasSubstr("b.gguf: "));
  EXPECT_EQ(broken.fit, Fit::unknown);
  EXPECT_THAT(fit_text(broken), StartsWith("cannot be run: "));
}

TEST(FitHereTest, AnArchitectureThatIsNotKnownStillHasItsHeader) {
  const engine::TemporaryFolder folder;
  engine::GgufWriter writer = engine::tiny_model();
  writer.remove("general.architecture").add("general.architecture", std::string("unheard-of"));
  writer.write(folder / "m.gguf");
  const ModelFacts facts = facts_of(folder / "m.gguf", kGib);
  EXPECT_EQ(facts.summary.family, "unheard-of");
  EXPECT_THAT(facts.fault, HasSubstr("unheard-of"));
}

TEST(FitHereTest, WhatIsLoadedNowMakesRoom) {
  EXPECT_GT(room_for_another().bytes, 0u);
}

TEST(FitHereTest, FiguresAreShort) {
  EXPECT_EQ(speed_text(0), "");
  EXPECT_EQ(speed_text(3.44), "3.4");
  EXPECT_EQ(speed_text(12.4), "12");
  EXPECT_EQ(name_of(Fit::from_disk), "from disk");
}

}  // namespace
}  // namespace confab::app
