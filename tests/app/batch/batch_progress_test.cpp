// SPDX-License-Identifier: MIT
#include "app/batch/batch.h"

#include <gtest/gtest.h>

namespace confab::app {
namespace {

using Seconds = std::chrono::duration<double>;

TEST(BatchProgressTest, EstimatesFromWhatIsAnsweredNow) {
  BatchFigures figures{.n_requests = 2000, .n_before = 1000};
  EXPECT_EQ(batch_percent(figures), 50);
  EXPECT_EQ(batch_progress(figures, Seconds(0)), "1,000 of 2,000 done");
  figures.n_tokens = 50;
  EXPECT_EQ(batch_progress(figures, Seconds(2)), "1,000 of 2,000 done, 25.0 tokens/s");
  figures.n_now = 200;
  figures.n_failed = 3;
  figures.n_tokens = 4000;
  EXPECT_EQ(batch_progress(figures, Seconds(100)),
            "1,200 of 2,000 done, 3 failed, 40.0 tokens/s, 6:40 min left");
  EXPECT_EQ(batch_percent({.n_requests = 1000, .n_now = 999}), 99);
}

TEST(BatchProgressTest, TheSummarySaysWhatIsThere) {
  BatchFigures figures{.n_requests = 3, .n_now = 3, .n_tokens = 90};
  EXPECT_EQ(batch_summary(figures, "o.jsonl", Seconds(9)),
            "3 requests answered in o.jsonl (9 s, 10.0 tokens/s)");
  figures.n_failed = 1;
  EXPECT_EQ(batch_summary(figures, "o.jsonl", Seconds(9)),
            "2 of 3 requests answered, 1 failed: see \"error\" in o.jsonl (9 s, 10.0 tokens/s)");
  figures.n_now = 1;
  EXPECT_EQ(batch_summary(figures, "o.jsonl", Seconds(9)),
            "stopped: 1 of 3 requests done; the same command goes on from there (9 s, 10.0 "
            "tokens/s)");
  EXPECT_EQ(batch_summary({.n_requests = 3, .n_before = 3}, "o.jsonl", Seconds(0)),
            "3 requests answered in o.jsonl");
}

}  // namespace
}  // namespace confab::app
