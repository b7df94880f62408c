// SPDX-License-Identifier: MIT
// What must hold when a graphics processor fails: the answer goes on, and says so.
#include <gmock/gmock.h>

#include <filesystem>

#include "tests/app/program.h"
#include "tests/engine/tiny_model.h"

namespace confab::faults {
namespace {

#ifdef CONFAB_VULKAN_SHIM

using app::RunResult;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class DeviceFaultTest : public testing::Test {
 protected:
  // What confab answers, always the same question.
  RunResult answer(std::vector<std::string> device, const std::string& fault = {},
                   std::size_t at = 1) {
    std::vector<std::string> words{"-m", model_.path(), "-p", "Tell me.",   "-n",
                                   "24", "--temp",      "0",  "--incognito"};
    words.insert(words.end(), device.begin(), device.end());
    std::filesystem::remove(log_);
    return app::run_program(
        home_, words, {},
        {"LD_LIBRARY_PATH=" CONFAB_VULKAN_SHIM, "DEVICE_FAULT=" + fault,
         "DEVICE_FAULT_AT=" + std::to_string(at), "DEVICE_LOG=" + log_.string()});
  }
  std::size_t n_submissions() const {
    return std::filesystem::exists(log_) ? std::filesystem::file_size(log_) : 0;
  }

  const engine::TinyModelFile model_;
  const TempDir home_;
  const std::filesystem::path log_ = home_.path() / "submissions";
};

const std::vector<std::string> kProcessor{"--device", "cpu"}, kOrdered{"--device", "vulkan"},
    kHoped{"-ngl", "all"};

// Wherever the fault comes, before there is an answer or between two tokens of it: the text is that
// of a processor. (How many passes the check takes depends on the time: the last ones are sure.)
TEST_F(DeviceFaultTest, TheAnswerOfALostDeviceGoesOn) {
  const RunResult expected = answer(kProcessor);
  const RunResult whole = answer(kHoped);
  if (n_submissions() == 0) GTEST_SKIP() << "no graphics processor here: " << whole.err;
  ASSERT_EQ(whole.out, expected.out) << "floats have margins";
  const std::size_t n = n_submissions();
  ASSERT_GT(n, 20U);
  for (const std::string fault : {"lost", "full"}) {
    for (const std::size_t at : {std::size_t{1}, n - 12, n - 6}) {
      SCOPED_TRACE(fault + " at " + std::to_string(at) + " of " + std::to_string(n));
      const RunResult result = answer(kHoped, fault, at);
      EXPECT_EQ(result.status, expected.status) << result.err;
      EXPECT_EQ(result.out, expected.out);
      EXPECT_THAT(result.err, HasSubstr(fault == "lost" ? "was lost" : "has no memory left"));
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
    const RunResult ordered = answer(kOrdered, fault), hoped = answer(kHoped, fault);
    EXPECT_EQ(ordered.status, 1);
    EXPECT_EQ(ordered.out, "");
    EXPECT_THAT(ordered.err, AllOf(HasSubstr(why), HasSubstr("--device cpu")));
    EXPECT_EQ(hoped.status, expected.status);
    EXPECT_EQ(hoped.out, expected.out);
    EXPECT_THAT(hoped.err, AllOf(HasSubstr(why), HasSubstr("runs on the processor")));
  }
}

#endif

}  // namespace
}  // namespace confab::faults
