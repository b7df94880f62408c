// SPDX-License-Identifier: MIT
// What a script can rely on of `confab -p`: formats, statuses, what is said beside the answer.
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/app/line/short_answer.h"
#include "tests/app/program.h"

namespace confab::app {
namespace {

TEST(OnceScriptTest, EveryEndHasItsStatus) {
  const TempDir home;
  const auto status = [&](std::vector<std::string> words, const std::string& input = {}) {
    words.insert(words.end(), {"--temp", "0", "-t", "1"});
    return run_program(home, words, input).status;
  };
  const std::string big = home.file("big.txt", std::string(9000, '7'));
  EXPECT_EQ(status({"-p", "Say hello."}), 0);
  EXPECT_EQ(status({"-p", "x", home.file("a.png", "\x89PNG\r\n\x1A\n")}), 1);
  EXPECT_EQ(status({"-p", "x", "--json", "-x"}), 2);
  EXPECT_EQ(status({"-p", "Say hello.", "-x", "cobol"}), 3);
  EXPECT_EQ(status({"-p", "x", big}), 4);
  EXPECT_EQ(status({"-p", "x", "-m", "no-such-model"}), 5);
  EXPECT_EQ(status({"-p", "Say hello.", "-n", "2"}), 6);
}

TEST(OnceScriptTest, JsonIsOneObject) {
  const TempDir home;
  const RunResult plain = run_program(home, {"-p", "Say hello.", "--temp", "0"});
  const RunResult result = run_program(home, {"-p", "Say hello.", "--temp", "0", "--json"});
  EXPECT_EQ(result.status, 0) << result.err;
  const auto object = nlohmann::json::parse(result.out);
  EXPECT_EQ(object.at("answer").get<std::string>() + '\n', plain.out);
  EXPECT_EQ(object.at("finish_reason"), "stop");
  EXPECT_EQ(object.at("model"), "Confab Demo 46M");
  EXPECT_GT(object.at("statistics").at("prompt_tokens").get<int>(), 5);
  const RunResult both =
      run_program(home, {"-p", "Say hello.", "--json", "-n", "3", "--n", "2", "--temp", "1", "-q"});
  EXPECT_EQ(both.status, 6);
  EXPECT_EQ(both.err, "");
  EXPECT_EQ(nlohmann::json::parse(both.out).at("answers").size(), 2U);
}

TEST(OnceScriptTest, EventsMakeTheAnswer) {
  const TempDir home;
  const RunResult plain = run_program(home, {"-p", "Say hello.", "--temp", "0"});
  const RunResult result = run_program(home, {"-p", "Say hello.", "--temp", "0", "--stream-json"});
  std::istringstream lines(result.out);
  std::string answer, types;
  for (std::string line; std::getline(lines, line);) {
    const auto event = nlohmann::json::parse(line);
    if (event.at("type") == "text") answer += event.at("text").get<std::string>();
    types += event.at("type").get<std::string>().substr(0, 1);
  }
  EXPECT_EQ(answer + '\n', plain.out);
  EXPECT_TRUE(types.starts_with("bp") && types.ends_with("te")) << types;
}

TEST(OnceScriptTest, CodeAloneComesOut) {
  const TempDir home;
  const RunResult result = run_program(
      home, {"-p", "Write a Python function", "--temp", "0", "-t", "1", "-x", "python"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_NE(result.out, "");
  EXPECT_EQ(result.out.find("```"), std::string::npos) << result.out;
  const RunResult none =
      run_program(home, {"-p", "Say hello.", "--temp", "0", "-x", "cobol", "-q"});
  EXPECT_EQ(none.out, "");
  EXPECT_NE(none.err.find("Hello"), std::string::npos) << none.err;
  EXPECT_TRUE(none.err.ends_with("confab: there is no cobol code block in this answer\n"));
}

TEST(OnceScriptTest, WhatGoesInIsReadAsText) {
  const TempDir home;
  const std::string page = home.file("page.html", "<!doctype html><p>A fox ran.");
  const std::string latin = home.file("latin.txt", "Der Fuchs l\xE4uft.");
  const RunResult told = run_program(home, with({"-p", "Who?", page, latin}));
  EXPECT_TRUE(answered(told));
  EXPECT_NE(told.err.find("confab: latin.txt: read as Latin-1\n"), std::string::npos) << told.err;
  EXPECT_NE(told.err.find("confab: page.html: read as a web page"), std::string::npos) << told.err;
  const RunResult quiet = run_program(home, with({"-p", "Who?", page, latin, "-q"}));
  EXPECT_EQ(quiet.err, "");
  EXPECT_EQ(quiet.out, told.out);
  const RunResult folder = run_program(home, with({"-p", "Who?", home.path().string(), "--json"}));
  EXPECT_TRUE(answered(folder)) << folder.err;
}

std::string numbers(int n) {
  std::string text;
  for (int i = 1; i <= n; ++i) text += std::to_string(i) + "\n";
  return text;
}

TEST(OnceScriptTest, WhatIsTooLongIsToldCutOrSplit) {
  const TempDir home;
  const std::string big = home.file("big.txt", numbers(700));
  const RunResult error = run_program(home, with({"-p", "What is it?", big}));
  EXPECT_EQ(error.status, 4);
  EXPECT_TRUE(error.err.starts_with("confab: the prompt has ")) << error.err;
  EXPECT_NE(error.err.find(" more than fit; shorten it, or give --overflow truncate or split; "),
            std::string::npos)
      << error.err;
  const RunResult cut =
      run_program(home, with({"-p", "What is it?", big, "--overflow", "truncate"}));
  EXPECT_TRUE(answered(cut)) << cut.err;
  EXPECT_NE(cut.err.find("left out to make it fit: "), std::string::npos) << cut.err;
  EXPECT_NE(cut.out, "");
  const RunResult split =
      run_program(home, with({"-p", "What is it?", big, "--overflow", "split"}));
  EXPECT_TRUE(answered(split)) << split.err;
  EXPECT_NE(split.err.find("so it is read in 2 pieces\n"), std::string::npos) << split.err;
  EXPECT_NE(split.out, "");
}

TEST(OnceScriptTest, InterruptedWhileItAsksAboutPiecesItEnds) {
  const TempDir home;
  PipeProgram program(home, {"-p", "What is it?", home.file("big.txt", numbers(3000)), "--no-stdin",
                             "--overflow", "split", "--temp", "0"});
  ASSERT_TRUE(program.wait_for("so it is read in ")) << program.output();
  program.signal(SIGINT);
  EXPECT_EQ(program.wait_for_exit(), 130) << program.output();
}

TEST(OnceScriptTest, AReaderThatLeavesIsNoFault) {
  const TempDir home;
  const RunResult result = run_command(
      home, {"/bin/sh", "-c",
             "{ \"$0\" -p 'Write a very long story.' -n 300 -q; echo $? >\"$HOME/status\"; } "
             "| head -c 1; cat \"$HOME/status\"",
             confab_program()});
  EXPECT_EQ(result.err, "");
  EXPECT_TRUE(result.out.ends_with("0\n")) << result.out;
}

TEST(OnceScriptTest, WithoutAStandardOutputThatIsAnError) {
  const TempDir home;
  const RunResult result =
      run_command(home, {"/bin/sh", "-c", "\"$0\" -p Hi. --temp 0 >&-", confab_program()});
  EXPECT_EQ(result.status, 1);
  EXPECT_EQ(result.err, "confab: standard output: cannot be written: Bad file descriptor\n");
  EXPECT_EQ(
      run_command(home, {"/bin/sh", "-c", "\"$0\" -p Hi. --temp 0 -n 2 <&-", confab_program()})
          .status,
      6);
}

#if defined(__linux__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

// Whatever the limit is, there is an answer or a line that names it.
TEST(OnceScriptTest, ALimitOnTheAddressSpaceIsNamed) {
  const TempDir home;
  int n_answered = 0, n_refused = 0;
  for (const char* kib : {"80000", "120000", "160000", "200000", "240000", "300000", "900000"}) {
    const RunResult result = run_command(
        home, {"/bin/sh", "-c", "ulimit -v $0; exec \"$1\" -p Hi. -n 2 --no-stdin -t 2 --no-draft",
               kib, confab_program()});
    const bool names_limit = result.err.find("ulimit -v") != std::string::npos;
    EXPECT_NE(answered(result), names_limit) << kib << ": " << result.err;
    ++(names_limit ? n_refused : n_answered);
  }
  EXPECT_GT(n_answered, 0);
  EXPECT_GT(n_refused, 0);
}

#endif

// A job of a shell: only there can it be stopped by its terminal and be gone on with.
TEST(OnceScriptTerminalTest, CtrlZStopsItAndFgGoesOn) {
  if (access("/bin/bash", X_OK) != 0) GTEST_SKIP() << "bash is not installed";
  const TempDir home;
  PtyProgram shell(PtyProgram::Command{{"/bin/bash", "--norc", "--noprofile", "-i"}}, home, 24, 200,
                   {"PS1=ready> "});
  ASSERT_TRUE(shell.wait_for("ready> "));
  shell.type(confab_program() + " -p 'Write a very long story.' --temp 0 -n 2000 #begin\n");
  ASSERT_TRUE(shell.wait_for("#begin"));
  ASSERT_TRUE(shell.wait_for(" "));
  shell.type("\x1a");
  ASSERT_TRUE(shell.wait_for("Stopped")) << shell.output();
  ASSERT_TRUE(shell.wait_for("ready> ")) << shell.output();
  shell.type("fg\n");
  // The shell repeats the command, then the answer goes on: only now is the key the program's.
  ASSERT_TRUE(shell.wait_for("-n 2000\r\n")) << shell.output();
  ASSERT_TRUE(shell.wait_for(" ")) << shell.output();
  shell.type("\x03");
  ASSERT_TRUE(shell.wait_for("ready> ")) << shell.output();
  shell.type("echo \"status=$?\"\n");
  EXPECT_TRUE(shell.wait_for("status=130")) << shell.output();
  shell.type("exit\n");
  EXPECT_EQ(shell.wait_for_exit(), 0);
}

}  // namespace
}  // namespace confab::app
