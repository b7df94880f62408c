// SPDX-License-Identifier: MIT
#include "app/cli/cli.h"
#include "tests/app/cli/completion_fixture.h"

namespace confab::app {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class CompletionZshTest : public CompletionFixture {};

TEST_F(CompletionZshTest, IsAScriptOfZsh) {
  if (!has_shell("zsh")) GTEST_SKIP() << "there is no zsh here";
  for (const auto& shapes : {command_line_shapes(), hostile_shapes()}) {
    home_.file("_confab", zsh_completion(shapes));
    EXPECT_EQ(run("zsh -f -n _confab"), "");
  }
}

// compinit takes it, and the specifications reach _arguments as they are meant.
TEST_F(CompletionZshTest, TextIsEscapedForTheShellAndItsSpecifications) {
  const std::string script = zsh_completion(hostile_shapes());
  EXPECT_THAT(script, StartsWith("#compdef confab\n"));
  EXPECT_THAT(script, HasSubstr("[it'\\''s \\[a\\] \"$(false)\"\\: `x` \\\\ {y}"));
  EXPECT_THAT(script, HasSubstr(":A\\[B\\]\\:C'\\''D: '"));
  if (!has_shell("zsh")) GTEST_SKIP() << "there is no zsh here";
  home_.file("_confab", script);
  const std::string out = run(
      "zsh -f -c " +
      shell_quoted(
          "_arguments() { print -rl -- \"$@\"; }; words=(confab --); CURRENT=2; source ./_confab"));
  EXPECT_THAT(out, HasSubstr("(-x --hostile)--hostile=[it's \\[a\\] \"$(false)\"\\: `x` \\\\ {y} "
                             "<z> & * ~ ; #  %d]:A\\[B\\]\\:C'D: \n"));
  EXPECT_THAT(out, HasSubstr("(-x --hostile)-x+["));
}

TEST_F(CompletionZshTest, EachCommandHasItsFunction) {
  const std::string script = zsh_completion(command_line_shapes());
  for (const char* part :
       {"_confab__debug_logits() {", "'(-m --model)--model=[", ":MODEL:_confab_model'",
        ":THEME:_confab_theme'", "'1:ID|NAME:_confab_conversation'", "'*:FILE:_files'",
        "(--cache-type-k -ctk)-ctk["})
    EXPECT_THAT(script, HasSubstr(part));
}

}  // namespace
}  // namespace confab::app
