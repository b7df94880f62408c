// SPDX-License-Identifier: MIT
#include "engine/hub/hub_download.h"

#include <gtest/gtest.h>

#include <random>

#include "engine/hub/sha256.h"
#include "engine/remote/http_client.h"
#include "tests/engine/error_of.h"
#include "tests/fake_hub.h"
#include "tests/temp_dir.h"

namespace confab::engine {
namespace {

namespace fs = std::filesystem;

std::string random_bytes(std::size_t size) {
  std::mt19937 rng(20260903);
  std::string bytes(size, '\0');
  for (char& c : bytes) c = static_cast<char>(rng());
  return bytes;
}

std::string sum_of(const std::string& bytes) {
  Sha256 sum;
  sum.add(std::as_bytes(std::span(bytes)));
  return sum.finish();
}

class HubDownloadTest : public ::testing::Test {
 protected:
  HubDownloadTest() { hub_.files["f.gguf"] = {content_, sum_of(content_)}; }

  DownloadJob job() const {
    return {.url = hub_.url() + "/org/name/resolve/" + FakeHub::kCommit + "/f.gguf",
            .file = {"f.gguf", content_.size(), sum_of(content_)},
            .blob = blob_,
            .repository = "org/name"};
  }
  // Stops once so many bytes are there.
  DownloadEnd pull(std::uint64_t stop_at = ~std::uint64_t{0}) {
    return download(client_, {.url = hub_.url()}, job(),
                    {.go_on = [&](const DownloadProgress& p) { return p.bytes_done < stop_at; },
                     .published = [this] { ++n_published_; }});
  }
  std::size_t n_files() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(dir_.path()), {}));
  }

  const std::string content_ = random_bytes(6'000'001);
  FakeHub hub_;
  HttpClient client_;
  TempDir dir_;
  fs::path blob_ = dir_ / "blob";
  int n_published_ = 0;
};

TEST_F(HubDownloadTest, PullsOverSeveralConnectionsAndLeavesOnlyTheFile) {
  EXPECT_EQ(pull(), DownloadEnd::finished);
  EXPECT_EQ(read_file(blob_), content_);
  EXPECT_EQ(n_files(), 1U);
  EXPECT_EQ(n_published_, 1);
  EXPECT_EQ(hub_.count("/cdn/f.gguf"), 4);
  EXPECT_EQ(pull(), DownloadEnd::was_there);
  EXPECT_EQ(hub_.count("/cdn/f.gguf"), 4);
  EXPECT_EQ(n_published_, 1);
  EXPECT_EQ(n_files(), 1U);
}

TEST_F(HubDownloadTest, GoesOnWhereItStopped) {
  hub_.bytes_per_ms = 4000;
  EXPECT_EQ(bytes_to_come(blob_, job().file), content_.size());
  EXPECT_EQ(pull(3'000'000), DownloadEnd::stopped);
  EXPECT_FALSE(fs::exists(blob_));
  EXPECT_LE(bytes_to_come(blob_, job().file), content_.size() - 2'900'000);
  hub_.bytes_per_ms = 0;
  EXPECT_EQ(pull(), DownloadEnd::finished);
  EXPECT_EQ(read_file(blob_), content_);
  std::uint64_t asked = 0;
  const auto requests = hub_.requests();
  for (std::size_t i = 8; i < requests.size(); ++i) {  // behind four, and their redirections
    unsigned long begin = 0, last = 0;
    if (std::sscanf(requests[i].header("range").c_str(), "bytes=%lu-%lu", &begin, &last) == 2 &&
        requests[i].path.starts_with("/cdn/"))
      asked += last - begin + 1;
  }
  EXPECT_LE(asked, content_.size() - 2'900'000);
  EXPECT_EQ(bytes_to_come(blob_, job().file), 0U);
}

TEST_F(HubDownloadTest, BreaksAndBusyServersAreWaitedFor) {
  hub_.n_breaks = 2;
  hub_.n_busy = 2;
  EXPECT_EQ(pull(), DownloadEnd::finished);
  EXPECT_EQ(read_file(blob_), content_);
}

TEST_F(HubDownloadTest, AServerWithoutRangesGivesItInOnePiece) {
  hub_.has_ranges = false;
  EXPECT_EQ(pull(), DownloadEnd::finished);
  EXPECT_EQ(read_file(blob_), content_);
  EXPECT_EQ(n_files(), 1U);
}

TEST_F(HubDownloadTest, AWrongSumIsRemovedAndTold) {
  hub_.files["f.gguf"].content[5'000'000] ^= 1;
  const std::string fault = error_of([this] { pull(); });
  EXPECT_TRUE(fault.starts_with("f.gguf: what came has the wrong SHA-256")) << fault;
  EXPECT_EQ(n_files(), 0U);
  EXPECT_EQ(n_published_, 0);
}

TEST_F(HubDownloadTest, WhatChangedMeanwhileIsBegunAnew) {
  hub_.bytes_per_ms = 4000;
  hub_.set_etag("f.gguf", "\"old\"");
  EXPECT_EQ(pull(3'000'000), DownloadEnd::stopped);
  hub_.set_etag("f.gguf", "\"new\"");
  hub_.bytes_per_ms = 0;
  // What came of the old one is not believed: one byte of it is spoiled here.
  const fs::path incomplete = blob_.string() + ".confab.incomplete";
  std::string bytes = read_file(incomplete);
  bytes[100] = static_cast<char>(bytes[100] + 1);
  write_file(incomplete, bytes);
  EXPECT_EQ(pull(), DownloadEnd::finished);
  EXPECT_EQ(read_file(blob_), content_);
}

TEST_F(HubDownloadTest, ADamagedPartNeverBecomesTheFile) {
  hub_.bytes_per_ms = 4000;
  EXPECT_EQ(pull(3'000'000), DownloadEnd::stopped);
  const fs::path incomplete = blob_.string() + ".confab.incomplete";
  std::string bytes = read_file(incomplete);
  bytes[100] = static_cast<char>(bytes[100] + 1);
  write_file(incomplete, bytes);
  EXPECT_NE(error_of([this] { pull(); }).find("wrong SHA-256"), std::string::npos);
  EXPECT_EQ(n_files(), 0U);
  EXPECT_EQ(pull(), DownloadEnd::finished);
}

TEST_F(HubDownloadTest, AShortOrMissingPartIsPulledAgain) {
  hub_.bytes_per_ms = 4000;
  EXPECT_EQ(pull(3'000'000), DownloadEnd::stopped);
  hub_.bytes_per_ms = 0;
  fs::resize_file(blob_.string() + ".confab.incomplete", 1000);
  EXPECT_EQ(pull(), DownloadEnd::finished);
  EXPECT_EQ(read_file(blob_), content_);
}

TEST_F(HubDownloadTest, AFileOfThatNameWithAnotherSumIsReplaced) {
  write_file(blob_, std::string(content_.size(), 'x'));
  EXPECT_EQ(pull(), DownloadEnd::finished);
  EXPECT_EQ(read_file(blob_), content_);
}

TEST_F(HubDownloadTest, AKillAfterTheRenamingIsMadeGood) {
  hub_.bytes_per_ms = 4000;
  EXPECT_EQ(pull(content_.size() / 2), DownloadEnd::stopped);
  // As if all had come, and the renaming had been the last that was done.
  const fs::path journal = blob_.string() + ".confab.journal";
  const std::string said = read_file(journal);
  write_file(journal, said.substr(0, said.find('\n')) + "\ndone 0 6000001\n");
  fs::remove(blob_.string() + ".confab.incomplete");
  write_file(blob_, content_);
  EXPECT_EQ(pull(), DownloadEnd::finished);
  EXPECT_EQ(n_published_, 1);
  EXPECT_EQ(n_files(), 1U);
}

TEST_F(HubDownloadTest, AGatedFileIsTold) {
  hub_.gate = "secret";
  EXPECT_NE(error_of([this] { pull(); }).find("org/name is gated: accept its terms"),
            std::string::npos);
}

}  // namespace
}  // namespace confab::engine
