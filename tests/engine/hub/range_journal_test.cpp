// SPDX-License-Identifier: MIT
#include "engine/hub/range_journal.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

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

using List = std::vector<ByteRange>;

TEST(ByteRangesTest, JoinsWhatTouches) {
  ByteRanges ranges;
  ranges.add({10, 20});
  ranges.add({30, 40});
  EXPECT_EQ(ranges.list(), (List{{10, 20}, {30, 40}}));
  ranges.add({20, 30});
  EXPECT_EQ(ranges.list(), (List{{10, 40}}));
  ranges.add({5, 5});
  EXPECT_EQ(ranges.total(), 30U);
  EXPECT_EQ(ranges.end(), 40U);
  EXPECT_EQ(ranges.missing(50), (List{{0, 10}, {40, 50}}));
}

TEST(ByteRangesTest, IsWhatASetOfNumbersWouldBe) {
  constexpr std::uint64_t kSize = 60;
  std::mt19937 rng(20260902);
  for (int round = 0; round < 500; ++round) {
    ByteRanges a, b;
    std::vector<bool> in_a(kSize), in_b(kSize);
    for (int i = 0; i < 8; ++i) {
      const std::uint64_t begin = rng() % kSize, end = begin + rng() % (kSize - begin + 1);
      (i % 2 == 0 ? a : b).add({begin, end});
      for (std::uint64_t at = begin; at < end; ++at) (i % 2 == 0 ? in_a : in_b)[at] = true;
    }
    std::vector<bool> left(kSize), missing(kSize);
    for (const ByteRange& range : a.without(b))
      for (std::uint64_t at = range.begin; at < range.end; ++at) left[at] = true;
    for (const ByteRange& range : a.missing(kSize))
      for (std::uint64_t at = range.begin; at < range.end; ++at) missing[at] = true;
    for (std::uint64_t at = 0; at < kSize; ++at) {
      EXPECT_EQ(left[at], in_a[at] && !in_b[at]);
      EXPECT_EQ(missing[at], !in_a[at]);
    }
    EXPECT_EQ(a.total(), static_cast<std::uint64_t>(std::ranges::count(in_a, true)));
  }
}

}  // namespace
}  // namespace confab::engine
