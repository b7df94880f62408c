// SPDX-License-Identifier: MIT
// What must hold when a graphics processor fails: the answer goes on, and says so.
#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <regex>

#include "sessions/blocks/facts.h"
#include "tests/app/program.h"
#include "tests/engine/tiny_model.h"

namespace confab::faults {
namespace {

#ifdef CONFAB_VULKAN_SHIM

using app::RunResult;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

// And at which call it comes.
struct Fault {
  std::string name = {};
  std::size_t at = 1;
};

class DeviceFaultTest : public testing::Test {
 protected:
  RunResult run(const std::vector<std::string>& words, const Fault& fault = {},
                const std::string& input = {}) {
    std::filesystem::remove(log_);
    return app::run_program(home_, words, input,
                            {"LD_LIBRARY_PATH=" CONFAB_VULKAN_SHIM, "DEVICE_FAULT=" + fault.name,
                             "DEVICE_FAULT_AT=" + std::to_string(fault.at), "DEVICE_FREE=" + free_,
                             "DEVICE_MOST=" + most_, "DEVICE_LOG=" + log_.string()});
  }
  // What confab answers, always the same question.
  RunResult answer(const std::vector<std::string>& device, const Fault& fault = {},
                   const std::string& n_tokens = "24") {
    std::vector<std::string> words{"-m",     model_.path(), "-p", "Tell me.",   "-n",
                                   n_tokens, "--temp",      "0",  "--incognito"};
    words.insert(words.end(), device.begin(), device.end());
    return run(words, fault);
  }
  std::size_t n_logged(char call) const {
    std::ifstream log(log_);
    return static_cast<std::size_t>(
        std::count(std::istreambuf_iterator<char>(log), std::istreambuf_iterator<char>(), call));
  }
  std::size_t n_submissions() const { return n_logged('.'); }

  const engine::TinyModelFile model_;
  const TempDir home_;
  const std::filesystem::path log_ = home_.path() / "calls";
  std::string free_ = {};  // bytes of the device's memory that others have left; empty: all
  std::string most_ = {};  // bytes that its driver gives at once; empty: as it does
};

const std::vector<std::string> kProcessor{"--device", "cpu"}, kOrdered{"--device", "vulkan"},
    kHoped{"-ngl", "all"};

// Wherever the fault comes, before there is an answer or between two tokens of it: the text is that
// of a processor. (How many passes the check takes depends on the time: half of the answer is room
// for that.)
TEST_F(DeviceFaultTest, TheAnswerOfALostDeviceGoesOn) {
  const RunResult expected = answer(kProcessor);
  const RunResult whole = answer(kHoped);
  if (n_submissions() == 0) GTEST_SKIP() << "no graphics processor here: " << whole.err;
  ASSERT_EQ(whole.out, expected.out) << "floats have margins";
  const std::size_t n = n_submissions();
  ASSERT_GT(n, 20U);
  for (const std::string fault : {"lost", "gone", "full"}) {
    for (const std::size_t at : {std::size_t{1}, n - 12}) {
      SCOPED_TRACE(fault + " at " + std::to_string(at) + " of " + std::to_string(n));
      const RunResult result = answer(kHoped, {fault, at});
      EXPECT_EQ(result.status, expected.status) << result.err;
      EXPECT_EQ(result.out, expected.out);
      EXPECT_THAT(result.err, HasSubstr(fault == "full" ? "has no memory left" : "was lost"));
      EXPECT_THAT(result.err,
                  HasSubstr(at == 1 ? "runs on the processor" : "the processor goes on"));
    }
  }
}

TEST_F(DeviceFaultTest, OneThatCannotBeUsedIsRefusedAndTheProcessorOffered) {
  const RunResult expected = answer(kProcessor);
  if (answer(kOrdered).out != expected.out) GTEST_SKIP() << "no graphics processor here";
  for (const auto& [fault, why] :
       {std::pair{"taken", "has no memory left"}, std::pair{"wrong", "computes wrongly"}}) {
    SCOPED_TRACE(fault);
    const RunResult ordered = answer(kOrdered, {fault}), hoped = answer(kHoped, {fault});
    EXPECT_EQ(ordered.status, 1);
    EXPECT_EQ(ordered.out, "");
    EXPECT_THAT(ordered.err, AllOf(HasSubstr(why), HasSubstr("--device cpu")));
    EXPECT_EQ(hoped.status, expected.status);
    EXPECT_EQ(hoped.out, expected.out);
    EXPECT_THAT(hoped.err, AllOf(HasSubstr(why), HasSubstr("runs on the processor")));
  }
}

TEST_F(DeviceFaultTest, OneThatComputesWronglyIsRememberedAndNothingCopiedToIt) {
  const std::vector<std::string> words{"-m", model_.path(), "-p",   "Tell me.",
                                       "-n", "2",           "-ngl", "all"};
  run(words, {"wrong"});
  if (n_submissions() == 0) GTEST_SKIP() << "no graphics processor here";
  const RunResult again = run(words);
  EXPECT_EQ(n_submissions(), 0U);
  EXPECT_THAT(again.err, AllOf(HasSubstr("computes wrongly"), HasSubstr("runs on the processor")));
}

// By what a driver sees. Guesses that prove right need none.
TEST_F(DeviceFaultTest, ATokenTakesOneSubmission) {
  answer(kOrdered, {}, "8");
  if (n_submissions() == 0) GTEST_SKIP() << "no graphics processor here";
  const std::size_t n_first = n_submissions();
  answer(kOrdered, {}, "24");
  EXPECT_GT(n_submissions(), n_first);
  EXPECT_LE(n_submissions() - n_first, 16U);
}

TEST_F(DeviceFaultTest, WhatRunsTheModelFromThenOnIsShown) {
  const std::vector<std::string> words{"-m", model_.path(), "--plain", "-n",
                                       "8",  "-ngl",        "all",     "--incognito"};
  const std::string input = "Tell me.\n/show\n";
  const RunResult whole = run(words, {}, input);
  if (n_submissions() == 0) GTEST_SKIP() << "no graphics processor here: " << whole.err;
  EXPECT_THAT(whole.err, AllOf(HasSubstr(", beside it "), Not(HasSubstr("device   "))));
  const RunResult result = run(words, {"lost", n_submissions() - 3}, input);
  EXPECT_THAT(result.err, AllOf(Not(HasSubstr(", beside it ")),
                                HasSubstr("device   the processor: "), HasSubstr("was lost")));
}

// What the budget says is free decides, not how much there is.
TEST_F(DeviceFaultTest, WhereOthersHaveTheMemoryFewerLayersRunOnTheDevice) {
  const auto bench = [&](const std::string& free) {
    free_ = free;
    return run(
        {"bench", "-m", model_.path(), "-ngl", "all", "-c", "64", "-n", "1", "-p", "0", "-r", "1"});
  };
  const RunResult whole = bench("");
  if (n_submissions() == 0) GTEST_SKIP() << "no graphics processor here: " << whole.err;
  EXPECT_THAT(whole.err, Not(HasSubstr("layers)")));
  const auto fit = [&](const std::string& free) {
    free_ = free;
    return run({"fit", model_.path(), "-c", "64", "--json"}).out;
  };
  const auto json = nlohmann::json::parse(fit("1000000000"));
  EXPECT_EQ(json["devices"][0]["available_bytes"], 1'000'000'000);
  const std::uint64_t all = json["devices"][0]["bytes"];
  const std::string less = std::to_string(all - 1);
  EXPECT_EQ(nlohmann::json::parse(fit(less))["devices"][0]["n_layers"], 1);
  EXPECT_THAT(bench(less).err, HasSubstr("(1 of 2 layers)"));
  EXPECT_THAT(nlohmann::json::parse(fit("0"))["devices"][0]["refusal"].get<std::string>(),
              HasSubstr("has too little memory"));
  free_ = "1048576";
  EXPECT_THAT(run({"devices"}).out, HasSubstr("1.0 MiB of it free"));
}

// Memory for the blocks that the prompt cache is to keep is taken when the first one is full.
TEST_F(DeviceFaultTest, WithoutMemoryForThePromptCacheTheAnswerGoesOn) {
  const std::vector<std::string> words{"-m",       model_.path(), "-p",     std::string(300, 'x'),
                                       "-n",       "8",           "--temp", "0",
                                       "--device", "vulkan"};
  const RunResult whole = run(words);
  if (n_submissions() == 0) GTEST_SKIP() << "no graphics processor here: " << whole.err;
  const std::size_t n = n_logged('a');
  std::filesystem::remove_all(home_.path() / ".cache");
  const RunResult result = run(words, {"taken", n});
  EXPECT_EQ(result.status, whole.status) << result.err;
  EXPECT_EQ(result.out, whole.out);
  std::filesystem::remove_all(home_.path() / ".cache");
}

// Pages of the cache that lie in ranges of their own are found by the device's programs.
TEST_F(DeviceFaultTest, ACacheLargerThanADriverGivesAtOnceIsCut) {
  const std::vector<std::string> words{
      "-m", model_.path(), "-p",     std::string(300, 'x'), "-n", "8", "--temp",
      "0",  "--device",    "vulkan", "--incognito"};
  const RunResult whole = run(words);
  if (n_submissions() == 0) GTEST_SKIP() << "no graphics processor here: " << whole.err;
  const std::size_t n = n_logged('a');
  most_ = "100000";  // a page, or the largest matrix
  const RunResult cut = run(words);
  EXPECT_EQ(cut.status, whole.status) << cut.err;
  EXPECT_EQ(cut.out, whole.out);
  EXPECT_GE(n_logged('a'), n + 2);
}

TEST_F(DeviceFaultTest, AMatrixLargerThanADriverGivesAtOnceIsRefusedBeforeAnythingIsCopied) {
  const RunResult expected = answer(kProcessor);
  if (answer(kOrdered).out != expected.out) GTEST_SKIP() << "no graphics processor here";
  most_ = "50000";
  const RunResult ordered = answer(kOrdered);
  EXPECT_EQ(n_submissions(), 0U);
  EXPECT_EQ(ordered.status, 1);
  EXPECT_THAT(ordered.err, AllOf(HasSubstr("this model has a matrix of 75.0 KiB, and the driver "
                                           "gives no more than 48.8 KiB at once"),
                                 HasSubstr("--device cpu")));
  const RunResult hoped = answer(kHoped);
  EXPECT_EQ(hoped.out, expected.out);
  EXPECT_THAT(hoped.err, HasSubstr("runs on the processor"));
}

// A model that is left gives the device's memory back; going back to it copies its weights again.
TEST_F(DeviceFaultTest, CtrlCEndsTheCopyingForAQuestion) {
  const engine::TinyModelFile other({.seed = 7});
  const std::vector<std::string> words{"-m", model_.path(), "--plain", "-n",         "8", "--temp",
                                       "0",  "--device",    "vulkan",  "--incognito"};
  const std::string leave = "/model " + std::string(other.path()) + "\n";
  const std::string ask = leave + "/model " + std::string(model_.path()) + "\nTell me.\n";
  const RunResult left = run(words, {}, leave);
  if (n_submissions() == 0) GTEST_SKIP() << "no graphics processor here: " << left.err;
  const std::size_t n = n_logged('a');
  const RunResult whole = run(words, {}, ask);
  EXPECT_GT(whole.out.size(), left.out.size());
  const std::size_t n_whole = n_logged('a');
  ASSERT_GT(n_whole, n + 2) << "it is copied again";
  const RunResult ended = run(words, {"interrupt", n + 1}, ask);
  EXPECT_EQ(ended.status, 130) << ended.err;
  EXPECT_EQ(ended.out, left.out) << "no answer";
  EXPECT_LT(n_logged('a'), n_whole) << "and not all that is wanted for one";
}

TEST_F(DeviceFaultTest, CtrlCEndsTheProgramWhileWeightsAreCopied) {
  answer(kOrdered);
  if (n_submissions() == 0) GTEST_SKIP() << "no graphics processor here";
  EXPECT_EQ(answer(kOrdered, {"interrupt"}).status, 130);
  const RunResult bench =
      run({"bench", "-m", model_.path(), "--device", "vulkan", "-n", "4"}, {"interrupt"});
  EXPECT_EQ(bench.status, 130) << bench.err;
  EXPECT_EQ(bench.out, "");
}

// One whose weights are worth a device, though few of them are read.
const engine::TinyModelOptions kLarge{
    .n_layer = 1, .n_embd = 512, .n_head = 8, .n_ff = 512, .n_expert = 72};

class ChosenDeviceTest : public DeviceFaultTest {
 protected:
  // What /show and the log say of the device.
  std::string shown(const std::vector<std::string>& more = {}) {
    std::vector<std::string> words{"-m", large_.path(), "--plain"};
    words.insert(words.end(), more.begin(), more.end());
    const RunResult result = run(words, {}, "/show\n");
    const std::string all = result.out + result.err;
    const std::size_t at = all.find("device   ");
    EXPECT_NE(at, std::string::npos) << all;
    if (at == std::string::npos) return {};
    const std::size_t begin = at + 9;
    std::string said = all.substr(begin, all.find('\n', begin) - begin);
    std::ifstream log(home_.path() / ".local/state/confab/log");
    EXPECT_THAT((std::string(std::istreambuf_iterator<char>(log), {})),
                HasSubstr("Tiny Test runs on " + said));
    return said;
  }
  // The name and the value of what was measured.
  std::pair<std::string, std::string> check_kept() const {
    for (const auto& entry : std::filesystem::directory_iterator(cache_ / "facts")) {
      std::ifstream file(entry.path(), std::ios::binary);
      const std::string bytes(std::istreambuf_iterator<char>(file), {});
      const std::size_t name = bytes.find("check of "), value = bytes.find("v3 ", name);
      if (value == std::string::npos) continue;
      const std::string found = bytes.substr(name, value - name);
      return {found, sessions::recall(cache_, found).value_or("none")};
    }
    return {"none", "none"};
  }
  const engine::TinyModelFile large_{kLarge};
  const std::filesystem::path cache_ = home_.path() / ".cache/confab/kv";
};

TEST_F(ChosenDeviceTest, TheFasterOneIsTakenAndSaysWhy) {
  const std::string said = shown();
  if (n_submissions() == 0) GTEST_SKIP() << "no graphics processor here: " << said;
  static const std::regex speeds(
      "(.*): measured, .* reads ([0-9.]+) and writes ([0-9.]+) tokens a second, and the processor "
      "([0-9.]+) and ([0-9.]+)(; prompts on .*, answers on .*)?");
  std::smatch found;
  ASSERT_TRUE(std::regex_match(said, found, speeds)) << said;
  const auto times = [&](std::size_t device, std::size_t processor) {
    return std::stod(found[device]) / std::stod(found[processor]);
  };
  constexpr double kRounded = 1.3;  // what is clear, as it is shown
  if (found[6].matched)
    EXPECT_LT((times(2, 4) - 1) * (times(3, 5) - 1), 0) << said;
  else if (found[1] == "the processor")
    EXPECT_LE(times(3, 5), kRounded) << said;
  else
    EXPECT_GE(times(3, 5), 1 / kRounded) << said;
  EXPECT_EQ(shown(), said) << "it is measured once";
  EXPECT_EQ(n_submissions() == 0, found[1] == "the processor") << "nor copied";
}

// As if it had been measured on a machine where one of both reads faster, and the other writes.
TEST_F(ChosenDeviceTest, WhatEachIsFasterAtRunsOnIt) {
  shown();
  if (n_submissions() == 0) GTEST_SKIP() << "no graphics processor here";
  const auto [name, measured] = check_kept();
  ASSERT_EQ(measured.back(), '1') << "it reads the weights where they are: " << measured;
  const auto ask = [&](const std::vector<std::string>& more, const Fault& fault = {}) {
    std::vector<std::string> words{"-m", large_.path(), "-n", "24", "--temp", "0", "-p"};
    words.push_back("Tell me all that there is to say of nothing, and leave nothing out of it.");
    words.insert(words.end(), more.begin(), more.end());
    return run(words, fault);
  };
  const RunResult expected = ask({"--device", "cpu", "--incognito"});
  for (const auto& [check, use] : {std::pair{"v3 1e-06 0 2 1 1 2 1", " (prompts): measured, "},
                                   {"v3 1e-06 0 1 2 2 1 1", " (answers): measured, "}}) {
    SCOPED_TRACE(use);
    const auto forget_blocks = [&, text = check] {
      for (const auto& entry : std::filesystem::directory_iterator(cache_))
        if (entry.path().filename() != "facts") std::filesystem::remove_all(entry.path());
      sessions::remember(cache_, name, text);
    };
    forget_blocks();
    EXPECT_THAT(shown(), AllOf(HasSubstr(use), HasSubstr("; prompts on "),
                               HasSubstr(", answers on "), HasSubstr("the processor")));
    EXPECT_EQ(ask({}).out, expected.out);
    const std::size_t n = n_submissions();
    ASSERT_GT(n, 2U);
    EXPECT_EQ(ask({}).out, expected.out) << "from the prompt cache";
    forget_blocks();
    const RunResult lost = ask({}, {"lost", n - 1});
    EXPECT_EQ(lost.out, expected.out);
    EXPECT_THAT(lost.err, HasSubstr("the processor goes on"));
  }
}

TEST_F(ChosenDeviceTest, OneThatCannotRunTheModelIsLeftAloneAndSaysWhy) {
  const std::string said = shown({"--cache-type-k", "q4_0"});
  EXPECT_EQ(n_submissions(), 0U);
  EXPECT_THAT(said, testing::StartsWith("the processor: "));
  EXPECT_THAT(said,
              testing::AnyOf(HasSubstr("there is no graphics processor"),
                             HasSubstr("cannot run it: this model would have a cache of Q4_0")));
}

TEST_F(ChosenDeviceTest, OneThatComputesWronglyIsLeftAloneAndSaysSo) {
  const std::vector<std::string> words{"-m", large_.path(), "--plain"};
  const RunResult result = run(words, {"wrong"}, "/show\n");
  if (n_submissions() == 0) GTEST_SKIP() << "no graphics processor here: " << result.err;
  EXPECT_THAT(result.err,
              AllOf(HasSubstr("runs on the processor: "), HasSubstr("device   the processor: "),
                    HasSubstr(" computes wrongly (its logits are off by ")));
}

TEST_F(ChosenDeviceTest, WhatIsAskedForNeedsNoReason) {
  const std::vector<std::string> words{"-m", large_.path(), "--plain", "--device", "cpu"};
  EXPECT_THAT(run(words, {}, "/show\n").err,
              AllOf(HasSubstr("engine   "), Not(HasSubstr("device   "))));
}

#endif

}  // namespace
}  // namespace confab::faults
