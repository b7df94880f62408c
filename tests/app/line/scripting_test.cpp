// SPDX-License-Identifier: MIT
// The examples of the Scripting sections of README.md and docs/reference.md, run by shells with the
// demo model.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
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

// What an example is to leave behind, as regular expressions: what the model says is its own.
struct Expected {
  std::string begin;  // of the example
  std::string out;
  std::string err = "";
  int status = 0;
};

// A text as an expression that means just that.
std::string exactly(const std::string& text) {
  return std::regex_replace(text, std::regex(R"([.*+?^${}()|[\]\\])"), R"(\$&)");
}

const std::string kAnswer = "[\\s\\S]*\\S[\\s\\S]*\\n";

const std::string kBatchSummary =
    "confab: 2 requests answered in \\w+\\.jsonl \\(\\d+ s, [\\d.,]+ tokens/s\\)\n";

const std::vector<Expected> kExpectedOfReadme{
    {"confab -p \"What differs?\"", ""},
    {"confab --yes-no \"Are there errors", "yes\nlook at it\n"},
    {"confab -p \"Invent a person\"", "\"age\": \\d+\n"},
    {"confab -p \"Write a Python function", ""},
    {"confab batch", "2\n", kBatchSummary},
};

const std::vector<Expected> kExpected{
    {"diff -u old.md new.md |", ""},
    {"confab -p \"What differs?\"", kAnswer},
    {"confab -p \"What are these files", kAnswer,
     exactly("confab: src/: left out 1 file that is not text: src/logo.png\n")},
    {"confab -p \"Write a Python function\"", "[^`\\n]+\\n"},
    {"confab -p \"Say hello.\" --json", "\"finish_reason\":\"stop\"\\n"},
    {"confab -p \"Say hello.\" --stream-json", "1\\n"},
    {"while read -r name", kAnswer},
    {"confab -p \"What is this about?\" long.txt", "status 4\\n",
     exactly("confab: the prompt has 2,712 tokens, 665 more than fit; shorten it, or give "
             "--overflow truncate or split; the model allows no larger context\n")},
    {"confab -p \"What is this about?\" --overflow truncate", kAnswer,
     exactly("confab: left out to make it fit: 297 lines of long.txt\n")},
    {"confab -p \"What is this about?\" --overflow split", kAnswer,
     exactly("confab: the text does not fit into the context, so it is read in 2 pieces\n")},
    {"confab -p \"Say hello.\" -n 2", "answered\\n"},
    {"confab -p \"Say hello.\" -m no-such-model", "get the model first\\n",
     exactly("confab: no model 'no-such-model': give a GGUF file, or a name that confab models "
             "lists\n")},
    {"confab --yes-no \"Is this message", "yes\nsend it\n"},
    {"case $(confab --choose bug", "fix it\n"},
    {"confab --choose-from", "\"answer\":\"water\"\n"},
    {"confab --choose heads,tails", "ask a person\n",
     "confab: unsure: (heads|tails) is the likeliest with 0\\.\\d\\d, below the threshold of "
     "0\\.99\n"},
    {"confab batch", "\"id\":\"a\"\n\"id\":\"b\"\n", kBatchSummary},
    {"confab -p \"Invent a person\"", "\"age\": \\d+\n"},
    {"confab -p \"Is water wet?\"", "\\{\\s*\"wet\":\\s*(true|false)\\s*\\}\n"},
    {"year=$(confab", "\\d{4}\n"},
    {"confab -p \"Write a Python function that adds", "[^`\\n]+\\n"},
    {"confab -p \"Name three colours.\"", "status 3\n"},
    {"confab -p \"Make a table", "\\|.*\\|\n\\|[-:| ]+\\|\n"},
};

std::vector<std::string> examples(const std::string& file) {
  std::string text = read_file(fs::path(CONFAB_SOURCE_DIR) / file);
  text = text.substr(text.find("# Scripting\n"));
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

struct Section {
  const char* file;
  const std::vector<Expected>& expected;
};
const Section kSections[] = {{"README.md", kExpectedOfReadme}, {"docs/reference.md", kExpected}};

class ScriptingTest : public testing::TestWithParam<const char*> {
 protected:
  ScriptingTest() {
    home_.file("w/old.md", "The fox runs.\n");
    home_.file("w/new.md", "The hen runs.\n");
    // diff says when files were written; what is asked is to be the same each time.
    using namespace std::chrono;
    const auto written =
        file_clock::from_sys(sys_time<nanoseconds>(sys_days(2026y / November / 25)));
    for (const char* file : {"w/old.md", "w/new.md"}) fs::last_write_time(home_ / file, written);
    home_.file("w/src/a.c", "int main(void) { return 0; }\n");
    home_.file("w/src/logo.png", "\x89PNG\r\n\x1A\n");
    home_.file("w/src/.gitignore", "*.o\n");
    home_.file("w/src/a.o", "ignored");
    home_.file("w/notes/x/day.md", "It rained.\n");
    home_.file("w/names.txt", "Ada\nGrace\n");
    home_.file("w/app.log", "12 errors\nthe disk is full\n");
    home_.file("w/mail.txt", "Dear Ada,\n\nthank you very much for your kind letter.\n");
    home_.file("w/issue.txt", "The program crashes when I open a file.\n");
    home_.file("w/drinks.txt", "stones\nwater\nbread\n");
    home_.file("w/requests.jsonl",
               "{\"id\": \"a\", \"prompt\": \"Say hello.\"}\n"
               "{\"id\": \"b\", \"prompt\": \"Say goodbye.\"}\n");
    home_.file("w/person.json",
               "{\"type\": \"object\", \"properties\": {\"name\": {\"type\": \"string\"}, \"age\": "
               "{\"type\": \"integer\"}}, \"required\": [\"name\", \"age\"], "
               "\"additionalProperties\": false}\n");
    std::string numbers;
    for (int i = 1; i <= 700; ++i) numbers += std::to_string(i) + "\n";
    home_.file("w/long.txt", numbers);
    home_.file(".config/confab/config.toml", "temperature = 0\nthreads = 1\n");
    fs::create_directory(home_ / "bin");
    fs::create_symlink(confab_program(), home_ / "bin/confab");
  }
  RunResult run(const std::string& script) {
    return run_command(home_, {GetParam(), "-c", "cd ~/w || exit\n" + script}, "",
                       {"PATH=" + (home_ / "bin").string() + ":/usr/bin:/bin", "TZ=UTC"});
  }
  TempDir home_;
};

TEST(ScriptingExamplesTest, EveryExampleHasItsExpectation) {
  for (const auto& [file, expected] : kSections) {
    const std::vector<std::string> all = examples(file);
    ASSERT_EQ(all.size(), expected.size()) << file;
    for (std::size_t i = 0; i < all.size(); ++i)
      EXPECT_TRUE(all[i].starts_with(expected[i].begin)) << all[i];
  }
}

TEST_P(ScriptingTest, EveryExampleDoesWhatItSays) {
  if (access(GetParam(), X_OK) != 0) GTEST_SKIP() << GetParam() << " is not installed";
  for (const auto& [file, expected] : kSections) {
    const std::vector<std::string> all = examples(file);
    for (std::size_t i = 0; i < std::min(all.size(), expected.size()); ++i) {
      const RunResult result = run(all[i]);
      EXPECT_TRUE(std::regex_match(result.out, std::regex(expected[i].out)))
          << all[i] << result.out;
      EXPECT_TRUE(std::regex_match(result.err, std::regex(expected[i].err)))
          << all[i] << result.err;
      EXPECT_EQ(result.status, expected[i].status) << all[i];
    }
  }
  for (const char* file : {"differences.md", "add.py", "message.txt", "function.py", "cut.txt"})
    EXPECT_FALSE(read_file(home_ / "w" / file).empty()) << file;
  EXPECT_EQ(read_file(home_ / "w/colours.txt"), "") << "it has not been accepted";
  EXPECT_TRUE(std::regex_match(
      read_file(home_ / "w/refused.txt"),
      std::regex("[\\s\\S]+\nconfab: no answer has the form list:3 after 2 attempts; .*\n")));
}

INSTANTIATE_TEST_SUITE_P(Shells, ScriptingTest, testing::Values("/bin/bash", "/bin/dash"),
                         [](const auto& shell) {
                           return std::string(fs::path(shell.param).filename());
                         });

}  // namespace
}  // namespace confab::app
