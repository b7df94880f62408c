// SPDX-License-Identifier: MIT
#include "engine/prompt/jinja/request.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "engine/error.h"
namespace confab::engine::jinja {
namespace {

std::string fault(const std::string& json) {
  try {
    parse_request(json);
  } catch (const ModelError& error) {
    return error.what();
  }
  return "";
}

TEST(Request, KeepsOrderAndKinds) {
  const Request request = parse_request(
      R"({"messages": [{"role": "user", "content": "x"}], "tools": [{"b": 1, "a": 2.0}],
          "add_generation_prompt": true, "vars": {"enable_thinking": false}})");
  EXPECT_EQ(request.n_messages, 1U);
  EXPECT_TRUE(request.variables.at("add_generation_prompt").truth());
  EXPECT_FALSE(request.variables.at("enable_thinking").truth());
  const Dict* tool = request.variables.at("tools").list()->items[0].dict();
  EXPECT_EQ(tool->items[0].first.text().view(), "b");
  EXPECT_TRUE(tool->items[0].second.is_integer());
  EXPECT_TRUE(tool->items[1].second.is_float());
  EXPECT_FALSE(request.now);
}

TEST(Request, MarksContentByMessage) {
  const Request request = parse_request(
      R"({"messages": [{"role": "user", "content": "a"},
          {"content": [{"type": "text", "text": "b"}], "name": "n"}], "tools": [{"content": "t"}]})");
  const auto& messages = request.variables.at("messages").list()->items;
  EXPECT_EQ(messages[0].dict()->find("content")->text().source(), 0);
  EXPECT_EQ(messages[0].dict()->find("role")->text().source(), kElsewhere);
  const Dict* part = messages[1].dict()->find("content")->list()->items[0].dict();
  EXPECT_EQ(part->find("text")->text().source(), 1);
  EXPECT_EQ(messages[1].dict()->find("name")->text().source(), kElsewhere);
  const Dict* tool = request.variables.at("tools").list()->items[0].dict();
  EXPECT_EQ(tool->find("content")->text().source(), kElsewhere);
}

TEST(Request, ReadsTheTime) {
  const Request request = parse_request(R"({"messages": [], "now": "2026-08-15T12:34:56"})");
  ASSERT_TRUE(request.now);
  EXPECT_EQ(request.now->tm_wday, 6);
  EXPECT_EQ(request.now->tm_yday, 226);
}

TEST(Request, NamesWhatIsWrong) {
  EXPECT_TRUE(fault("{").starts_with("request: not JSON: ")) << fault("{");
  EXPECT_EQ(fault("[]"), "request: found list, expected an object");
  EXPECT_EQ(fault("{}"), "request: 'messages' is missing");
  EXPECT_EQ(fault(R"({"messages": 1})"), "request: 'messages' is int, expected a list");
  EXPECT_EQ(fault(R"({"messages": [{}, 2]})"), "request: messages[1] is int, expected an object");
  EXPECT_EQ(fault(R"({"messages": [], "tools": {}})"), "request: 'tools' is dict, expected a list");
  EXPECT_EQ(fault(R"({"messages": [], "add_generation_prompt": 1})"),
            "request: 'add_generation_prompt' is int, expected true or false");
  EXPECT_EQ(fault(R"({"messages": [], "vars": []})"),
            "request: 'vars' is list, expected an object");
  EXPECT_EQ(fault(R"({"messages": [], "now": "2026-02-30T00:00:00"})"),
            "request: 'now' is '2026-02-30T00:00:00', expected a time like 2026-08-15T12:34:56");
  EXPECT_EQ(fault(R"({"messages": [], "mesages": []})"),
            "request: unknown key 'mesages', expected messages, tools, add_generation_prompt, vars "
            "or now");
  EXPECT_EQ(fault(R"({"messages": )" + std::string(100'000, '[')), "request: nests deeper than 48");
}

}  // namespace
}  // namespace confab::engine::jinja
