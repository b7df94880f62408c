// SPDX-License-Identifier: MIT
#include "engine/hub/hub_layout.h"

#include <gtest/gtest.h>

#include "tests/temp_dir.h"

namespace confab::engine {
namespace {

namespace fs = std::filesystem;

const std::string kSum(64, 'a'), kOtherSum(64, 'b');

class HubLayoutTest : public ::testing::Test {
 protected:
  HubLayoutTest() { layout_.create(); }
  void put(const std::string& commit, const std::string& path, const std::string& sum = kSum) {
    write_file(layout_.blob(sum), "bytes");
    layout_.publish(commit, path, sum);
    layout_.set_main(commit);
  }
  fs::path root() const { return dir_ / "models--org--name"; }

  TempDir dir_;
  HubLayout layout_{dir_.path(), "org/name"};
};

TEST_F(HubLayoutTest, IsTheHubsOwn) {
  put("c1", "a.gguf");
  put("c1", "Q8/b.gguf");
  EXPECT_EQ(read_file(root() / "refs/main"), "c1");
  EXPECT_EQ(fs::read_symlink(root() / "snapshots/c1/a.gguf"), "../../blobs/" + kSum);
  EXPECT_EQ(fs::read_symlink(root() / "snapshots/c1/Q8/b.gguf"), "../../../blobs/" + kSum);
  EXPECT_EQ(read_file(root() / "snapshots/c1/Q8/b.gguf"), "bytes");
}

TEST_F(HubLayoutTest, PublishingAgainReplacesWhatStoodThere) {
  put("c1", "a.gguf");
  put("c1", "a.gguf", kOtherSum);
  put("c1", "a.gguf", kOtherSum);
  EXPECT_EQ(fs::read_symlink(root() / "snapshots/c1/a.gguf").filename(), kOtherSum);
  EXPECT_EQ(std::distance(fs::directory_iterator(root() / "snapshots/c1"), {}), 1);
}

TEST_F(HubLayoutTest, RemovingLeavesNothing) {
  put("c1", "Q8/b.gguf");
  EXPECT_EQ(layout_.remove("c1", "Q8/b.gguf", kSum), 5U);
  EXPECT_FALSE(fs::exists(root()));
  EXPECT_EQ(layout_.remove("c1", "Q8/b.gguf", kSum), 0U);
}

TEST_F(HubLayoutTest, WhatAnotherSnapshotHasStays) {
  put("c1", "a.gguf");
  put("c2", "a.gguf");
  dir_.file("models--org--name/snapshots/c1/README.md", "of others");
  EXPECT_EQ(layout_.remove("c1", "a.gguf", kSum), 0U);
  EXPECT_EQ(read_file(root() / "snapshots/c2/a.gguf"), "bytes");
  EXPECT_EQ(read_file(root() / "snapshots/c1/README.md"), "of others");
  EXPECT_EQ(read_file(root() / "refs/main"), "c2");
  EXPECT_EQ(layout_.remove("c2", "a.gguf", kSum), 5U);
  EXPECT_FALSE(fs::exists(root() / "refs"));
  EXPECT_TRUE(fs::exists(root() / "snapshots/c1/README.md"));
}

TEST_F(HubLayoutTest, AFileInPlaceOfALinkIsRemovedToo) {
  dir_.file("models--org--name/snapshots/c1/a.gguf", "whole");
  EXPECT_EQ(layout_.remove("c1", "a.gguf", kSum), 5U);
  EXPECT_FALSE(fs::exists(root()));
}

}  // namespace
}  // namespace confab::engine
