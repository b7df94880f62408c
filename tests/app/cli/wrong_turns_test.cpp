// SPDX-License-Identifier: MIT
#include "app/cli/wrong_turns.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/cli/cli.h"
#include "app/error.h"
#include "tests/app/program.h"

namespace confab::app {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using Words = std::vector<std::string>;

// What a command line is told; all of these are wrong usage.
std::string told(Words words) {
  try {
    parse_command_line(std::move(words), {});
  } catch (const UsageError& fault) {
    return fault.what();
  }
  return "no error";
}

TEST(WrongTurnsTest, CommandsOfOthersGetTheNearestOfOurs) {
  const auto cases = std::to_array<std::pair<Words, std::string>>({
      {{"run", "llama3"}, "no command 'run': to chat with llama3: confab -m llama3"},
      {{"run", "llama3", "why", "so?"},
       "no command 'run': to ask llama3: confab -m llama3 -p \"why so?\""},
      {{"run"}, "no command 'run': to chat: confab"},
      {{"chat"}, "no command 'chat': to chat: confab"},
      {{"serve"}, "no command 'serve': confab is not a server; to chat in this terminal: confab"},
      {{"download", "org/llama3"},
       "no command 'download': to download a model: confab pull org/llama3"},
      {{"ls"}, "no command 'ls': conversations: confab list; models: confab models"},
      {{"remove", "my chat"},
       "no command 'remove': to delete a conversation: confab delete \"my chat\""},
      {{"prompt", "why?"}, "no command 'prompt': to ask: confab -p \"why?\""},
      {{"logs"}, "no command 'logs': to see the conversations: confab list"},
      {{"lst"}, "no command 'lst': did you mean confab list?"},
      {{"modles"}, "no command 'modles': did you mean confab models?"},
      {{"help", "lst"}, "no command 'lst': did you mean confab list?"},
      {{"sunflower"},
       "no command 'sunflower': confab --help lists the commands; to ask the model: confab -p "
       "\"sunflower\""},
      {{"why", "is", "it $5?"}, "to ask this: confab -p 'why is it $5?'"},
      {{"my model.gguf"}, "to chat with this model: confab -m \"my model.gguf\""},
      {{CONFAB_SOURCE_DIR "/README.md"},
       "to ask about a file: confab -p \"QUESTION\" " CONFAB_SOURCE_DIR "/README.md"},
  });
  for (const auto& [words, line] : cases) EXPECT_EQ(told(words), line);
}

TEST(WrongTurnsTest, FlagsOfOthersGetTheNearestOfOurs) {
  const auto cases = std::to_array<std::pair<Words, std::string>>({
      {{"-hf", "x/y"}, "-hf: to download a model: confab pull x/y, then confab -m its file"},
      {{"--mlock"},
       "--mlock: confab does not lock memory: weights are clean pages of the model file, which the "
       "system keeps while it has room and reads again otherwise; leave it out"},
      {{"--no-mmap"},
       "--no-mmap: confab always maps the model file and computes from there, with no copy in "
       "memory; leave it out"},
      {{"--format", "json"},
       "--format: for JSON: confab -p \"QUESTION\" -j SCHEMA; for a list, a table or code: "
       "--expect "
       "FORM"},
      {{"-fa"}, "-fa: confab does this by itself; leave it out"},
      {{"--host", "0.0.0.0", "--port", "80"},
       "--host: confab is not a server; to chat in this terminal: confab -m MODEL"},
      {{"-bf", "a.txt"}, "-bf: to ask about a file: confab -p \"QUESTION\" a.txt"},
      {{"--cid=3"}, "--cid: to reopen a conversation: confab --resume 3"},
      {{"fit", "-ngl", "9"}, "-ngl: this command runs no model on a device; leave it out"},
      {{"--list-devices"}, "--list-devices: to list them: confab devices"},
      {{"-mg", "1"}, "-mg: to name a graphics processor: --device vulkan:1"},
  });
  for (const auto& [words, line] : cases) EXPECT_EQ(told(words), line);
  for (const char* flag : {"--grammar", "--adaptive-target", "--lora", "--image", "-i", "--verbose",
                           "--list-models", "-no-cnv", "--no-log", "-S"})
    EXPECT_THAT(advice_about_flag(flag, "").value_or(""), HasSubstr(flag));
}

TEST(WrongTurnsTest, NothingOfOursIsRefused) {
  for (const CommandShape& shape : command_line_shapes())
    for (const OptionShape& option : shape.options)
      for (const std::string& name : option.names)
        EXPECT_THAT(told({shape.words, name}), Not(HasSubstr("leave it out"))) << name;
  EXPECT_EQ(told({"-p", "Hello", "--", "-fa"}), "no error");
  EXPECT_EQ(told({"export", "3", "-f", "md"}), "no error");
  EXPECT_EQ(told({"bench", "-r", "2", "-v"}), "no error");
}

TEST(WrongTurnsTest, OthersSpellingsOfOurFlagsAreTaken) {
  const auto options = std::get<ChatOptions>(
      parse_command_line({"--ctx-size", "512", "--n-predict", "5", "--batch-size=64",
                          "--temperature", "0", "--system-prompt", "Be brief."},
                         {}));
  EXPECT_EQ(options.model.n_ctx, 512);
  EXPECT_EQ(options.n_predict, 5);
  EXPECT_EQ(options.model.n_batch, 64);
  EXPECT_EQ(options.sampling.temperature, 0);
  EXPECT_EQ(options.system, "Be brief.");
}

TEST(WrongTurnsTest, FaultsAreInPlainWords) {
  const auto cases = std::to_array<std::pair<Words, std::string>>({
      {{"--frobnicate"}, "no option --frobnicate; see confab --help"},
      {{"--contine"}, "no option --contine; did you mean --continue?"},
      {{"-c"}, "--ctx-size needs a value; see confab --help"},
      {{"-c", "many"},
       "--ctx-size must be a whole number from 1 to 16777216, not many; see confab --help"},
      {{"rename"}, "ID|NAME is missing; see confab rename --help"},
      {{"export", "3", "-f", "x"},
       "--format must be md, json or html, not x; see confab export --help"},
      {{"list", "x"}, "unexpected argument 'x'; see confab list --help"},
      {{"cache", "purge"},
       "no command 'purge'; the commands are: clear, gc, verify; see confab cache --help"},
  });
  for (const auto& [words, line] : cases) EXPECT_EQ(told(words), line);
}

TEST(WrongTurnsTest, HelpIsACommandToo) {
  const auto text = [](Words words) {
    return std::get<PrintAndExit>(parse_command_line(std::move(words), {})).text;
  };
  EXPECT_EQ(text({"help"}), text({"--help"}));
  EXPECT_EQ(text({"help", "list"}), text({"list", "--help"}));
  EXPECT_EQ(text({"help", "debug", "logits"}), text({"debug", "logits", "--help"}));
  EXPECT_THAT(text({"help", "help"}), HasSubstr("COMMAND"));
  std::istringstream lines(text({"--help"}));
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 80U) << line;
}

TEST(WrongTurnsTest, AreOneLineAndWrongUsage) {
  const TempDir home;
  const RunResult result = run_program(home, {"run", "llama3"});
  EXPECT_EQ(result.status, 2);
  EXPECT_EQ(result.out, "");
  EXPECT_THAT(result.err, EndsWith("confab -m llama3\n"));
  EXPECT_EQ(std::ranges::count(result.err, '\n'), 1);
}

}  // namespace
}  // namespace confab::app
