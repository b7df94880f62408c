// SPDX-License-Identifier: MIT
#include <sstream>

#include "app/cli/cli.h"
#include "tests/app/cli/completion_fixture.h"

namespace confab::app {
namespace {

using testing::HasSubstr;

class CompletionFishTest : public CompletionFixture {};

TEST_F(CompletionFishTest, IsAScriptOfFish) {
  if (!has_shell("fish")) GTEST_SKIP() << "there is no fish here";
  for (const auto& shapes : {command_line_shapes(), hostile_shapes()}) {
    home_.file("confab.fish", fish_completion(shapes));
    EXPECT_EQ(run("fish --no-config -n confab.fish"), "");
    EXPECT_EQ(status_, 0);
  }
}

TEST_F(CompletionFishTest, TextIsQuoted) {
  const std::string script = fish_completion(hostile_shapes());
  EXPECT_THAT(script, HasSubstr(" -s 'x' -l 'hostile' -x -d 'it\\'s [a] \"$(false)\": `x` \\\\ "));
  EXPECT_THAT(script, HasSubstr(" -a '\\'it\\\\\\'s\\' \\'a:b\\' \\'$(c)\\''"));
}

// fish itself says what it would offer.
TEST_F(CompletionFishTest, Completes) {
  if (!has_shell("fish")) GTEST_SKIP() << "there is no fish here";
  home_.file("confab.fish", fish_completion(command_line_shapes()));
  const auto offered = [this](const std::string& line) {
    std::istringstream lines(
        run("fish --no-config -c " +
            shell_quoted("source ./confab.fish; complete -C " + shell_quoted(line))));
    std::vector<std::string> words;
    for (std::string text; std::getline(lines, text);)
      words.push_back(text.substr(0, text.find('\t')));
    return words;
  };
  using testing::Contains;
  using testing::ElementsAre;
  EXPECT_THAT(offered("confab ren"), ElementsAre("rename"));
  EXPECT_THAT(offered("confab debug de"), ElementsAre("detokenize"));
  EXPECT_THAT(offered("confab debug logits --ou"), ElementsAre("--out"));
  EXPECT_THAT(offered("confab --cache-type-k q5"), testing::UnorderedElementsAre("q5_0", "q5_1"));
  EXPECT_THAT(offered("confab -p x two\\ "), ElementsAre("two words.txt"));
  EXPECT_THAT(offered("confab quantize a b Q8"), ElementsAre("Q8_0"));
  EXPECT_THAT(offered("confab --temp "), testing::IsEmpty());
  EXPECT_THAT(
      offered("confab --resume "),
      testing::UnorderedElementsAre("Foxes and hens", "It's 5 $, \"really\"", "time: 10:30"));
  EXPECT_THAT(offered("confab -m "), Contains("llama:3b.gguf"));
}

}  // namespace
}  // namespace confab::app
