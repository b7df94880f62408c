// SPDX-License-Identifier: MIT
#include "engine/hub/piece_reader.h"

#include <fcntl.h>
#include <gtest/gtest.h>

#include "tests/temp_dir.h"

namespace confab::engine {
namespace {

class PieceReaderTest : public ::testing::Test {
 protected:
  PieceReaderTest() {
    state_->url = "http://127.0.0.1:1/f";
    change([](PieceProgress& progress) { progress.n_running = 1; });
  }
  static HttpHead part(const std::string& range, const std::string& etag = "\"1\"") {
    return {.status = 206, .headers = {{"content-range", range}, {"etag", etag}}};
  }
  std::string file() const { return read_file(dir_ / "f"); }
  template <typename Fn>
  void change(Fn fn) {
    state_->progress.with([&fn](PieceProgress& progress) { return fn(progress), true; });
  }
  PieceProgress progress() {
    return state_->progress.with([](const PieceProgress& progress) { return progress; });
  }

  TempDir dir_;
  std::shared_ptr<PieceState> state_ =
      std::make_shared<PieceState>(::open((dir_ / "f").c_str(), O_RDWR | O_CREAT, 0600), 10);
  PieceReader reader_{state_, {2, 5}};
};

TEST_F(PieceReaderTest, WritesItsPieceToItsPlaceAndTakesTheNext) {
  change([](PieceProgress& progress) { progress.waiting.push_back({5, 10}); });
  reader_.head(part("bytes 2-4/10"));
  EXPECT_TRUE(reader_.body("ab"));
  EXPECT_FALSE(reader_.has_enough());
  EXPECT_TRUE(reader_.body("cdefgh"));  // more than it was asked for
  EXPECT_TRUE(reader_.has_enough());    // it is not held by a server that goes on
  EXPECT_EQ(file(), std::string("\0\0abc", 5));
  EXPECT_EQ(progress().done.list(), (std::vector<ByteRange>{{2, 5}}));
  const auto next = reader_.end("");
  ASSERT_TRUE(next);
  EXPECT_EQ(next->headers, std::vector<std::string>{"Range: bytes=5-9"});
  EXPECT_TRUE(next->follow);
  reader_.head(part("bytes 5-9/10"));
  reader_.body("DEFGH");
  EXPECT_FALSE(reader_.end(""));
  EXPECT_EQ(progress().n_running, 0);
  EXPECT_EQ(progress().trouble, PieceTrouble::none);
}

TEST_F(PieceReaderTest, GoesOnWhereAConnectionBroke) {
  reader_.head(part("bytes 2-4/10"));
  reader_.body("a");
  const auto next = reader_.end("the connection broke");
  ASSERT_TRUE(next);
  EXPECT_EQ(next->headers, std::vector<std::string>{"Range: bytes=3-4"});
  EXPECT_GT(next->begin, HttpRequest::Clock::now());
}

TEST_F(PieceReaderTest, GivesUpWhenNothingComesAnyMore) {
  int n = 0;
  while (reader_.end("nothing answers")) ++n;
  EXPECT_EQ(n, 6);
  EXPECT_EQ(progress().trouble, PieceTrouble::failed);
  EXPECT_EQ(progress().fault, "nothing answers");
  EXPECT_EQ(progress().n_running, 0);
}

TEST_F(PieceReaderTest, WaitsAsLongAsABusyServerSays) {
  reader_.head({.status = 429, .headers = {{"retry-after", "7"}}});
  reader_.body("busy");
  const auto next = reader_.end("");
  ASSERT_TRUE(next);
  EXPECT_GT(next->begin, HttpRequest::Clock::now() + std::chrono::seconds(5));
  EXPECT_EQ(file(), "");
}

TEST_F(PieceReaderTest, TellsWhatIsNotAsItShouldBe) {
  const auto trouble_of = [this](const HttpHead& head) {
    change([](PieceProgress& progress) { progress.trouble = PieceTrouble::none; });
    reader_.head(head);
    reader_.body("xyz");
    return progress().trouble;
  };
  EXPECT_EQ(trouble_of(part("bytes 0-2/10")), PieceTrouble::failed);
  EXPECT_EQ(trouble_of(part("bytes 2-4/11")), PieceTrouble::failed);
  EXPECT_EQ(trouble_of({.status = 200}), PieceTrouble::ignores_ranges);
  EXPECT_EQ(trouble_of({.status = 403}), PieceTrouble::failed);
  EXPECT_EQ(file(), "");
  EXPECT_EQ(trouble_of(part("bytes 2-4/10", "W/\"5\"")), PieceTrouble::none);
  EXPECT_EQ(trouble_of(part("bytes 2-4/10")), PieceTrouble::failed) << "it is at 5 by now";
}

TEST_F(PieceReaderTest, NoticesThatTheFileIsAnotherNow) {
  change([](PieceProgress& progress) { progress.etag = "\"old\""; });
  reader_.head(part("bytes 2-4/10"));
  reader_.body("abc");
  EXPECT_EQ(progress().trouble, PieceTrouble::changed);
  EXPECT_EQ(file(), "");
  EXPECT_FALSE(reader_.end(""));
}

}  // namespace
}  // namespace confab::engine
