// SPDX-License-Identifier: MIT
#include "app/chat/convert.h"

#include <gtest/gtest.h>

namespace confab::app {
namespace {

TEST(ConvertTest, StatisticsKeepEveryFigure) {
  engine::GenerateStats stats{.n_prompt = 1,
                              .n_cached = 2,
                              .n_generated = 3,
                              .n_passes = 7,
                              .n_drafted = 8,
                              .n_accepted = 9,
                              .by_lookup = {.n_drafted = 10, .n_accepted = 11},
                              .by_model = {.n_drafted = 12, .n_accepted = 13},
                              .by_heads = {.n_drafted = 14, .n_accepted = 15}};
  stats.ttft = std::chrono::milliseconds(4);
  stats.prefill = std::chrono::milliseconds(5);
  stats.decode = std::chrono::milliseconds(6);
  const sessions::MessageStats kept = to_message_stats(stats);
  EXPECT_EQ(kept.n_prompt, 1);
  EXPECT_EQ(kept.n_cached, 2);
  EXPECT_EQ(kept.n_generated, 3);
  EXPECT_EQ(kept.n_passes, 7);
  EXPECT_EQ(kept.n_drafted, 8);
  EXPECT_EQ(kept.n_accepted, 9);
  EXPECT_EQ(kept.by_lookup, (sessions::DraftCount{10, 11}));
  EXPECT_EQ(kept.by_model, (sessions::DraftCount{12, 13}));
  EXPECT_EQ(kept.by_heads, (sessions::DraftCount{14, 15}));
  EXPECT_EQ(kept.ttft, stats.ttft);
  EXPECT_EQ(kept.prefill, stats.prefill);
  EXPECT_EQ(kept.decode, stats.decode);
  EXPECT_EQ(to_message_stats(to_generate_stats(kept)), kept);
}

TEST(ConvertTest, AnAnswerThatWasCutShortIsStopped) {
  using enum engine::FinishReason;
  for (const engine::FinishReason reason : {cancelled, length, context_full})
    EXPECT_EQ(to_message_state(reason), sessions::MessageState::stopped);
  for (const engine::FinishReason reason : {end_of_turn, stop_string})
    EXPECT_EQ(to_message_state(reason), sessions::MessageState::done);
}

TEST(ConvertTest, SamplerSettingsAsJson) {
  engine::SamplerParams params;
  params.temperature = 0.5F;
  EXPECT_NE(to_json(params).find("\"temperature\":0.5"), std::string::npos);
  EXPECT_EQ(to_json(params).find("seed"), std::string::npos);
  params.seed = 42;
  EXPECT_NE(to_json(params).find("\"seed\":42"), std::string::npos);
  params.samplers = {engine::SamplerKind::top_k};
  params.ignore_eos = true;
  EXPECT_NE(to_json(params).find("\"samplers\":\"top_k\""), std::string::npos);
  EXPECT_NE(to_json(params).find("\"ignore_eos\":true"), std::string::npos);
}

}  // namespace
}  // namespace confab::app
