// SPDX-License-Identifier: MIT
#include "app/cli/candidates.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sessions/conversations/store.h"
#include "tests/app/program.h"

namespace confab::app {
namespace {

using testing::HasSubstr;
using testing::MatchesRegex;

class CandidatesTest : public testing::Test {
 protected:
  RunResult ask(const std::string& kind) { return run_program(home_, {"--candidates", kind}); }
  void make(const std::vector<std::string>& titles) {
    sessions::Store store(home_ / ".local/share/confab/confab.db");
    for (const std::string& title : titles)
      store.create_conversation(
          {{sessions::NewMessage{.role = sessions::Role::user, .content = "Hello"}}}, title);
  }
  TempDir home_;
};

TEST_F(CandidatesTest, ConversationsHaveTheirTitlesWhereThoseAreTheirOwn) {
  make({"Foxes and hens", "Twice", "a\ttab", "two\nlines", "\x1b[31mred", "--yes", "Twice", "2"});
  const RunResult result = ask("conversation");
  EXPECT_EQ(result.status, 0);
  EXPECT_THAT(
      result.out,
      MatchesRegex("#8\t2, .*\n#7\tTwice, .*\n#6\t--yes, .*\n#5\t.*red, .*\n#4\ttwo lines, .*\n"
                   "#3\ta tab, .*\n#2\tTwice, .*\nFoxes and hens\t#1, .*\n"));
  EXPECT_EQ(result.out.find('\x1b'), std::string::npos);
}

TEST_F(CandidatesTest, ModelsAndThemesAreThoseOfThisMachine) {
  home_.file(".local/share/confab/models/my model.gguf", "GGUF");
  home_.file(".config/confab/themes/sea shore.toml", "");
  EXPECT_THAT(ask("model").out, HasSubstr("my model.gguf\t"));
  EXPECT_THAT(ask("theme").out, HasSubstr("sea shore\n"));
  EXPECT_THAT(ask("theme").out, HasSubstr("dark\n"));
}

TEST_F(CandidatesTest, TemplatesAreThoseOfOnesOwn) {
  home_.file(".config/confab/templates/standup.toml", "description = 'what I did'");
  home_.file(".config/confab/templates/broken.toml", "x = 1");
  EXPECT_EQ(ask("template").out, "standup\twhat I did\n");
}

TEST_F(CandidatesTest, WhatIsMissingOrDamagedIsNothingAndQuiet) {
  for (int i = 0; i < 2; ++i) {
    const RunResult result = ask("conversation");
    EXPECT_EQ(result.status, 0);
    EXPECT_EQ(result.out + result.err, "");
    EXPECT_EQ(std::filesystem::exists(home_ / ".local"), i > 0) << "nothing is created";
    home_.file(".local/share/confab/confab.db", std::string(5000, 'x'));
    home_.file(".config/confab/config.toml", "no = such = thing");
  }
  EXPECT_EQ(candidates(ValueKind::file), "");
}

// A model is named on the command line as it was offered.
TEST_F(CandidatesTest, AModelOpensByItsName) {
  home_.file(".local/share/confab/models/my model.gguf", "no model");
  const RunResult result = run_program(home_, {"-m", "my model.gguf", "-p", "x"});
  EXPECT_THAT(result.err, HasSubstr(".local/share/confab/models/my model.gguf"));
  const RunResult other = run_program(home_, {"-m", "another", "-p", "x"});
  EXPECT_THAT(other.err, HasSubstr("confab: no model 'another'"));
}

}  // namespace
}  // namespace confab::app
