// SPDX-License-Identifier: MIT
#include "app/stores/own_folders.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/app/stores/fake_home.h"

namespace confab::app {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(OwnFoldersTest, AreConfabsAndThoseThatAVariableNames) {
  FakeHome home;
  home.model(".local/share/confab/models/a.gguf");
  home.model(".local/share/confab/models/qwen/b.gguf");
  home.model("one/c.gguf");
  home.model("two/d.gguf");
  home.variables["CONFAB_MODEL_FOLDERS"] = "~/one::/nowhere:" + home.at("two").string() + ":";
  EXPECT_THAT(names_of(own_files(home.places())),
              ElementsAre("c.gguf", "d.gguf", "a.gguf", "qwen/b.gguf"));
}

TEST(OwnFoldersTest, WhatIsShippedHasItsDraft) {
  const FakeHome home;
  home.model("share/confab-demo.gguf");
  home.model("share/confab-draft.gguf");
  Places places = home.places();
  places.bundled = home.at("share");
  const auto files = own_files(places);
  ASSERT_EQ(files.size(), 2u);
  EXPECT_EQ(files[0].store, Store::bundled);
  EXPECT_EQ(files[1].kind, StoreFileKind::draft);
  EXPECT_EQ(files[0].group, files[1].group);
}

TEST(OwnFoldersTest, BesideAModelAreTheOthersOfItsFolder) {
  const FakeHome home;
  const std::string model = home.model("x/a.gguf");
  home.model("x/b.gguf");
  home.model("x/deeper/c.gguf");
  EXPECT_THAT(names_of(files_beside(model)), ElementsAre("a.gguf", "b.gguf"));
  EXPECT_THAT(files_beside(""), IsEmpty());
}

}  // namespace
}  // namespace confab::app
