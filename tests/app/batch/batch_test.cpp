// SPDX-License-Identifier: MIT
// `confab batch` as scripts use it: the built program, killed and run again.
#include "app/batch/batch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/inotify.h>

#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "sessions/fd.h"
#include "tests/app/program.h"

namespace confab::app {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

// Of a few tokens each, by one system prompt.
std::string requests(int n) {
  std::string text;
  for (int i = 0; i < n; ++i)
    text += json{{"id", "r" + std::to_string(i)},
                 {"system", "You are a helpful assistant who answers in one short sentence."},
                 {"prompt", "Tell me something about the number " + std::to_string(i) + "."},
                 {"temperature", 0},
                 {"max_tokens", 4 + i % 7}}
                .dump() +
            "\n";
  return text;
}

// The answers by id; that there is one of each is a test of its own.
std::map<std::string, std::string> answers(const std::filesystem::path& file) {
  std::map<std::string, std::string> found;
  std::istringstream in(read_file(file));
  for (std::string line; std::getline(in, line);) {
    const json answer = json::parse(line);
    EXPECT_TRUE(found.emplace(answer["id"], answer["answer"]).second) << answer["id"];
  }
  return found;
}

// Waits until a file has been written to so many times.
class Watch {
 public:
  explicit Watch(const std::string& file) : fd_(inotify_init1(IN_CLOEXEC)) {
    inotify_add_watch(fd_.get(), file.c_str(), IN_MODIFY);
  }
  bool wait_for(int n) {
    for (; n > 0; --n) {
      pollfd fd{fd_.get(), POLLIN, 0};
      if (poll(&fd, 1, 60'000) != 1) return false;
      alignas(inotify_event) std::array<char, 1024> events;
      if (read(fd_.get(), events.data(), sizeof(inotify_event)) <= 0) return false;
    }
    return true;
  }

 private:
  sessions::Fd fd_;
};

class BatchTest : public testing::Test {
 protected:
  std::vector<std::string> words(const std::string& file, const std::string& to,
                                 const std::string& n = "4") const {
    return {"batch", file, "--out", to, "--parallel", n, "-t", "2"};
  }
  const TempDir home;
  const std::string in = home.file("in.jsonl", requests(24));
  const std::string out = home / "out.jsonl";
};

TEST_F(BatchTest, AnswersDoNotDependOnHowManyAreWrittenAtATime) {
  const RunResult one = run_program(home, words(in, home / "one.jsonl", "1"));
  EXPECT_EQ(one.status, 0) << one.err;
  EXPECT_EQ(one.out, "");
  EXPECT_THAT(one.err, HasSubstr("confab: 24 requests answered in "));
  const RunResult many = run_program(home, words(in, out, "8"));
  EXPECT_EQ(many.status, 0) << many.err;
  const auto want = answers(home / "one.jsonl");
  EXPECT_EQ(want.size(), 24U);
  EXPECT_EQ(answers(out), want);
}

TEST_F(BatchTest, KilledAnywhereItGoesOn) {
  ASSERT_EQ(run_program(home, words(in, home / "whole.jsonl")).status, 0);
  home.file("out.jsonl", "");
  for (const int n_lines : {1, 3, 6}) {
    Watch watch(out);
    PipeProgram program(home, words(in, out));
    ASSERT_TRUE(watch.wait_for(n_lines));
    program.signal(SIGKILL);
    EXPECT_EQ(program.wait_for_exit(), 128 + SIGKILL);
  }
  // As if the power had gone while a line was written.
  const std::string text = read_file(out);
  ASSERT_GE(std::count(text.begin(), text.end(), '\n'), 10);
  write_file(out, text.substr(0, text.size() - 7));
  const RunResult last = run_program(home, words(in, out));
  EXPECT_EQ(last.status, 0) << last.err;
  EXPECT_EQ(answers(out), answers(home / "whole.jsonl"));
  const RunResult again = run_program(home, words(in, out));
  EXPECT_EQ(again.status, 0);
  EXPECT_EQ(answers(out).size(), 24U) << "there was nothing left to do";
}

TEST_F(BatchTest, CtrlCLeavesWhatCanBeGoneOnWith) {
  home.file("out.jsonl", "");
  Watch watch(out);
  PipeProgram program(home, words(in, out));
  ASSERT_TRUE(watch.wait_for(2));
  program.signal(SIGINT);
  EXPECT_EQ(program.wait_for_exit(), 130);
  EXPECT_THAT(program.output(), HasSubstr("the same command goes on from there"));
  EXPECT_LT(answers(out).size(), 24U);
  EXPECT_EQ(run_program(home, words(in, out)).status, 0);
  EXPECT_EQ(answers(out).size(), 24U);
}

TEST_F(BatchTest, AMachineThatIsHotAndShortOfMemoryIsSpared) {
  const RunResult sparing = run_program(home, words(in, out), {},
                                        {"CONFAB_PRESSURE=" + home.file("pressure", "full\n"),
                                         "CONFAB_POWER=" + home.file("power", "hot\n")});
  EXPECT_EQ(sparing.status, 0) << sparing.err;
  EXPECT_EQ(answers(out).size(), 24U);
  EXPECT_THAT(read_file(home / ".local/state/confab/log"),
              AllOf(HasSubstr("drafts and reading ahead are off"), HasSubstr("half the threads")));
}

// Also what a run has written before that was not to keep the order.
TEST_F(BatchTest, OrderedIsInOrder) {
  ASSERT_EQ(run_program(home, words(in, out)).status, 0);
  std::istringstream written(read_file(out));
  std::string first, second;
  std::getline(written, first);
  std::getline(written, second);
  write_file(out, second + "\n" + first + "\n");
  std::vector<std::string> ordered = words(in, out);
  ordered.emplace_back("--ordered");
  ASSERT_EQ(run_program(home, ordered).status, 0);
  std::istringstream lines(read_file(out));
  int i = 0;
  for (std::string line; std::getline(lines, line); ++i)
    EXPECT_EQ(json::parse(line)["id"], "r" + std::to_string(i));
  EXPECT_EQ(i, 24);
}

TEST_F(BatchTest, WhatTheRequestsBeginWithIsReadOnce) {
  ASSERT_EQ(run_program(home, words(in, out)).status, 0);
  std::istringstream lines(read_file(out));
  int n_computed = 0, n_cached = 0;
  for (std::string line; std::getline(lines, line);) {
    const json statistics = json::parse(line)["statistics"];
    n_cached += statistics["cached_tokens"].get<int>();
    n_computed += statistics["prompt_tokens"].get<int>() - statistics["cached_tokens"].get<int>();
  }
  EXPECT_GT(n_cached, n_computed);
}

TEST_F(BatchTest, LeavesNothingButTheAnswers) {
  const std::string file =
      home.file("l.jsonl", json{{"prompt", std::string(3000, 'x')}, {"max_tokens", 2}}.dump());
  ASSERT_EQ(run_program(home, words(file, out)).status, 0);
  for (const auto& entry : std::filesystem::directory_iterator(home.path()))
    EXPECT_TRUE(entry.path().filename().string().ends_with(".jsonl")) << entry.path();
}

TEST_F(BatchTest, LinesThatFailAreCounted) {
  const std::string bad = home.file("bad.jsonl", R"({"prompt": "Hi", "max_tokens": 3})"
                                                 "\nnonsense\n"
                                                 R"({"prompt": "Hi", "tools": []})"
                                                 "\n");
  const RunResult result = run_program(home, words(bad, out));
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(result.err, HasSubstr("1 of 3 requests answered, 2 failed"));
  const RunResult again = run_program(home, words(bad, out));
  EXPECT_EQ(again.status, 1) << "two lines have no answer still";
  const std::string text = read_file(out);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 3);
}

TEST_F(BatchTest, OpenAisFormatIsAnsweredInItsOwn) {
  const std::string file = home.file(
      "o.jsonl", R"({"custom_id": "x", "method": "POST", "url": "/v1/chat/completions", "body": )"
                 R"({"model": "any", "messages": [{"role": "user", "content": "Hi"}], )"
                 R"("max_tokens": 4, "temperature": 0}})"
                 "\n");
  ASSERT_EQ(run_program(home, words(file, out)).status, 0);
  const json line = json::parse(read_file(out));
  EXPECT_EQ(line["custom_id"], "x");
  EXPECT_EQ(line["response"]["body"]["choices"][0]["finish_reason"], "length");
  EXPECT_EQ(line["response"]["body"]["usage"]["completion_tokens"], 4);
}

TEST_F(BatchTest, WhatIsWrongWithTheFilesIsSaidBeforeAnythingIsComputed) {
  const std::string twins =
      home.file("t.jsonl", "{\"id\": 1, \"prompt\": \"a\"}\n{\"id\": 1, \"prompt\": \"b\"}\n");
  const RunResult same = run_program(home, words(twins, out));
  EXPECT_EQ(same.status, 1);
  EXPECT_THAT(same.err, HasSubstr("lines 1 and 2 have the same id"));
  EXPECT_FALSE(std::filesystem::exists(out));
  EXPECT_EQ(run_program(home, words("/nowhere/at/all", out)).status, 1);
  const RunResult lost = run_program(home, words(in, "/nowhere/at/all"));
  EXPECT_EQ(lost.status, 1);
  EXPECT_THAT(lost.err, HasSubstr("/nowhere/at/all: cannot be written"));
}

}  // namespace
}  // namespace confab::app
