// SPDX-License-Identifier: MIT
#include "app/stores/stores.h"

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

TEST(OwnFoldersTest, FoldersOfSafetensorsAreModels) {
  FakeHome home;
  home.safetensors(".local/share/confab/models/a");
  home.safetensors("one/org/b");
  home.safetensors("two");
  home.variables["CONFAB_MODEL_FOLDERS"] = "~/one:~/two/";
  EXPECT_THAT(names_of(own_files(home.places())), ElementsAre("org/b", "two", "a"));
  EXPECT_THAT(names_of(files_beside(home.at("two"))), ElementsAre("two"));
  EXPECT_THAT(names_of(files_beside(home.at("two/"))), ElementsAre("two"));
  EXPECT_THAT(names_of(files_beside(home.at("one"))), IsEmpty());
  home.safetensors("models--org--c/snapshots/1234");
  EXPECT_THAT(names_of(files_beside(home.at("models--org--c/snapshots/1234"))),
              ElementsAre("org/c"));
}

}  // namespace
}  // namespace confab::app
