// SPDX-License-Identifier: MIT
#include <sstream>

#include "app/cli/cli.h"
#include "tests/app/cli/completion_fixture.h"

namespace confab::app {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;
using testing::UnorderedElementsAre;

class CompletionBashTest : public CompletionFixture {
 protected:
  CompletionBashTest() {
    if (has_shell("bash")) use(bash_completion(command_line_shapes()));
  }
  void SetUp() override {
    if (!has_shell("bash")) GTEST_SKIP() << "there is no bash here";
  }
  void use(const std::string& script) { script_ = home_.file("confab.bash", script); }

  // What bash would put in place of the last word. The words are as typed, cut as bash does.
  std::vector<std::string> complete(std::vector<std::string> words) {
    words.insert(words.begin(), CONFAB_BINARY_DIR "/app/confab");
    std::string command =
        "bash --norc --noprofile -c " +
        shell_quoted(
            "source ./confab.bash; COMP_WORDS=(\"$@\"); COMP_CWORD=$(($# - 1)); COMP_LINE=$LINE; "
            "\"$(complete -p confab | sed 's/.*-F \\([a-z_]*\\) .*/\\1/')\" \"$1\"; "
            "((${#COMPREPLY[@]})) && printf '%s\\n' \"${COMPREPLY[@]}\"") +
        " bash";
    for (const std::string& word : words) command += " " + shell_quoted(word);
    std::istringstream lines(run(command));
    std::vector<std::string> offered;
    for (std::string line; std::getline(lines, line);) offered.push_back(line);
    return offered;
  }
  std::string script_;
};

TEST_F(CompletionBashTest, IsAScriptOfBash) {
  EXPECT_EQ(run("bash -n confab.bash"), "");
  use(bash_completion(hostile_shapes()));
  EXPECT_EQ(run("bash -n confab.bash"), "");
  EXPECT_EQ(run("bash --posix -n confab.bash"), "");
}

TEST_F(CompletionBashTest, CommandsComeFirst) {
  EXPECT_THAT(complete({"ren"}), ElementsAre("rename"));
  EXPECT_THAT(complete({""}), Contains("debug"));
  EXPECT_THAT(complete({"debug", "de"}), ElementsAre("detokenize"));
  EXPECT_THAT(complete({"cache", ""}), ElementsAre("clear", "gc", "verify"));
  EXPECT_THAT(complete({"rename", "1", "re"}), IsEmpty());
}

TEST_F(CompletionBashTest, TemplatesAreCommands) {
  home_.file(".config/confab/templates/standup.toml", "description = 'what I did'");
  EXPECT_THAT(complete({"rev"}), ElementsAre("review"));
  EXPECT_THAT(complete({"stand"}), ElementsAre("standup"));
  EXPECT_THAT(complete({"review", "--mod"}), ElementsAre("--model"));
  EXPECT_THAT(complete({"review", "two"}), UnorderedElementsAre("two words.txt", "two-words.md"));
  EXPECT_THAT(complete({"standup", "two"}), UnorderedElementsAre("two words.txt", "two-words.md"));
  EXPECT_THAT(complete({"debug", "stand"}), IsEmpty());
}

TEST_F(CompletionBashTest, FlagsAreThoseOfTheCommand) {
  EXPECT_THAT(
      complete({"--re"}),
      UnorderedElementsAre("--retries", "--resume", "--repeat-penalty", "--repeat-last-n",
                           "--reasoning", "--reasoning-budget", "--reverse-prompt", "--regex"));
  EXPECT_THAT(complete({"-c"}), ElementsAre("-c", "-ctk", "-ctv"));
  EXPECT_THAT(complete({"export", "--"}), ElementsAre("--help", "--format", "--output", "--force"));
  EXPECT_THAT(complete({"debug", "logits", "--o"}), ElementsAre("--out"));
  EXPECT_THAT(complete({"--candi"}), IsEmpty());
  EXPECT_THAT(complete({"-p", "x", "--", "--re"}), IsEmpty());
}

TEST_F(CompletionBashTest, Choices) {
  EXPECT_THAT(complete({"--completion", ""}), ElementsAre("bash", "zsh", "fish"));
  EXPECT_THAT(complete({"-p", "x", "--expect", ""}), ElementsAre("list", "code", "table", "json"));
  EXPECT_THAT(complete({"-ctk", "q5"}), ElementsAre("q5_1", "q5_0"));
  EXPECT_THAT(complete({"--cache-type-v", "=", "iq"}), ElementsAre("iq4_nl"));
  EXPECT_THAT(complete({"--cache-type-v", "="}), Contains("f16"));
  EXPECT_THAT(complete({"bench", "-o", "j"}), ElementsAre("json"));
  EXPECT_THAT(complete({"quantize", "a", "b", "Q8"}), ElementsAre("Q8_0"));
  EXPECT_THAT(complete({"--temp", ""}), IsEmpty());
}

// Without COMP_WORDBREAKS that have it, bash leaves the word whole and replaces all of it.
TEST_F(CompletionBashTest, AWordThatBashHasNotCut) {
  EXPECT_THAT(complete({"--cache-type-v=iq"}), ElementsAre("--cache-type-v=iq4_nl"));
}

TEST_F(CompletionBashTest, FilesWithBlanks) {
  EXPECT_THAT(complete({"-p", "x", "two"}), UnorderedElementsAre("two words.txt", "two-words.md"));
  for (const char* typed : {"two\\ w", "'two w", "\"two w"})
    EXPECT_THAT(complete({"-p", "x", typed}), ElementsAre("two words.txt")) << typed;
  EXPECT_THAT(complete({"import", "it\\'s"}), ElementsAre("it's $HOME.txt"));
  EXPECT_THAT(complete({"import", "\"it's \\$"}), ElementsAre("it's $HOME.txt"));
  EXPECT_THAT(complete({"import", "two-words.md", "two\\ "}), ElementsAre("two words.txt"));
}

TEST_F(CompletionBashTest, ModelsAreFilesOrNames) {
  EXPECT_THAT(complete({"-m", "wei"}), ElementsAre("weights"));
  EXPECT_THAT(complete({"-m", "weights/"}), ElementsAre("weights/big one.gguf"));
  EXPECT_THAT(complete({"-m", "~/wei"}), ElementsAre("~/weights"));
  EXPECT_THAT(complete({"bench", "--model", "=", "ll"}), ElementsAre("llama:3b.gguf"));
  EXPECT_THAT(complete({"-m", "llama", ":", "3"}), ElementsAre("3b.gguf"));
  EXPECT_THAT(complete({"-m", "llama", ":"}), ElementsAre("3b.gguf"));
  EXPECT_THAT(complete({"-m", "two"}), IsEmpty());
}

TEST_F(CompletionBashTest, ThemesAndConversations) {
  EXPECT_THAT(complete({"--theme", "da"}), testing::Contains("dark"));
  EXPECT_THAT(complete({"--theme", "sea"}), ElementsAre("sea shore"));
  EXPECT_THAT(complete({"--resume", "Fox"}), ElementsAre("Foxes\\ and\\ hens"));
  EXPECT_THAT(complete({"--resume", "'Foxes a"}), ElementsAre("Foxes and hens"));
  EXPECT_THAT(complete({"export", "It"}), ElementsAre("It\\'s\\ 5\\ \\$\\,\\ \\\"really\\\""));
  EXPECT_THAT(complete({"export", "'It'\\"}), Not(Contains(testing::HasSubstr("really"))));
  EXPECT_THAT(complete({"pin", "\"It"}), ElementsAre("It's 5 \\$, \\\"really\\\""));
  EXPECT_THAT(complete({"delete", "time", ":", "\\ 1"}), ElementsAre("\\ 10:30"));
  EXPECT_THAT(complete({"rename", "Foxes and hens", "Fo"}), IsEmpty());
}

TEST_F(CompletionBashTest, NothingInTheTablesIsRun) {
  use(bash_completion(hostile_shapes()));
  EXPECT_THAT(complete({"--"}), ElementsAre("--hostile", "--choose"));
  EXPECT_THAT(complete({"--choose", "$"}), ElementsAre("\\$\\(c\\)"));
  EXPECT_THAT(complete({"--choose", ""}), ElementsAre("it\\'s", "a:b", "\\$\\(c\\)"));
}

TEST_F(CompletionBashTest, AProgramThatIsNotThereOffersFilesStill) {
  const std::string out =
      run("bash --norc --noprofile -c " +
          shell_quoted("source ./confab.bash; COMP_WORDS=(/none/confab -m wei); COMP_CWORD=2; "
                       "_confab /none/confab; printf '%s\\n' \"${COMPREPLY[@]}\""));
  EXPECT_EQ(out, "weights\n");
}

TEST(ShellQuotedTest, IsOneWord) {
  EXPECT_EQ(shell_quoted(""), "''");
  EXPECT_EQ(shell_quoted("a b $c"), "'a b $c'");
  EXPECT_EQ(shell_quoted("it's"), "'it'\\''s'");
}

}  // namespace
}  // namespace confab::app
