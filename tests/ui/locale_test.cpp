// SPDX-License-Identifier: MIT
#include "ui/locale.h"

#include <gtest/gtest.h>

#include <clocale>
#include <cstdlib>
#include <cwchar>
#include <string>

namespace confab::ui {
namespace {

class LocaleTest : public testing::Test {
 protected:
  void SetUp() override {
    if (const char* all = std::getenv("LC_ALL")) before_ = all;
  }
  void TearDown() override {
    if (before_.empty()) {
      unsetenv("LC_ALL");
    } else {
      setenv("LC_ALL", before_.c_str(), 1);
    }
  }

  static bool knows_utf8() {
    wchar_t c = 0;
    return std::mbtowc(&c, "界", 3) == 3 && c == L'界';
  }

  std::string before_;
};

TEST_F(LocaleTest, TheCLocaleGivesWayToUtf8) {
  setenv("LC_ALL", "C", 1);
  use_utf8_locale();
  EXPECT_TRUE(knows_utf8());
  EXPECT_STRNE(std::getenv("LC_ALL"), "C") << "readline looks there";
}

TEST_F(LocaleTest, AnUnknownOneToo) {
  setenv("LC_ALL", "xx_XX.ISO-8859-1", 1);
  use_utf8_locale();
  EXPECT_TRUE(knows_utf8());
}

TEST_F(LocaleTest, AUtf8LocaleOfTheUsersStays) {
  setenv("LC_ALL", "C.UTF-8", 1);
  use_utf8_locale();
  EXPECT_STREQ(std::setlocale(LC_CTYPE, nullptr), "C.UTF-8");
  EXPECT_STREQ(std::getenv("LC_ALL"), "C.UTF-8");
}

}  // namespace
}  // namespace confab::ui
