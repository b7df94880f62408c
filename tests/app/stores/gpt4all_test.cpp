// SPDX-License-Identifier: MIT
#include "app/stores/stores.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/app/stores/fake_home.h"

namespace confab::app {
namespace {

using testing::ElementsAre;

TEST(Gpt4AllTest, HasAFolderForItsProgramAndOneForItsLibrary) {
  const FakeHome home;
  home.model(".local/share/nomic.ai/GPT4All/a.Q4_0.gguf");
  home.model(".local/share/nomic.ai/GPT4All/incomplete-b.Q4_0.gguf");
  home.model(".local/share/nomic.ai/GPT4All/localdocs_v3.db");
  home.model("Library/Application Support/nomic.ai/GPT4All/mac.gguf");
  home.model(".cache/gpt4all/python.gguf");
  EXPECT_THAT(names_of(gpt4all_files(home.places())), ElementsAre("a.Q4_0.gguf", "python.gguf"));
  EXPECT_THAT(names_of(gpt4all_files(home.places(true))), ElementsAre("mac.gguf", "python.gguf"));
}

}  // namespace
}  // namespace confab::app
