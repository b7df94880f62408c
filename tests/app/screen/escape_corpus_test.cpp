// SPDX-License-Identifier: MIT
// Untrusted text in what the program prints on a terminal without the full screen: lists, exports,
// progress, errors.
#include "tests/ui/escape_corpus.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <memory>

#include "app/progress_line.h"
#include "sessions/conversations/store.h"
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
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::tmpfile(), std::fclose);
  ASSERT_NE(file, nullptr);
  ProgressLine progress(file.get(), true);
  std::array<char, 65536> buffer;
  for (const std::string& sequence : ui::escape_corpus()) {
    std::rewind(file.get());
    progress.show("reading " + sequence);
    progress.show(50, sequence + " read");
    const long n = std::ftell(file.get());
    ASSERT_GT(n, 0);
    std::rewind(file.get());
    const std::string out(buffer.data(),
                          std::fread(buffer.data(), 1, static_cast<std::size_t>(n), file.get()));
    ASSERT_EQ(ui::foreign_sequence(out), std::nullopt) << testing::PrintToString(sequence);
  }
}

// Conversations whose titles and messages hold the whole corpus; the last is called "all".
void fill(const TempDir& home) {
  sessions::Store store(home / ".local/share/confab/confab.db");
  std::vector<sessions::NewMessage> messages;
  for (const std::string& text : batches(50)) {
    messages.push_back({.role = sessions::Role::user, .content = "ask " + text});
    messages.push_back({.role = sessions::Role::assistant, .content = "answer " + text});
    store.create_conversation({{sessions::NewMessage{.content = "one " + text}}}, text);
  }
  store.create_conversation(messages, "all");
}

// A command about conversations on a terminal, from its question, if it has one, to its end.
RunResult on_a_terminal(const TempDir& home, const std::vector<std::string>& words,
                        const Environment& environment = {}, const std::string& answer = {}) {
  PtyProgram program(home, words, 24, 200, environment);
  if (!answer.empty()) {
    EXPECT_TRUE(program.wait_for("[y/N]"));
    program.type(answer + "\r");
  }
  const int status = program.wait_for_exit();
  EXPECT_EQ(foreign_in_lines(program.output()), std::nullopt) << testing::PrintToString(words);
  return {.status = status, .out = program.output(), .err = {}};
}

TEST(EscapeCorpusTerminalTest, ListsExportsAndQuestionsAboutConversations) {
  const TempDir home;
  fill(home);
  for (const std::vector<std::string>& words : {std::vector<std::string>{"list"},
                                                {"search", "payload"},
                                                {"export", "all"},
                                                {"export", "all", "--format", "json"},
                                                {"export", "all", "--format", "html"}}) {
    const RunResult result = on_a_terminal(home, words);
    EXPECT_EQ(result.status, 0) << words[0];
    EXPECT_GT(result.out.size(), 1000u) << words[0];
  }
  const auto search = [&](const Environment& environment) {
    return on_a_terminal(home, {"search", "payload"}, environment).out;
  };
  EXPECT_NE(search({}).find("\x1b[1mpayload\x1b[22m"), std::string::npos);
  EXPECT_NE(search({"NO_COLOR=1"}).find("[payload]"), std::string::npos);
  EXPECT_EQ(search({"NO_COLOR=1"}).find('\x1b'), std::string::npos);
  EXPECT_EQ(on_a_terminal(home, {"delete", "1"}, {}, "n").status, 1);
  EXPECT_EQ(run_program(home, {"export", "1"}).status, 0);
  EXPECT_EQ(on_a_terminal(home, {"delete", "1"}, {}, "y").status, 0);
  EXPECT_EQ(run_program(home, {"export", "1"}).status, 1);
}

TEST(EscapeCorpusTest, Faults) {
  const TempDir home;
  for (const std::string& text : batches(60)) {
    for (const std::vector<std::string>& words : {std::vector<std::string>{"-m", text},
                                                  {"-p", "x", text},
                                                  {"export", text},
                                                  {"--" + text},
                                                  {"-c", text},
                                                  {"--theme", text + ".toml", "--plain"}}) {
      const RunResult result = run_program(home, words, "/exit\n");
      EXPECT_NE(result.status, 0) << words[0];
      EXPECT_FALSE(result.err.empty());
      EXPECT_EQ(ui::foreign_sequence(result.err), std::nullopt) << words[0];
    }
  }
}

}  // namespace
}  // namespace confab::app
