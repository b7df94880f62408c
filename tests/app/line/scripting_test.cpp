// SPDX-License-Identifier: MIT
// The examples of the Scripting section of docs/reference.md, run by shells with the demo model.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "tests/app/program.h"
#include "tests/temp_dir.h"

namespace confab::app {
namespace {

namespace fs = std::filesystem;

// What an example is to leave behind. Standard output as a regular expression: what the model says
// is its own.
struct Expected {
  std::string begin;  // of the example
  std::string out;
  std::string err = "";
  int status = 0;
};

const std::string kAnswer = "[\\s\\S]*\\S[\\s\\S]*\\n";

const std::vector<Expected> kExpected{
    {"diff -u old.md new.md |", ""},
    {"confab -p \"What differs?\"", kAnswer},
    {"confab -p \"What are these files", kAnswer,
     "confab: src/: left out 1 file that is not text: src/logo.png\n"},
    {"confab -p \"Write a Python function\"", "[^`\\n]+\\n"},
    {"confab -p \"Say hello.\" --json", "\"finish_reason\":\"stop\"\\n"},
    {"confab -p \"Say hello.\" --stream-json", "1\\n"},
    {"while read -r name", kAnswer},
    {"confab -p \"What is this about?\" long.txt", "status 4\\n",
     "confab: the prompt has 2,712 tokens, 665 more than fit; shorten it, or give --overflow "
     "truncate or split; the model allows no larger one\n"},
    {"confab -p \"What is this about?\" --overflow truncate", kAnswer,
     "confab: left out to make it fit: 297 lines of long.txt\n"},
    {"confab -p \"What is this about?\" --overflow split", kAnswer,
     "confab: the text does not fit into the context, so it is read in 2 pieces\n"},
    {"confab -p \"Say hello.\" -n 2", "answered\\n"},
    {"confab -p \"Say hello.\" -m no-such-model", "get the model first\\n",
     "confab: no model 'no-such-model': give a GGUF file, or a name that confab models lists\n"},
};

std::vector<std::string> examples() {
  std::string text = read_file(fs::path(CONFAB_SOURCE_DIR) / "docs/reference.md");
  text = text.substr(text.find("### Scripting\n"));
  text = text.substr(0, text.find("\n## "));
  std::vector<std::string> found;
  const std::string open = "```sh\n", close = "```\n";
  for (std::size_t at = text.find(open); at != std::string::npos; at = text.find(open, at)) {
    at += open.size();
    const std::size_t end = text.find(close, at);
    found.push_back(text.substr(at, end - at));
    at = end + close.size();
  }
  return found;
}

class ScriptingTest : public testing::TestWithParam<const char*> {
 protected:
  ScriptingTest() {
    home_.file("w/old.md", "The fox runs.\n");
    home_.file("w/new.md", "The hen runs.\n");
    home_.file("w/src/a.c", "int main(void) { return 0; }\n");
    home_.file("w/src/logo.png", "\x89PNG\r\n\x1A\n");
    home_.file("w/src/.gitignore", "*.o\n");
    home_.file("w/src/a.o", "ignored");
    home_.file("w/notes/x/day.md", "It rained.\n");
    home_.file("w/names.txt", "Ada\nGrace\n");
    std::string numbers;
    for (int i = 1; i <= 700; ++i) numbers += std::to_string(i) + "\n";
    home_.file("w/long.txt", numbers);
    home_.file(".config/confab/config.toml", "temperature = 0\nthreads = 1\n");
    fs::create_directory(home_ / "bin");
    fs::create_symlink(confab_program(), home_ / "bin/confab");
  }
  RunResult run(const std::string& script) {
    return run_command(home_, {GetParam(), "-c", "cd ~/w || exit\n" + script}, "",
                       {"PATH=" + (home_ / "bin").string() + ":/usr/bin:/bin"});
  }
  TempDir home_;
};

TEST(ScriptingExamplesTest, EveryExampleHasItsExpectation) {
  const std::vector<std::string> all = examples();
  ASSERT_EQ(all.size(), kExpected.size());
  for (std::size_t i = 0; i < all.size(); ++i)
    EXPECT_TRUE(all[i].starts_with(kExpected[i].begin)) << all[i];
}

TEST_P(ScriptingTest, EveryExampleDoesWhatItSays) {
  if (access(GetParam(), X_OK) != 0) GTEST_SKIP() << GetParam() << " is not installed";
  const std::vector<std::string> all = examples();
  for (std::size_t i = 0; i < std::min(all.size(), kExpected.size()); ++i) {
    const RunResult result = run(all[i]);
    EXPECT_TRUE(std::regex_match(result.out, std::regex(kExpected[i].out))) << all[i] << result.out;
    EXPECT_EQ(result.err, kExpected[i].err) << all[i];
    EXPECT_EQ(result.status, kExpected[i].status) << all[i];
  }
  EXPECT_FALSE(read_file(home_ / "w/message.txt").empty());
  EXPECT_FALSE(read_file(home_ / "w/function.py").empty());
  EXPECT_FALSE(read_file(home_ / "w/cut.txt").empty());
}

INSTANTIATE_TEST_SUITE_P(Shells, ScriptingTest, testing::Values("/bin/bash", "/bin/dash"),
                         [](const auto& shell) {
                           return std::string(fs::path(shell.param).filename());
                         });

}  // namespace
}  // namespace confab::app
