// SPDX-License-Identifier: MIT
#include "app/read_beside.h"

#include <gtest/gtest.h>

#include <string>

namespace confab::app {
namespace {

TEST(ReadBesideTest, GivesWhatWasReadOrThrown) {
  const WhileReading goes_on = [] {};
  EXPECT_EQ(read_beside([] { return std::string("text"); }, goes_on), "text");
  EXPECT_THROW(read_beside([]() -> int { throw UserError("no such file"); }, goes_on), UserError);
}

TEST(ReadBesideTest, WhoLooksEndsTheWaitAndReadingGoesOn) {
  const auto comes = std::make_shared<std::promise<void>>();
  const auto came = std::make_shared<std::promise<void>>();
  int n_looks = 0;
  const WhileReading look = [&] {
    if (++n_looks == 3) throw ReadingStopped("a.txt");
  };
  const auto read = [comes, came] {
    comes->get_future().wait();
    came->set_value();
    return 1;
  };
  EXPECT_THROW(read_beside(read, look), ReadingStopped);
  comes->set_value();
  came->get_future().wait();
}

}  // namespace
}  // namespace confab::app
