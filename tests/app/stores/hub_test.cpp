// SPDX-License-Identifier: MIT
#include "app/stores/hub.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/app/stores/fake_home.h"

namespace confab::app {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

std::vector<std::string> found(const FakeHome& home, Revisions revisions = Revisions::main) {
  return names_of(hub_files(home.places(), revisions));
}

TEST(HubTest, HasTheFilesOfTheCommitThatMainIsAt) {
  const FakeHome home;
  const std::string repository = ".cache/huggingface/hub/models--org--repo";
  home.hub_file(repository, kCommit, "a-Q4_K_M.gguf");
  home.hub_file(repository, kCommit, "Q8_0/a-Q8_0.gguf");
  home.hub_file(repository, kOldCommit, "a-Q4_K_M.gguf");
  home.text(repository + "/refs/main", std::string(kCommit) + "\n");
  home.text(repository + "/refs/pr/1", kOldCommit);
  EXPECT_THAT(found(home), ElementsAre("org/repo/Q8_0/a-Q8_0.gguf", "org/repo/a-Q4_K_M.gguf"));
  EXPECT_THAT(found(home, Revisions::all),
              ElementsAre("org/repo/Q8_0/a-Q8_0.gguf", "org/repo/a-Q4_K_M.gguf",
                          "org/repo@fedcba98/a-Q4_K_M.gguf"));
}

TEST(HubTest, ARepositoryWithoutMainHasOnlyOtherRevisions) {
  const FakeHome home;
  const std::string hub = ".cache/huggingface/hub/";
  home.hub_file(hub + "models--o--a", kCommit, "a.gguf");
  home.hub_file(hub + "models--o--b", kCommit, "b.gguf");
  home.text(hub + "models--o--b/refs/main", "../../../../../..");
  EXPECT_THAT(found(home), IsEmpty());
  EXPECT_THAT(found(home, Revisions::all),
              ElementsAre("o/a@01234567/a.gguf", "o/b@01234567/b.gguf"));
}

TEST(HubTest, WhatIsNotWholeIsLeftOut) {
  const FakeHome home;
  const std::string repository = ".cache/huggingface/hub/models--o--r";
  const std::string snapshot = repository + "/snapshots/" + kCommit;
  home.text(repository + "/refs/main", kCommit);
  home.model(snapshot + "/real.gguf");  // where links cannot be made
  home.model(snapshot + "/x.gguf.downloadInProgress");
  home.link("../../blobs/gone", snapshot + "/dangling.gguf");
  home.model(repository + "/blobs/1.incomplete");
  home.link("../../blobs/1.incomplete", snapshot + "/part.gguf");
  home.model(repository + "/blobs/2.downloadInProgress");
  home.link("../../blobs/2.downloadInProgress", snapshot + "/part2.gguf");
  home.model(".cache/huggingface/hub/datasets--o--d/snapshots/1/d.gguf");
  EXPECT_THAT(found(home), ElementsAre("o/r/real.gguf"));
}

TEST(HubTest, ASnapshotMayBeAModelItself) {
  const FakeHome home;
  const std::string repository = ".cache/huggingface/hub/models--org--repo";
  home.text(repository + "/refs/main", kCommit);
  home.safetensors(repository + "/snapshots/" + kCommit);
  home.safetensors(repository + "/snapshots/" + kOldCommit);
  EXPECT_THAT(found(home), ElementsAre("org/repo"));
  EXPECT_THAT(found(home, Revisions::all), ElementsAre("org/repo", "org/repo@fedcba98"));
  const auto snapshot = home.at(repository + "/snapshots/" + kCommit);
  EXPECT_EQ(hub_files(home.places(), Revisions::main)[0].path, snapshot);
  EXPECT_EQ(repository_of(snapshot), "org/repo");
  EXPECT_EQ(repository_of(snapshot.parent_path()), "");
  home.model(repository + "/snapshots/" + kCommit + "/r-Q8_0.gguf");
  EXPECT_THAT(found(home), ElementsAre("org/repo/r-Q8_0.gguf"));
}

// One file in each place that a variable can name; which of them are looked into.
TEST(HubTest, TheFirstVariableThatIsSetNamesTheFolder) {
  FakeHome home;
  for (const char* hub :
       {"llama", "cache", "old", "hf/hub", "xdg/huggingface/hub", ".cache/huggingface/hub"}) {
    const std::string repository = std::string(hub) + "/models--o--" + hub[0];
    home.hub_file(repository, kCommit, std::string(1, hub[0]) + ".gguf");
    home.text(repository + "/refs/main", kCommit);
  }
  EXPECT_THAT(found(home), ElementsAre("o/./..gguf"));
  home.variables["XDG_CACHE_HOME"] = home.at("xdg");
  EXPECT_THAT(found(home), ElementsAre("o/x/x.gguf"));
  home.variables["HF_HOME"] = home.at("hf");
  EXPECT_THAT(found(home), ElementsAre("o/h/h.gguf"));
  home.variables["HUGGINGFACE_HUB_CACHE"] = home.at("old");
  EXPECT_THAT(found(home), ElementsAre("o/o/o.gguf"));
  home.variables["HF_HUB_CACHE"] = home.at("cache");
  EXPECT_THAT(found(home), ElementsAre("o/c/c.gguf"));
  home.variables["LLAMA_CACHE"] = home.at("llama");  // llama.cpp's, beside that of the others
  EXPECT_THAT(found(home), UnorderedElementsAre("o/l/l.gguf", "o/c/c.gguf"));
}

}  // namespace
}  // namespace confab::app
