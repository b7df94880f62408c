// SPDX-License-Identifier: MIT
#include "engine/hub/range_journal.h"

#include <gtest/gtest.h>

#include "tests/engine/error_of.h"
#include "tests/temp_dir.h"

namespace confab::engine {
namespace {

const std::string kSum(64, 'a');

class RangeJournalTest : public ::testing::Test {
 protected:
  RangeJournal open(std::uint64_t bytes = 100) const { return {file(), bytes, kSum}; }
  std::filesystem::path file() const { return dir_ / "x.journal"; }
  std::vector<ByteRange> done(std::uint64_t bytes = 100) const { return open(bytes).done().list(); }
  TempDir dir_;
};

using List = std::vector<ByteRange>;

TEST_F(RangeJournalTest, RemembersWhatIsThere) {
  {
    RangeJournal journal = open();
    journal.set_etag("\"abc\"");
    journal.add({{0, 10}, {50, 60}});
    journal.add({{10, 20}});
  }
  EXPECT_EQ(done(), (List{{0, 20}, {50, 60}}));
  EXPECT_EQ(open().etag(), "\"abc\"");
}

TEST_F(RangeJournalTest, OfAnotherFileIsBegunAnew) {
  open().add({{0, 10}});
  EXPECT_EQ(done(101), List{});
  EXPECT_EQ(done(100), List{});
}

TEST_F(RangeJournalTest, CutOffAnywhereSaysNoMoreThanItDid) {
  {
    RangeJournal journal = open();
    journal.set_etag("\"abc\"");
    for (std::uint64_t at = 0; at < 5; ++at) journal.add({{at * 20, at * 20 + 10}});
  }
  const std::string whole = read_file(file());
  for (std::size_t size = 0; size <= whole.size(); ++size) {
    write_file(file(), whole.substr(0, size));
    for (const ByteRange& range : done()) {
      EXPECT_EQ(range.begin % 20, 0U) << size;
      EXPECT_EQ(range.bytes(), 10U) << size;
    }
    List before = done();
    open().add({{12, 14}});
    before.insert(before.begin() + (before.empty() ? 0 : 1), {12, 14});
    EXPECT_EQ(done(), before) << size;
  }
}

TEST_F(RangeJournalTest, WhatIsNoLineOfItsOwnEndsIt) {
  for (const char* odd : {"done 5 200\n", "done 9 9\n", "done -1 5\n", "done 1 5 6\n", "done 15\n",
                          "\n", "hello\n", "done 99999999999999999999999 5\n"}) {
    std::filesystem::remove(file());
    open().add({{0, 3}});
    write_file(file(), read_file(file()) + odd + "done 50 60\n");
    EXPECT_EQ(done(), (List{{0, 3}})) << odd;
  }
}

TEST_F(RangeJournalTest, IsOneProgramsAtATime) {
  const RangeJournal mine = open();
  EXPECT_EQ(error_of([&] { open(); }), "another confab is pulling this file: wait for it to end");
}

}  // namespace
}  // namespace confab::engine
