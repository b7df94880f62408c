// SPDX-License-Identifier: MIT
#include "engine/hub/hub_api.h"

#include <gtest/gtest.h>

#include "engine/remote/http_client.h"
#include "tests/engine/error_of.h"
#include "tests/fake_hub.h"

namespace confab::engine {
namespace {

const std::string kSum(64, 'a');

HubListing listing_of(const std::vector<std::string>& paths) {
  HubListing listing{.repository = "org/name", .commit = FakeHub::kCommit, .files = {}};
  for (const std::string& path : paths) listing.files.push_back({path, 1, kSum});
  return listing;
}

std::vector<std::string> chosen(const std::vector<std::string>& paths, const std::string& choice) {
  std::vector<std::string> names;
  for (const HubFile& file : choose_files(listing_of(paths), choice)) names.push_back(file.path);
  return names;
}

using Names = std::vector<std::string>;

class HubApiTest : public ::testing::Test {
 protected:
  HubListing list() { return list_files(client_, {.url = hub_.url()}, {"org", "name"}); }
  FakeHub hub_;
  HttpClient client_;
};

TEST_F(HubApiTest, ListsTheModelFilesOfACommit) {
  hub_.files["a-Q4_0.gguf"] = {"hello", kSum};
  hub_.files["README.md"] = {"read", ""};
  const HubListing listing = list();
  EXPECT_EQ(listing.commit, FakeHub::kCommit);
  EXPECT_EQ(listing.files, (std::vector<HubFile>{{"a-Q4_0.gguf", 5, kSum}}));
  EXPECT_EQ(file_url({.url = "https://h"}, listing, {"d/a b#.gguf", 1, kSum}),
            std::string("https://h/org/name/resolve/") + FakeHub::kCommit + "/d/a%20b%23.gguf");
}

TEST_F(HubApiTest, RefusesNamesAndSizesThatNobodyShouldWrite) {
  const auto fault_of = [this](const std::string& path, const std::string& size) {
    hub_.listing = "[{\"type\":\"file\",\"path\":\"" + path + "\",\"size\":" + size + "}]";
    return error_of([this] { list(); });
  };
  for (const char* path : {"../../a.gguf", "/etc/a.gguf", "a/../../b.gguf", "a\\u001b[2J.gguf"})
    EXPECT_NE(fault_of(path, "5").find("which nobody should write"), std::string::npos) << path;
  EXPECT_NE(fault_of("a\\u001b.gguf", "5").find("\\x1b"), std::string::npos);
  for (const char* size : {"0", "-1", "1e30", "\"5\"", "99999999999999999"})
    EXPECT_NE(fault_of("a.gguf", size).find("impossible size"), std::string::npos) << size;
}

TEST_F(HubApiTest, WhatIsNoListIsTold) {
  for (const char* odd : {"hello", "{}", "[", "\"a\""}) {
    hub_.listing = odd;
    EXPECT_NE(error_of([this] { list(); }), "") << odd;
  }
  hub_.listing = "[1,null,{},{\"type\":5,\"path\":[]}]";
  EXPECT_EQ(list().files.size(), 0U);
  EXPECT_THROW(list_files(client_, {.url = hub_.url()}, {"org", "other"}), HubHasNot);
}

TEST_F(HubApiTest, FollowsTheListToItsEndButNotElsewhere) {
  std::string next;
  LoopbackServer server([&](const LoopbackRequest& request, LoopbackServer::Connection& to) {
    const auto page = [](const std::string& name) {
      return "[{\"type\":\"file\",\"path\":\"" + name + "\",\"size\":1}]";
    };
    if (request.path == "/api/models/org/name")
      to.reply(200, std::string("{\"sha\":\"") + FakeHub::kCommit + "\"}");
    else if (request.path.find("cursor") == std::string::npos)
      to.reply(200, page("a.gguf"), "Link: <" + next + ">; rel=\"next\"\r\n");
    else
      to.reply(200, page("b.gguf"));
  });
  next = server.url() + "/api/models/org/name/tree/x?cursor=1";
  const auto listed = [&] { return list_files(client_, {.url = server.url()}, {"org", "name"}); };
  EXPECT_EQ(listed().files.size(), 2U);
  next = hub_.url() + "/cursor";
  EXPECT_NE(error_of([&] { listed(); }).find("elsewhere"), std::string::npos);
}

TEST(HubChoiceTest, TakesTheUsualQuantisation) {
  EXPECT_EQ(chosen({"m-Q2_K.gguf", "m-Q8_0.gguf", "m-Q4_K_M.gguf"}, ""), Names{"m-Q4_K_M.gguf"});
  EXPECT_EQ(chosen({"m-Q2_K.gguf", "m-Q8_0.gguf"}, ""), Names{"m-Q8_0.gguf"});
  EXPECT_EQ(chosen({"mmproj-m-Q4_K_M.gguf", "m-Q2_K.gguf", "m-Q3_K.gguf"}, ""),
            Names{"m-Q2_K.gguf"});
}

TEST(HubChoiceTest, TakesWhatIsNamedInAnyCase) {
  const Names all{"m-Q4_K_M.gguf", "m-UD-Q4_K_XL.gguf", "m-Q4_K.gguf", "mmproj-F16.gguf"};
  EXPECT_EQ(chosen(all, "q4_k"), Names{"m-Q4_K.gguf"});
  EXPECT_EQ(chosen(all, "ud-q4_k_xl"), Names{"m-UD-Q4_K_XL.gguf"});
  EXPECT_EQ(chosen(all, "mmproj-F16.gguf"), Names{"mmproj-F16.gguf"});
  EXPECT_EQ(error_of([&] { chosen(all, "Q9"); }),
            "org/name has no Q9; it has Q4_K_M, UD-Q4_K_XL, Q4_K");
  EXPECT_NE(error_of([] { chosen({"mmproj-F16.gguf"}, ""); }).find("no GGUF files"),
            std::string::npos);
}

TEST(HubChoiceTest, TakesAllShards) {
  const std::string a = "Q8_0/m-Q8_0-00001-of-00002.gguf", b = "Q8_0/m-Q8_0-00002-of-00002.gguf";
  EXPECT_EQ(chosen({b, "x-Q2_K.gguf", a}, "Q8_0"), (Names{a, b}));
  EXPECT_EQ(error_of([&] { chosen({a}, ""); }), "org/name lacks " + b + ", a part of the model");
}

TEST(HubChoiceTest, WhatCannotBeCheckedIsNotPulled) {
  HubListing listing = listing_of({"m-Q4_0.gguf"});
  listing.files[0].sha256.clear();
  EXPECT_NE(error_of([&] { choose_files(listing, ""); }).find("cannot be checked"),
            std::string::npos);
}

TEST(HubRefusalTest, SaysWhatToDo) {
  const Hub open{.url = "https://h.example"}, known{.url = "https://h.example", .token = "t"};
  HttpHead gated{.status = 401, .headers = {{"x-error-code", "GatedRepo"}}};
  EXPECT_EQ(refusal_text(open, gated, "o/n"),
            "o/n is gated: accept its terms at https://h.example/o/n, make a token at "
            "https://h.example/settings/tokens, and set HF_TOKEN to it");
  gated.status = 403;
  EXPECT_NE(refusal_text(known, gated, "o/n").find("ask for it at https://h.example/o/n"),
            std::string::npos);
  EXPECT_NE(refusal_text(open, {.status = 401}, "o/n").find("check the name"), std::string::npos);
  EXPECT_EQ(refusal_text(open, {.status = 404}, "o/n"), "h.example has no o/n: check the name");
}

}  // namespace
}  // namespace confab::engine
