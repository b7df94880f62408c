// SPDX-License-Identifier: MIT
#include "app/tools/fit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/engine/tiny_model.h"

namespace confab::app {
namespace {

using testing::HasSubstr;

constexpr int kFits = 0, kDoesNot = 4;

struct Said {
  int status;
  std::string text;
};

Said fit(const FitOptions& options) {
  std::ostringstream out;
  const int status = run_fit(options, out);
  return {status, out.str()};
}

class FitTest : public testing::Test {
 protected:
  FitOptions options(std::optional<std::uint64_t> memory = {}) const {
    FitOptions options;
    options.memory_bytes = memory;
    options.model.path = file_.path();
    return options;
  }

  const engine::TinyModelFile file_{{.n_ctx = 4096}};
};

TEST_F(FitTest, ASmallModelFitsIntoThisMachine) {
  const Said said = fit(options());
  EXPECT_EQ(said.status, kFits);
  EXPECT_THAT(said.text, testing::StartsWith("Tiny Test, with a context of 4,096 tokens\n"));
  EXPECT_THAT(said.text, HasSubstr("memory of this machine"));
  EXPECT_THAT(said.text, HasSubstr("\nfits: it takes "));
}

TEST_F(FitTest, TheContextIsWhatAnotherMachineHolds) {
  const Said said = fit(options(std::uint64_t{2} << 20));
  EXPECT_EQ(said.status, kFits) << said.text;
  EXPECT_THAT(said.text, HasSubstr("tokens instead of 4096, because"));
}

TEST_F(FitTest, WhatDoesNotFitHasAStatusAndAdvice) {
  FitOptions little = options(std::uint64_t{2} << 20);
  little.model.n_ctx = 4096;
  const Said said = fit(little);
  EXPECT_EQ(said.status, kDoesNot);
  EXPECT_THAT(said.text, HasSubstr("\ndoes not fit: "));
  EXPECT_THAT(said.text, HasSubstr(": with -c "));
  little.json = true;
  const Said json = fit(little);
  EXPECT_EQ(json.status, kDoesNot);
  EXPECT_EQ(nlohmann::json::parse(json.text)["fits"], false);
}

TEST_F(FitTest, ADraftModelIsCounted) {
  const engine::TinyModelFile draft({.seed = 7, .n_layer = 1, .n_ctx = 4096});
  FitOptions with = options();
  with.json = true;
  const auto bytes = [](const Said& said, const char* what) {
    return nlohmann::json::parse(said.text)[what].get<std::uint64_t>();
  };
  const Said alone = fit(with);
  with.model.draft = {.path = draft.path(), .wanted = true};
  const Said both = fit(with);
  EXPECT_EQ(bytes(alone, "draft_bytes"), 0U);
  EXPECT_GT(bytes(both, "draft_bytes"), 0U);
  EXPECT_EQ(bytes(both, "total_bytes"), bytes(alone, "total_bytes") + bytes(both, "draft_bytes"));
}

TEST_F(FitTest, OfAMixtureOnlyItsExpertsMayNotFit) {
  const engine::TinyModelFile mixture(
      {.n_embd = 256, .n_head = 4, .n_ff = 256, .n_ctx = 512, .n_expert = 16});
  FitOptions little = options(std::uint64_t{12} << 20);
  little.model.path = mixture.path();
  little.model.n_ctx = 512;
  const Said said = fit(little);
  EXPECT_EQ(said.status, kFits) << said.text;
  EXPECT_THAT(said.text, HasSubstr("\nfits but for its experts: larger than memory"));
  little.memory_bytes = std::uint64_t{1} << 20;
  EXPECT_EQ(fit(little).status, kDoesNot);
}

}  // namespace
}  // namespace confab::app
