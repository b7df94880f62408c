// SPDX-License-Identifier: MIT
#include "app/tools/fit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

namespace confab::app {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr std::uint64_t kMiB = 1 << 20, kGiB = std::uint64_t{1} << 30;

FitReport report(std::uint64_t available) {
  FitReport report{.name = "Some\x1b[31m Model"};
  report.plan.n_ctx = 8192;
  report.plan.memory = {.weights_bytes = 4 * kGiB,
                        .kv_bytes = kGiB,
                        .spare_bytes = kGiB / 4,
                        .scratch_bytes = kGiB / 4,
                        .process_bytes = 10 * kMiB,
                        .process_mapped_bytes = 6 * kMiB,
                        .available_bytes = available};
  report.facts = {.physical_bytes = 16 * kGiB,
                  .estimate_bytes = 9 * kGiB,
                  .mapped_bytes = kGiB,
                  .swap_bytes = 2 * kGiB,
                  .swap_used_bytes = kGiB};
  return report;
}

std::string printed(const FitReport& report) {
  std::ostringstream out;
  print_fit(report, out);
  return out.str();
}

TEST(FitReportTest, TellsThePartsAndTheMachine) {
  const std::string text = printed(report(8 * kGiB));
  EXPECT_THAT(text,
              testing::EndsWith("\n\nfits: it takes 5.2 GiB of the 8.0 GiB that may be taken\n"));
  EXPECT_THAT(text, HasSubstr("with a context of 8,192 tokens\n"));
  EXPECT_THAT(text, HasSubstr("weights, mapped from the file          4.0 GiB\n"));
  EXPECT_THAT(text, HasSubstr("at its peak"));
  EXPECT_THAT(text, HasSubstr(": 1.0 GiB anonymous, 4.0 GiB mapped\n"));
  EXPECT_THAT(text, AllOf(HasSubstr("physical"), HasSubstr("mapped by programs"),
                          HasSubstr("  in use"), Not(HasSubstr("control group"))));
  EXPECT_THAT(text, AllOf(Not(HasSubstr("draft")), Not(HasSubstr("experts"))));
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
}

TEST(FitReportTest, GraphicsProcessorsHaveALineEach) {
  FitReport there = report(8 * kGiB);
  there.n_layer = 32;
  there.devices = {{.name = "One", .n_layers = 32, .bytes = 5 * kGiB, .available_bytes = 8 * kGiB},
                   {.name = "Two", .n_layers = 20, .bytes = 3 * kGiB, .available_bytes = 4 * kGiB},
                   {.name = "Three\x1b[1m", .refusal = "cannot run it: this model is odd"}};
  const std::string text = printed(there);
  EXPECT_THAT(text,
              HasSubstr("\ngraphics processors\n"
                        "  One has room for all 32 layers: 5.0 GiB of 8.0 GiB that are free\n"
                        "  Two has room for the last 20 of 32 layers: 3.0 GiB of 4.0 GiB that "
                        "are free\n"));
  EXPECT_THAT(text, HasSubstr(" cannot run it: this model is odd\n"));
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
  std::ostringstream out;
  print_fit_json(there, out);
  const auto json = nlohmann::json::parse(out.str());
  EXPECT_EQ(json["devices"][1]["n_layers"], 20);
  EXPECT_EQ(json["devices"][2]["refusal"], "cannot run it: this model is odd");
}

TEST(FitReportTest, TheControlGroupThatDecidesIsNamed) {
  FitReport limited = report(400 * kMiB);
  limited.facts.group = engine::platform::GroupLimit{"/app", 500 * kMiB, 400 * kMiB};
  limited.advice = "with -c 512 it takes 300.0 MiB";
  const std::string text = printed(limited);
  EXPECT_THAT(text, HasSubstr("500.0 MiB  /app\n"));
  EXPECT_THAT(text, HasSubstr("400.0 MiB  by the control group\n"));
  EXPECT_THAT(text, HasSubstr("\ndoes not fit: 5.2 GiB needed, 400.0 MiB free: with -c 512 it"));
}

TEST(FitReportTest, TheLimitOnAddressSpaceThatDecidesIsNamed) {
  FitReport limited = report(400 * kMiB);
  limited.facts.address_space = engine::platform::AddressLimit{500 * kMiB, 400 * kMiB};
  const std::string text = printed(limited);
  EXPECT_THAT(text, HasSubstr("500.0 MiB  ulimit -v\n"));
  EXPECT_THAT(text, HasSubstr("400.0 MiB  by the limit on address space\n"));
  std::ostringstream out;
  print_fit_json(limited, out);
  EXPECT_EQ(nlohmann::json::parse(out.str())["machine"]["address_space"]["left_bytes"], 400 * kMiB);
}

TEST(FitReportTest, OfAMixtureItTellsWhatStaysInMemory) {
  FitReport mixture = report(4 * kGiB);
  mixture.plan.memory.expert_bytes = 3 * kGiB;
  mixture.plan.memory.expert_token_bytes = 100 * kMiB;
  mixture.plan.notice = "larger than memory";
  const std::string text = printed(mixture);
  EXPECT_THAT(text, AllOf(HasSubstr("all experts"), HasSubstr("100.0 MiB"), HasSubstr("2.2 GiB")));
  EXPECT_THAT(text, HasSubstr("\nfits but for its experts: larger than memory\n"));
}

TEST(FitReportTest, OfAnotherMachineNothingElseIsTold) {
  FitReport other = report(8 * kGiB);
  other.is_this_machine = false;
  EXPECT_THAT(printed(other), Not(HasSubstr("memory of this machine")));
  EXPECT_EQ(verdict(report(engine::platform::kUnknownBytes)),
            "it takes 5.2 GiB; nobody says how much is available");
}

TEST(FitReportTest, JsonHasTheSame) {
  std::ostringstream out;
  print_fit_json(report(8 * kGiB), out);
  const auto json = nlohmann::json::parse(out.str());
  EXPECT_EQ(json["fits"], true);
  EXPECT_EQ(json["weights_bytes"], 4 * kGiB);
  EXPECT_EQ(json["total_bytes"], 5 * kGiB + kGiB / 4);
  EXPECT_EQ(json["peak_anonymous_bytes"], kGiB + 10 * kMiB);
  EXPECT_EQ(json["peak_mapped_bytes"], 4 * kGiB + 6 * kMiB);
  EXPECT_EQ(json["machine"]["swap_used_bytes"], kGiB);
}

}  // namespace
}  // namespace confab::app
