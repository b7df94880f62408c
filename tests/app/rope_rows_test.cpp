// SPDX-License-Identifier: MIT
#include "app/option_table.h"

#include <gtest/gtest.h>

#include "tests/app/cli/option_fixture.h"

namespace confab::app {
namespace {

TEST(RopeRowsTest, AreReadFromFlags) {
  const Given given =
      by_flags({"--rope-scaling", "yarn", "--rope-scale", "4", "--rope-freq-base", "1e6",
                "--yarn-orig-ctx", "32768", "--yarn-ext-factor", "0", "--yarn-attn-factor", "1.2",
                "--yarn-beta-slow", "2", "--yarn-beta-fast", "-1"});
  EXPECT_EQ(given.fault, "");
  EXPECT_EQ(given.options.model.rope, (engine::RopeOptions{.scaling = engine::RopeScaling::yarn,
                                                           .scale = 4.0F,
                                                           .freq_base = 1e6F,
                                                           .yarn_orig_ctx = 32768,
                                                           .yarn_ext_factor = 0.0F,
                                                           .yarn_attn_factor = 1.2F,
                                                           .yarn_beta_slow = 2.0F,
                                                           .yarn_beta_fast = -1.0F}));
  EXPECT_EQ(by_flags({"--rope-freq-scale", "0.5"}).options.model.rope.freq_scale, 0.5F);
}

TEST(RopeRowsTest, BadValuesGetALine) {
  EXPECT_NE(by_flags({"--rope-scaling", "ntk"}).fault.find("none, linear or yarn"),
            std::string::npos);
  for (const char* text : {"nan", "inf", "x", "", "1e10"})
    EXPECT_NE(by_flags({"--rope-scale", text}).fault.find("a number from -1 to"), std::string::npos)
        << text;
}

TEST(RopeRowsTest, AScaleIsSaidInOneWay) {
  EXPECT_NE(by_flags({"--rope-scale", "2", "--rope-freq-scale", "0.5"})
                .fault.find("cannot be used together"),
            std::string::npos);
  const ChatOptions config = by_file("rope_scale = 2\n").options;
  const engine::RopeOptions rope =
      by_flags({"--rope-freq-scale", "0.25"}, config).options.model.rope;
  EXPECT_EQ(rope.scale, std::nullopt);
  EXPECT_EQ(rope.freq_scale, 0.25F);
}

}  // namespace
}  // namespace confab::app
