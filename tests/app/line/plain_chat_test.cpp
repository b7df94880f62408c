// SPDX-License-Identifier: MIT
// The line-oriented chat: the built program on pipes and on a dumb terminal.
#include "app/line/plain_chat.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "sessions/conversations/sql.h"
#include "sessions/conversations/store.h"
#include "tests/app/program.h"
#include "tests/ui/escape_scanner.h"

namespace confab::app {
namespace {

const std::vector<std::string> kShort{"-n", "24", "--temp", "0", "-t", "1"};

std::vector<std::string> with(std::vector<std::string> words) {
  words.insert(words.end(), kShort.begin(), kShort.end());
  return words;
}

TEST(PlainChatTest, EachLineIsAQuestionAndAnswersAloneAreOnStdout) {
  const TempDir home;
  const RunResult result = run_program(home, with({}), "Hello.\n\n/stats\nWho are you?\n");
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.out.find("prompt "), std::string::npos);
  EXPECT_NE(result.err.find("cached"), std::string::npos) << result.err;
  EXPECT_GE(std::count(result.out.begin(), result.out.end(), '\n'), 2);
  EXPECT_EQ(result.out.find('\x1b'), std::string::npos);
}

TEST(PlainChatTest, WhatIsSaidOfAnAnswersEndHasALineOfItsOwn) {
  const TempDir home;
  PipeProgram program(home, {"-c", "128", "--temp", "0", "-t", "1"});
  program.type("Write a very long story about a fox.\n");
  ASSERT_TRUE(program.wait_for("The context of 128 tokens is full")) << program.output();
  EXPECT_NE(program.output().find("\nThe context of"), std::string::npos) << program.output();
}

// How the machine is, in the file that stands for it.
Environment with_machine(const TempDir& home, const std::string& pressure,
                         const std::string& power) {
  return {"CONFAB_PRESSURE=" + home.file("pressure", pressure + "\n"),
          "CONFAB_POWER=" + home.file("power", power + "\n")};
}

TEST(PlainChatTest, AMachineThatIsShortOfMemoryIsSparedAndTheLogTellsIt) {
  const TempDir home;
  const RunResult result =
      run_program(home, with({}), "Hello.\nWho are you?\n", with_machine(home, "full", "hot"));
  EXPECT_EQ(result.status, 0);
  EXPECT_GE(std::count(result.out.begin(), result.out.end(), '\n'), 2) << "both are answered";
  EXPECT_EQ(result.err.find("memory is short"), std::string::npos) << "a script is not told";
  const std::string log = read_file(home / ".local/state/confab/log");
  EXPECT_NE(log.find("the machine is too hot: half the threads"), std::string::npos) << log;
  const std::size_t unloaded = log.find("the model is unloaded until the next question");
  ASSERT_NE(unloaded, std::string::npos) << log;
  EXPECT_NE(log.find("the model may come back", unloaded), std::string::npos) << log;
}

TEST(PlainChatTerminalTest, WhoSitsThereIsToldThatMemoryIsShort) {
  const TempDir home;
  Environment environment = with_machine(home, "some", "normal");
  environment.emplace_back("TERM=dumb");
  PtyProgram program(home, with({}), 24, 80, environment);
  program.type("Hello.\r");
  ASSERT_TRUE(program.wait_for("memory is short: other conversations")) << program.output();
}

// The same file for another model is told of again: it may be right for that one.
TEST(PlainChatTest, ADraftModelThatCannotBeUsedIsToldOnceAModel) {
  const TempDir home;
  const std::string junk = home.file("junk.gguf", "junk");
  home.file(".config/confab/config.toml", "model_draft = \"" + junk + "\"\n");
  const auto n_told = [&](const std::string& input) {
    const std::string told = run_program(home, with({}), input).err;
    std::size_t n = 0;
    for (std::size_t at = told.find("no draft model: " + junk); at != std::string::npos; ++n)
      at = told.find("no draft model: ", at + 1);
    return n;
  };
  EXPECT_EQ(n_told("Hello.\n/stats\n"), 1U);
  EXPECT_EQ(n_told("Hello.\n/model confab-demo\nHello.\n"), 2U);
}

TEST(PlainChatTest, SeveralAnswersComeOneAfterTheOther) {
  const TempDir home;
  PipeProgram program(home, {"-n", "12", "-t", "1", "--temp", "1", "--seed", "3"});
  program.type("Say hello.\n/retry 2\n/branches\n/retry 2 temp 0\n");
  program.end_input();
  EXPECT_EQ(program.wait_for_exit(), 0);
  const std::string& out = program.output();
  const std::size_t one = out.find("\nAnswer 1 of 2:\n"), two = out.find("\nAnswer 2 of 2:\n");
  ASSERT_NE(two, std::string::npos) << out;
  EXPECT_LT(one, two);
  EXPECT_NE(out.find("/branch NUMBER", two), std::string::npos) << out;
  EXPECT_NE(out.find("would be the same at temperature 0"), std::string::npos) << out;
}

TEST(PlainChatTest, ConversationsComeBack) {
  const TempDir home;
  ASSERT_EQ(
      run_program(home, with({}),
                  "Write a short story about a fox and a hen who lived in a wood.\n/rename foxes\n")
          .status,
      0);
  const RunResult listed = run_program(home, with({}), "/list\n");
  EXPECT_NE(listed.err.find("foxes"), std::string::npos);
  const RunResult resumed = run_program(home, with({"--resume", "foxes"}), "And then?\n/stats\n");
  EXPECT_EQ(resumed.status, 0);
  EXPECT_NE(resumed.err.find("> Write a short story"), std::string::npos) << resumed.err;
  EXPECT_EQ(resumed.err.find(" 0 of them cached"), std::string::npos) << resumed.err;
  EXPECT_EQ(run_program(home, with({"--resume", "bears"}), "").status, 1);
}

TEST(PlainChatTest, AnUnknownThemeIsToldEvenWhereNoneIsUsed) {
  const TempDir home;
  const RunResult result = run_program(home, with({"--theme", "nope"}));
  EXPECT_EQ(result.status, 1);
  EXPECT_NE(result.err.find("no theme 'nope'"), std::string::npos) << result.err;
}

TEST(PlainChatTerminalTest, ADumbTerminalHasAChatOfLines) {
  const TempDir home;
  PtyProgram program(home, with({}), 24, 200, {"TERM=dumb"});
  ASSERT_TRUE(program.wait_for("often wrong"));
  ASSERT_TRUE(program.wait_for("> "));
  // What readline would pass on, and no control character that is a key.
  std::string hostile;
  for (const char* sequence : {"\u009b31m", "\u0090q", "\u009d0;x", "\u202egpj.exe", "\u2066",
                               "\U000e0041", "\x9b", "\xc0\x9b", "\xed\xa0\x80", "\xff"})
    hostile += std::string(sequence) + " ";
  program.type(hostile + "typed");
  ASSERT_TRUE(program.wait_for("typed")) << program.output();
  program.type("\r");
  ASSERT_TRUE(program.wait_for("\n> ")) << program.output();
  program.type("\x1b[A");
  ASSERT_TRUE(program.wait_for("typed")) << "from the history: " << program.output();
  program.type("\x15/set num_predict 2000\r");
  ASSERT_TRUE(program.wait_for("\n> ")) << program.output();
  program.type("\x1b[200~See @" + home.file("secret.txt", "s") + "\x1b[201~\r");
  ASSERT_TRUE(program.wait_for("secret.txt. Attach it? (y/N) ")) << program.output();
  program.type("\x03");
  ASSERT_TRUE(program.wait_for("\n> ")) << program.output();
  program.type("Write a very long story about a fox.\r");
  ASSERT_TRUE(program.wait_for("fox.\r\n"));
  program.type("\x03");
  ASSERT_TRUE(program.wait_for("> ")) << "the chat goes on after an interrupt";
  program.type("/retry 2 temp 1\r");
  for (const char* answer : {"\nAnswer 1 of 2:\r\n", "\nAnswer 2 of 2:\r\n"}) {
    ASSERT_TRUE(program.wait_for(answer)) << program.output();
    program.type("\x03");
    ASSERT_TRUE(program.wait_for("(this answer was stopped)")) << program.output();
  }
  ASSERT_TRUE(program.wait_for("\n> ")) << program.output();
  EXPECT_EQ(program.output().find("To leave"), std::string::npos)
      << "each interrupt stopped one: " << program.output();
  program.type("\x04");
  EXPECT_EQ(program.wait_for_exit(), 0);
  EXPECT_TRUE(program.terminal_is_cooked());
  EXPECT_EQ(ui::foreign_sequence(program.output()), std::nullopt);
}

TEST(PlainChatTerminalTest, AScreenReaderGetsWholeLinesAndNoEscapes) {
  const TempDir home;
  PtyProgram program(home, with({}), 24, 80, {"TERM=xterm-256color", "ACCESSIBLE=1"});
  ASSERT_TRUE(program.wait_for("> "));
  program.type("\"\"\"Say\r");
  ASSERT_TRUE(program.wait_for("\n. "));
  program.type("hello.\"\"\"\r");
  ASSERT_TRUE(program.wait_for("\nAnswer:\r\n"));
  ASSERT_TRUE(program.wait_for("\n> "));
  program.type("\x04");
  EXPECT_TRUE(program.wait_for("confab -C continues \"Say\""));
  EXPECT_EQ(program.wait_for_exit(), 0);
  EXPECT_EQ(program.output().find('\x1b'), std::string::npos) << program.output();
}

TEST(PlainChatTerminalTest, WhatTheScreenTellsIsToldInLinesToo) {
  const TempDir home;
  PtyProgram program(home, with({}), 24, 200, {"TERM=dumb"});
  const auto told = [&program](const std::string& line, const std::string& answer) {
    program.type(line + "\r");
    EXPECT_TRUE(program.wait_for(answer)) << program.output();
    EXPECT_TRUE(program.wait_for("\n> ")) << program.output();
  };
  ASSERT_TRUE(program.wait_for("Ctrl+D leaves.\r\n> ")) << program.output();
  told("?", "  Ctrl+Z             suspend the program");
  told("exit", "To leave: /exit or Ctrl+D. Send \"exit\" again to ask the model.");
  program.type("\x03");
  ASSERT_TRUE(program.wait_for("To leave: /exit or Ctrl+D.\r\n> ")) << program.output();
  told("/theme light", "Theme: light; there are no colours in this mode.");
  told("/resume", "No saved conversations yet.");
  program.type("\x04");
  EXPECT_EQ(program.wait_for_exit(), 0);
  const std::string output = program.output();
  EXPECT_EQ(output.find("PgUp"), std::string::npos) << "a key that does nothing here";
  EXPECT_TRUE(std::ranges::all_of(output, [](char c) { return (c & 0x80) == 0; })) << output;
}

// A question, and an answer that was being written when its program was killed.
class UnfinishedTest : public ::testing::Test {
 protected:
  void leave(const std::string& begun) {
    sessions::Store store(database());
    const auto c = store.create_conversation(
        {{sessions::NewMessage{.role = sessions::Role::user, .content = "What is a fox?"}}});
    store.append_message(c.conversation, c.message,
                         {.role = sessions::Role::assistant,
                          .content = begun,
                          .state = sessions::MessageState::draft});
  }
  std::filesystem::path database() const { return home_ / ".local/share/confab/confab.db"; }
  TempDir home_;
};

TEST_F(UnfinishedTest, WhatThereIsIsShownAndGoesOn) {
  leave("A fox is a small animal that");
  const RunResult result = run_program(home_, with({"--continue"}), "/continue\n");
  EXPECT_EQ(result.status, 0);
  EXPECT_NE(result.err.find("A fox is a small animal that\n"), std::string::npos) << result.err;
  EXPECT_NE(result.err.find("/continue continues it"), std::string::npos) << result.err;
  EXPECT_EQ(result.out.find("A fox is"), std::string::npos) << result.out;  // it is there already
  sessions::Store store(database());
  const auto tree = store.tree(sessions::ConversationId{1});
  ASSERT_EQ(tree.messages.size(), 3U);
  EXPECT_EQ(tree.messages[2].content.find("A fox is a small animal that"), 0U);
  EXPECT_GT(tree.messages[2].content.size(), tree.messages[1].content.size());
  EXPECT_EQ(tree.messages[2].parent, tree.messages[0].id);
  EXPECT_EQ(result.out, tree.messages[2].content.substr(tree.messages[1].content.size()) + "\n");
}

TEST_F(UnfinishedTest, AQuestionWithoutAnAnswerIsAnswered) {
  leave("");
  const RunResult result = run_program(home_, with({"--continue"}), "/continue\n");
  EXPECT_NE(result.err.find("/continue answers it"), std::string::npos) << result.err;
  EXPECT_FALSE(result.out.empty());
}

// A disk that takes no message.
class UnsavedLinesTest : public ::testing::Test {
 protected:
  UnsavedLinesTest() {
    const std::filesystem::path database = home_ / ".local/share/confab/confab.db";
    sessions::Store{database};
    sessions::Database(database).run_script(
        "CREATE TRIGGER full BEFORE INSERT ON message"
        " BEGIN SELECT raise(ABORT, 'the disk is full'); END;");
  }
  TempDir home_;
};
using UnsavedLinesTerminalTest = UnsavedLinesTest;

// Where nobody can be asked, what can be done is told, and the end of the input is the end.
TEST_F(UnsavedLinesTest, ALeavingScriptIsTold) {
  const RunResult result = run_program(home_, with({}), "What is a fox?\n/quit\n/history\n");
  EXPECT_EQ(result.status, 0);
  EXPECT_NE(result.err.find("the disk is full; the chat continues"), std::string::npos)
      << result.err;
  EXPECT_NE(result.err.find("save it with /export"), std::string::npos) << result.err;
}

TEST_F(UnsavedLinesTerminalTest, NoStaysAndYesLeaves) {
  PtyProgram program(home_, with({}), 24, 200, {"TERM=dumb"});
  ASSERT_TRUE(program.wait_for("> "));
  program.type("What is a fox?\r");
  ASSERT_TRUE(program.wait_for("the disk is full; the chat continues"));
  ASSERT_TRUE(program.wait_for("\n> "));
  for (const char* leave : {"/quit\r", "\x04", "/new\r", "/quit\r", "\x04"}) {
    program.type(leave);
    if (leave == std::string_view("/new\r")) {
      ASSERT_TRUE(program.wait_for("\n> ")) << program.output();
      continue;
    }
    ASSERT_TRUE(program.wait_for("Leave and lose unsaved text? (y/N) ")) << program.output();
    program.type("n\r");
    ASSERT_TRUE(program.wait_for("\n> ")) << program.output();
  }
  program.type("\x04\x04");  // no answer
  ASSERT_TRUE(program.wait_for("\n> "));
  program.type("/quit\r");
  ASSERT_TRUE(program.wait_for("Leave and lose unsaved text? (y/N) "));
  program.type("y\r");
  EXPECT_EQ(program.wait_for_exit(), 0);
}

// Two programs with one conversation: each goes on, and is told of the other.
TEST(PlainChatTest, TwoProgramsAreToldOfEachOther) {
  const TempDir home;
  ASSERT_EQ(run_program(home, with({}), "What is a fox?\n").status, 0);
  PipeProgram one(home, with({"--continue"})), two(home, with({"--continue"}));
  ASSERT_TRUE(one.wait_for("> What is a fox?"));
  ASSERT_TRUE(two.wait_for("> What is a fox?"));
  one.type("From one.\n/stats\n");
  ASSERT_TRUE(one.wait_for("of them cached"));
  EXPECT_EQ(one.output().find("Another program"), std::string::npos);
  two.type("From two.\n/stats\n");
  EXPECT_TRUE(two.wait_for("Another program"));
  ASSERT_TRUE(two.wait_for("of them cached"));
  one.type("More from one.\n/stats\n");
  EXPECT_TRUE(one.wait_for("Another program"));
  ASSERT_TRUE(one.wait_for("of them cached"));
  for (PipeProgram* program : {&one, &two}) {
    program->type("/exit\n");
    EXPECT_EQ(program->wait_for_exit(), 0);
  }
  sessions::Store store(home / ".local/share/confab/confab.db");
  EXPECT_EQ(store.list().at(0).n_messages, 8);
}

}  // namespace
}  // namespace confab::app
