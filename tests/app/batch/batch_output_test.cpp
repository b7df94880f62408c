// SPDX-License-Identifier: MIT
#include "app/batch/batch_output.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>

#include "app/batch/batch.h"
#include "app/error.h"
#include "tests/temp_dir.h"

namespace confab::app {
namespace {

using testing::HasSubstr;

// Of each kind: without an id, with one, of OpenAI's, and one that failed.
std::vector<BatchEntry> entries() {
  return {{.line = 1},
          {.line = 2, .id = "\"two\\n\""},
          {.line = 3, .id = "\"three\"", .openai = true},
          {.line = 4, .id = "4"},
          {.line = 6}};
}

std::string line_of(const BatchEntry& entry) {
  if (entry.line == 4) return error_line(entry, "no \"good\"");
  return answer_line(entry, {.text = "text of " + std::to_string(entry.line) + "\n"}, "m", 5);
}

void add(BatchOutput& output, const BatchEntry& entry) {
  output.append(entry, line_of(entry), entry.line == 4);
}

std::string all_lines() {
  std::string text;
  for (const BatchEntry& entry : entries()) text += line_of(entry) + "\n";
  return text;
}

class BatchOutputTest : public testing::Test {
 protected:
  std::string fault(const std::string& text) const {
    const std::string bad = folder.file("bad.jsonl", text);
    try {
      BatchOutput output(bad);
    } catch (const UserError& error) {
      EXPECT_EQ(read_file(bad), text) << "it is left as it was";
      return error.what();
    }
    return "none";
  }
  const TempDir folder;
  const std::string path = folder / "out.jsonl";
};

TEST_F(BatchOutputTest, ANewFileHasNothing) {
  BatchOutput output(path);
  EXPECT_TRUE(output.is_empty());
  for (const BatchEntry& entry : entries()) {
    EXPECT_FALSE(output.has(entry));
    add(output, entry);
    EXPECT_TRUE(output.has(entry));
  }
  EXPECT_EQ(output.n_failed(), 1);
  EXPECT_EQ(read_file(path), all_lines());
}

// A crash leaves any number of its bytes: what is whole counts, what is not is asked for again, and
// the end is the same.
TEST_F(BatchOutputTest, GoesOnFromWhateverACrashLeft) {
  const std::string all = all_lines();
  for (std::size_t n = 0; n <= all.size(); ++n) {
    write_file(path, all.substr(0, n));
    const auto n_whole =
        std::count(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(n), '\n');
    BatchOutput output(path);
    std::ptrdiff_t i = 0;
    for (const BatchEntry& entry : entries()) {
      ASSERT_EQ(output.has(entry), i++ < n_whole) << n;
      if (!output.has(entry)) add(output, entry);
    }
    EXPECT_EQ(output.n_failed(), 1);
    ASSERT_EQ(read_file(path), all) << n;
  }
}

TEST_F(BatchOutputTest, WhatIsNoBatchIsLeftAlone) {
  EXPECT_THAT(fault("my notes\n"), HasSubstr("bad.jsonl: line 1 is not an answer of a batch"));
  EXPECT_THAT(fault(line_of(entries()[0]) + "\n{\"a\": 1}\n"), HasSubstr("line 2 is not"));
  EXPECT_THAT(fault(line_of(entries()[0]) + "\n[]\n" + line_of(entries()[1])),
              HasSubstr("line 2 is not"));
  EXPECT_THAT(fault("my only copy of the notes"), HasSubstr("line 1 is not an answer"));
  EXPECT_THAT(fault(line_of(entries()[0]) + "\nnotes"), HasSubstr("line 2 is not an answer"));
  EXPECT_THAT(fault("{\"line\": 5, \"text\": \"of another program\"}\n"),
              HasSubstr("line 1 is not"));
  EXPECT_THAT(fault(R"({"custom_id":"a","method":"POST","url":"/v1/chat/completions","body":{}})"
                    "\n"),
              HasSubstr("line 1 is not"));
  EXPECT_THROW(BatchOutput(folder.path().string()), UserError);
  EXPECT_THROW(BatchOutput("/dev/null"), UserError);
  EXPECT_THROW(BatchOutput("/nowhere/at/all"), UserError);
}

// As where a first run was not to keep the order, and other requests were answered before.
TEST_F(BatchOutputTest, LinesArePutInOrder) {
  const std::vector<BatchEntry> all = entries();
  const BatchEntry other{.line = 9, .id = "\"nine\""};
  write_file(path, line_of(all[3]) + "\n" + line_of(other) + "\n" + line_of(all[1]) + "\n");
  BatchOutput output(path);
  for (const std::size_t i : {4U, 0U, 2U}) add(output, all[i]);
  output.put_in_order(all);
  EXPECT_EQ(read_file(path), line_of(other) + "\n" + all_lines());
}

TEST_F(BatchOutputTest, LinesThatAreInOrderStay) {
  BatchOutput output(path);
  const std::vector<BatchEntry> all = entries();
  for (const std::size_t i : {0U, 2U, 4U}) add(output, all[i]);
  const std::string before = read_file(path);
  output.put_in_order(all);
  EXPECT_EQ(read_file(path), before);
  add(output, all[1]);
  EXPECT_EQ(read_file(path), before + line_of(all[1]) + "\n") << "it is the same file";
}

TEST_F(BatchOutputTest, NothingIsChangedBeforeTheFirstAnswer) {
  const std::string torn = line_of(entries()[0]) + "\n" + line_of(entries()[1]).substr(0, 20);
  write_file(path, torn);
  { const BatchOutput output(path); }
  EXPECT_EQ(read_file(path), torn);
}

TEST_F(BatchOutputTest, TheInputIsNotTheOutput) {
  const std::string in = folder.file("in.jsonl", "");
  std::filesystem::create_hard_link(in, path);
  EXPECT_THROW(BatchOutput(path, in), UserError);
}

TEST_F(BatchOutputTest, TwoDoNotWriteToOne) {
  const BatchOutput first(path);
  try {
    const BatchOutput second(path);
    FAIL() << "there were two";
  } catch (const UserError& error) {
    EXPECT_THAT(error.what(), HasSubstr("another confab batch is writing to it"));
  }
}

// A limit on the size of files is as good as a full disk.
TEST_F(BatchOutputTest, WhatCannotBeWrittenLeavesWholeLines) {
  BatchOutput output(path);
  add(output, entries()[0]);
  const std::string before = read_file(path);
  rlimit old{};
  getrlimit(RLIMIT_FSIZE, &old);
  const auto old_handler = signal(SIGXFSZ, SIG_IGN);
  const rlimit small{before.size() + 10, old.rlim_max};
  setrlimit(RLIMIT_FSIZE, &small);
  std::string fault;
  try {
    add(output, entries()[1]);
  } catch (const UserError& error) {
    fault = error.what();
  }
  setrlimit(RLIMIT_FSIZE, &old);
  signal(SIGXFSZ, old_handler);
  EXPECT_THAT(fault, HasSubstr("out.jsonl: cannot be written: "));
  EXPECT_EQ(read_file(path), before);
  EXPECT_FALSE(output.has(entries()[1]));
}

}  // namespace
}  // namespace confab::app
