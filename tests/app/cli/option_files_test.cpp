// SPDX-License-Identifier: MIT
#include "app/cli/config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/error.h"
#include "tests/app/cli/option_fixture.h"
#include "tests/app/program.h"

namespace confab::app {
namespace {

using testing::HasSubstr;

ChatOptions chat(const std::vector<std::string>& words, const ChatOptions& defaults = {}) {
  auto options = std::get<ChatOptions>(parse_command_line(words, defaults));
  read_option_files(options);
  return options;
}

std::string fault_of(const std::vector<std::string>& words, const ChatOptions& defaults = {}) {
  try {
    chat(words, defaults);
  } catch (const UsageError& fault) {
    return fault.what();
  }
  return "no error";
}

TEST(OptionFilesTest, TextsAreReadFromFiles) {
  const TempDir home;
  const std::string file = home.file("text", "one\ntwo\n"), windows = home.file("w", "one\r\n");
  EXPECT_EQ(chat({"-f", file}).prompt, "one\ntwo");
  EXPECT_EQ(chat({"-f", file, "notes.md"}).files, std::vector<std::string>{"notes.md"});
  EXPECT_EQ(chat({"-sysf", windows}).system, "one");
  EXPECT_EQ(chat({"--system-prompt-file", file}).system, "one\ntwo");
  EXPECT_EQ(chat({"--chat-template-file", file}).model.chat_template, "one\ntwo");
  const std::string utf16("\xFF\xFEp\0l\0u\0m\0\n\0", 12), marked = "\xEF\xBB\xBFplum";
  EXPECT_EQ(chat({"-f", home.file("u", utf16)}).prompt, "plum");
  EXPECT_EQ(chat({"-f", home.file("m", marked)}).prompt, "plum");
  EXPECT_EQ(chat({"--system-file", home.file("m", marked)}).system, "plum");
  EXPECT_EQ(chat({"-f", "-"}).prompt, "") << "standard input is the question";
  EXPECT_EQ(chat({}, by_environment({"CONFAB_SYSTEM_FILE=" + file}).options).system, "one\ntwo");
}

TEST(OptionFilesTest, AFileIsReadOnlyIfItCounts) {
  const ChatOptions file = by_file("system_file = '/nowhere'\n").options;
  EXPECT_EQ(chat({"--system", "Be brief."}, file).system, "Be brief.");
}

TEST(OptionFilesTest, FaultsNameTheOptionAsItWasGiven) {
  const TempDir home;
  const std::string folder = home.path().string();
  EXPECT_EQ(fault_of({"-f", "/nowhere"}), "--file /nowhere: No such file or directory");
  EXPECT_EQ(fault_of({"-sysf", folder}),
            "--system-file " + folder + ": is a directory, not a file");
  EXPECT_EQ(fault_of({}, by_file("system_file = '/nowhere'\n").options),
            "system_file /nowhere: No such file or directory");
  EXPECT_EQ(fault_of({}, by_environment({"CONFAB_CHAT_TEMPLATE_FILE=/nowhere"}).options),
            "CONFAB_CHAT_TEMPLATE_FILE /nowhere: No such file or directory");
  EXPECT_THAT(fault_of({"-f", home.file("b", std::string("a\0b", 3))}),
              HasSubstr("is not a text file"));
  EXPECT_THAT(fault_of({"-f", home.file("e", "\n")}), HasSubstr("is empty"));
  EXPECT_THAT(fault_of({"-f", home.file("f", "x"), "-p", "y"}),
              HasSubstr("--prompt and --file cannot be used together"));
}

TEST(OptionFilesTest, EscapeSequencesAreThoseOfLlamaCpp) {
  EXPECT_EQ(unescaped(R"(a\nb\tc\\n\"\'\r)"), "a\nb\tc\\n\"'\r");
  EXPECT_EQ(unescaped(R"(\x41\x7e\xE2\x82\xAC)"), "A~\xE2\x82\xAC");
  for (const char* as_is : {R"(\q)", R"(\x4)", R"(\xg1)", R"(\x 1)", R"(\)", R"(end\)", ""})
    EXPECT_EQ(unescaped(as_is), as_is);
  EXPECT_EQ(unescaped(R"(\\\n)"), "\\\n");
}

TEST(OptionFilesTest, EscapeSequencesAreReadOnlyWhereThatIsAskedFor) {
  EXPECT_EQ(chat({"-p", R"(a\nb)"}).prompt, R"(a\nb)");
  const ChatOptions options = chat({"-e", "-p", R"(a\nb)", "-r", R"(\nUser:)"});
  EXPECT_EQ(options.prompt, "a\nb");
  EXPECT_EQ(options.stop, std::vector<std::string>{"\nUser:"});
  // config.toml has escape sequences of its own.
  const ChatOptions file = by_file("escape = true\nreverse_prompt = 'a\\nb'\n").options;
  EXPECT_EQ(chat({"-p", R"(a\nb)"}, file).stop, std::vector<std::string>{R"(a\nb)"});
  EXPECT_EQ(chat({"-p", R"(a\nb)"}, file).prompt, "a\nb");
  EXPECT_EQ(chat({"--no-escape", "-p", R"(a\nb)"}, file).prompt, R"(a\nb)");
}

RunResult answer(const TempDir& home, std::vector<std::string> words,
                 const Environment& environment = {}) {
  words.insert(words.end(), {"--temp", "0", "-t", "1"});
  return run_program(home, words, {}, environment);
}

constexpr int kCutOff = 6;  // exit status: by -n

TEST(OptionFilesTest, TheProgramAnswersThem) {
  const TempDir home;
  const Environment few{"CONFAB_PREDICT=12"};
  const RunResult whole = answer(home, {"-p", "Say\thello."}, few);
  EXPECT_EQ(whole.status, kCutOff) << whole.err;
  const std::string file = home.file("question", "Say\\thello.\n");
  EXPECT_EQ(answer(home, {"-e", "-f", file}, few).out, whole.out);
  EXPECT_NE(answer(home, {"-p", "Say\thello.", "-n", "2"}, few).out, whole.out) << "a flag wins";
  EXPECT_EQ(answer(home, {"-p", "Say\thello.", "-ngl", "0"}, few).out, whole.out);
  const RunResult some = answer(home, {"-p", "Say\thello.", "-ngl", "1"}, few);
  EXPECT_EQ(some.status, kCutOff) << some.err;
  const RunResult nowhere = answer(home, {"-p", "Say\thello.", "--device", "vulkan:63"}, few);
  EXPECT_NE(nowhere.status, 0);
  EXPECT_THAT(nowhere.err, HasSubstr("--device cpu"));
}

TEST(OptionFilesTest, TheProgramEndsAnAnswerAtAReversePrompt) {
  const TempDir home;
  const std::string whole = answer(home, {"-p", "Say hello.", "-n", "12"}).out;
  const std::size_t at = whole.find(' ');
  ASSERT_NE(at, std::string::npos) << whole;
  const RunResult cut =
      answer(home, {"-p", "Say hello.", "-n", "12", "-r", "never", "-r", whole.substr(at, 3)});
  EXPECT_EQ(cut.status, 0) << cut.err;
  EXPECT_EQ(cut.out, whole.substr(0, at) + "\n");
}

TEST(OptionFilesTest, TheProgramTakesAnotherTemplate) {
  const TempDir home;
  const std::string file = home.file("t.jinja", "{{ messages[0].content }}");
  for (const char* name : {"llama3", "{{ messages[0].content }}"})
    EXPECT_EQ(answer(home, {"-p", "one", "-n", "3", "--chat-template", name}).status, kCutOff)
        << name;
  EXPECT_EQ(answer(home, {"-p", "one", "-n", "3", "--chat-template-file", file}).status, kCutOff);
  const RunResult none = answer(home, {"-p", "one", "--chat-template", "alpaca"});
  EXPECT_EQ(none.status, 2);
  EXPECT_THAT(none.err, HasSubstr("no chat template 'alpaca'; confab has chatml, "));
  const RunResult broken = answer(home, {"-p", "one", "--chat-template", "{{ x"});
  EXPECT_EQ(broken.status, 1);
  EXPECT_THAT(broken.err, HasSubstr("chat template that was given: line 1"));
}

}  // namespace
}  // namespace confab::app
