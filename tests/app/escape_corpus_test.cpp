// SPDX-License-Identifier: MIT
// Untrusted text in what the program prints on a terminal without the full screen: lists, exports,
// progress, errors.
#include "tests/ui/escape_corpus.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <memory>

#include "app/progress_line.h"
#include "sessions/store.h"
#include "tests/app/program.h"
#include "tests/ui/escape_scanner.h"

namespace confab::app {
namespace {

// The corpus in some pieces, for what is too costly to do with each sequence alone. Without NUL,
// which no argument of a program holds.
std::vector<std::string> batches(std::size_t n_sequences) {
  std::vector<std::string> joined(1);
  std::size_t n = 0;
  for (std::string sequence : ui::escape_corpus()) {
    std::erase(sequence, '\0');
    if (n++ % n_sequences == 0 && n > 1) joined.emplace_back();
    joined.back() += "<" + sequence + "> ";
  }
  return joined;
}

// The terminal shows line breaks as CR LF, and a search marks what it finds.
std::optional<std::string> foreign_in_lines(std::string text) {
  for (const std::string_view own : {"\x1b[1m", "\x1b[22m"})
    for (std::size_t at = text.find(own); at != std::string::npos; at = text.find(own))
      text.erase(at, own.size());
  return ui::foreign_sequence(text);
}

TEST(EscapeCorpusTest, ProgressLines) {
  const int master = posix_openpt(O_RDWR | O_NOCTTY);
  ASSERT_EQ(grantpt(master) + unlockpt(master), 0);
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(
      fdopen(open(ptsname(master), O_RDWR | O_NOCTTY), "w"), std::fclose);
  ProgressLine progress(file.get());
  std::array<char, 65536> buffer;
  for (const std::string& sequence : ui::escape_corpus()) {
    progress.show("reading " + sequence);
    progress.show(50, sequence + " read");
    const ssize_t n = read(master, buffer.data(), buffer.size());
    ASSERT_GT(n, 0);
    const std::string out(buffer.data(), static_cast<std::size_t>(n));
    ASSERT_EQ(ui::foreign_sequence(out), std::nullopt) << testing::PrintToString(sequence);
  }
  close(master);
}

class EscapeCorpusProgramTest : public testing::Test {
 protected:
  std::string on_a_terminal(const std::vector<std::string>& words) {
    PtyProgram program(home_, words, 24, 200);
    EXPECT_EQ(program.wait_for_exit(), 0);
    return program.output();
  }
  TempDir home_;
};

TEST_F(EscapeCorpusProgramTest, ListsAndExportsOfConversations) {
  {
    sessions::Store store(home_ / ".local/share/confab/confab.db");
    std::vector<sessions::NewMessage> messages;
    for (const std::string& text : batches(50)) {
      messages.push_back({.role = sessions::Role::user, .content = "ask " + text});
      messages.push_back({.role = sessions::Role::assistant, .content = "answer " + text});
      store.create_conversation({{sessions::NewMessage{.content = "one " + text}}}, text);
    }
    store.create_conversation(messages, "all");
  }
  for (const std::vector<std::string>& words : {std::vector<std::string>{"list"},
                                                {"search", "payload"},
                                                {"export", "all"},
                                                {"export", "all", "--format", "json"},
                                                {"export", "all", "--format", "html"}}) {
    const std::string out = on_a_terminal(words);
    EXPECT_GT(out.size(), 1000u) << words[0];
    EXPECT_EQ(foreign_in_lines(out), std::nullopt) << testing::PrintToString(words);
  }
}

TEST_F(EscapeCorpusProgramTest, Faults) {
  for (const std::string& text : batches(60)) {
    for (const std::vector<std::string>& words : {std::vector<std::string>{"-m", text},
                                                  {"-p", "x", text},
                                                  {"export", text},
                                                  {"--" + text},
                                                  {"-c", text},
                                                  {"--theme", text + ".toml", "--plain"}}) {
      const RunResult result = run_program(home_, words, "/exit\n");
      EXPECT_NE(result.status, 0) << words[0];
      EXPECT_FALSE(result.err.empty());
      EXPECT_EQ(ui::foreign_sequence(result.err), std::nullopt) << words[0];
    }
  }
}

// readline draws here; what it would pass on, and no control character that is a key.
TEST_F(EscapeCorpusProgramTest, PastesAndHistoryOfThePlainChat) {
  std::string text;
  for (const char* sequence : {"\u009b31m", "\u0090q", "\u009d0;x", "\u202egpj.exe", "\u2066",
                               "\U000e0041", "\x9b", "\xc0\x9b", "\xed\xa0\x80", "\xff"})
    text += std::string(sequence) + " ";
  PtyProgram program(home_, {"--plain", "-t", "1", "-n", "4"}, 24, 200);
  ASSERT_TRUE(program.wait_for("> "));
  program.type("\x1b[200~" + text + "pasted\x1b[201~");
  ASSERT_TRUE(program.wait_for("pasted")) << program.output();
  program.type("\r");
  ASSERT_TRUE(program.wait_for("stopped")) << program.output();
  program.type("\x1b[A");
  ASSERT_TRUE(program.wait_for("pasted")) << program.output();
  program.type("\x15\x04");
  EXPECT_EQ(program.wait_for_exit(), 0);
  EXPECT_EQ(ui::foreign_sequence(program.output()), std::nullopt);
}

}  // namespace
}  // namespace confab::app
