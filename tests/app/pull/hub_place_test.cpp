// SPDX-License-Identifier: MIT
#include "app/pull/model_pull.h"

#include <gtest/gtest.h>

#include "app/error.h"
#include "tests/app/home_dir.h"

namespace confab::app {
namespace {

namespace fs = std::filesystem;

class HubPlaceTest : public ::testing::Test {
 protected:
  HubPlaceTest() {
    for (const char* name : kNames) unsetenv(name);
  }
  ~HubPlaceTest() override {
    for (const char* name : kNames) unsetenv(name);
  }
  static void set(const char* name, const std::string& value) { setenv(name, value.c_str(), 1); }

  static constexpr const char* kNames[] = {"LLAMA_CACHE", "HF_HUB_CACHE",   "HUGGINGFACE_HUB_CACHE",
                                           "HF_HOME",     "XDG_CACHE_HOME", "HF_ENDPOINT",
                                           "HF_TOKEN",    "HF_TOKEN_PATH"};
  HomeDir home_;
};

TEST_F(HubPlaceTest, TheFolderIsTheOneThatOthersUse) {
  EXPECT_EQ(hub_folder(), home_ / ".cache/huggingface/hub");
  set("XDG_CACHE_HOME", "/cache");
  EXPECT_EQ(hub_folder(), "/cache/huggingface/hub");
  set("HF_HOME", "~/hf");
  EXPECT_EQ(hub_folder(), home_ / "hf/hub");
  set("HUGGINGFACE_HUB_CACHE", "/b");
  EXPECT_EQ(hub_folder(), "/b");
  set("HF_HUB_CACHE", "/a");
  EXPECT_EQ(hub_folder(), "/a");
  set("LLAMA_CACHE", "/llama");
  EXPECT_EQ(hub_folder(), "/llama");
}

TEST_F(HubPlaceTest, TheHubIsTheUsualOneOrAMirror) {
  EXPECT_EQ(hub_place().hub.url, "https://huggingface.co");
  set("HF_ENDPOINT", "http://127.0.0.1:5000//");
  EXPECT_EQ(hub_place().hub.url, "http://127.0.0.1:5000");
  for (const char* odd : {"ftp://x", "hub.example", "https://name:word@hub.example"}) {
    set("HF_ENDPOINT", odd);
    EXPECT_THROW(hub_place(), UserError) << odd;
  }
}

TEST_F(HubPlaceTest, ATokenOfAFileMustBeThePersonsAlone) {
  const std::string file = home_.file(".cache/huggingface/token", "hf_abc\n");
  fs::permissions(file, fs::perms::owner_read | fs::perms::group_read);
  EXPECT_EQ(hub_place().hub.token, "");
  EXPECT_NE(hub_place().notice.find("chmod 600 " + file), std::string::npos);
  fs::permissions(file, fs::perms::owner_read);
  EXPECT_EQ(hub_place().hub.token, "hf_abc");
  EXPECT_EQ(hub_place().notice, "");
  set("HF_TOKEN", "hf_own");
  EXPECT_EQ(hub_place().hub.token, "hf_own");
  set("HF_TOKEN", "two\nlines");
  EXPECT_THROW(hub_place(), UserError);
}

TEST_F(HubPlaceTest, ATokenDoesNotGoUnencryptedToAnotherMachine) {
  set("HF_TOKEN", "hf_own");
  set("HF_ENDPOINT", "http://mirror.example");
  EXPECT_EQ(hub_place().hub.token, "");
  EXPECT_NE(hub_place().notice.find("http:// hides nothing"), std::string::npos);
  set("HF_ENDPOINT", "http://127.0.0.1:5000");
  EXPECT_EQ(hub_place().hub.token, "hf_own");
}

}  // namespace
}  // namespace confab::app
