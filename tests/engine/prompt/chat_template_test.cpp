// SPDX-License-Identifier: MIT
#include "engine/prompt/chat_template.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "engine/error.h"

namespace confab::engine {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

std::string read_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  EXPECT_TRUE(in) << path;
  return {std::istreambuf_iterator<char>(in), {}};
}

fs::path fixtures() {
  const char* chosen = std::getenv("CONFAB_FIXTURES");
  return chosen != nullptr ? fs::path(chosen)
                           : fs::path(CONFAB_SOURCE_DIR) / ".." / "shared" / "fixtures";
}

// Every template of the fixtures, with every conversation in every setting.
class ChatTemplateFidelityTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fixtures() / "templates";
    if (!fs::exists(folder_)) GTEST_SKIP() << "no fixtures at " << folder_;
    shared_ = ordered_json::parse(read_file(folder_ / "_conversations.json"));
  }

  ordered_json request(const ordered_json& golden, const ordered_json& entry) const {
    ordered_json made;
    made["messages"] = shared_["conversations"][entry["conversation"].get<std::string>()];
    if (entry["tools"].get<bool>()) {
      made["tools"] = shared_["tools"];
    } else if (says_null_ && !entry.value("tools_undefined", false)) {
      made["tools"] = nullptr;
    }
    made["add_generation_prompt"] = entry["add_generation_prompt"];
    made["vars"] = golden["extra_vars"];
    made["vars"].update(entry["kwargs"]);
    made["now"] = shared_["now"];
    return made;
  }

  void check_all() {
    for (const auto& file : fs::directory_iterator(folder_)) {
      if (file.path().extension() != ".jinja") continue;
      SCOPED_TRACE(file.path().filename().string());
      const auto golden =
          ordered_json::parse(read_file(fs::path(file.path()).replace_extension(".json")));
      const ChatTemplate chat_template(read_file(file.path()),
                                       golden["bos_token"].get<std::string>(),
                                       golden["eos_token"].get<std::string>());
      const int before = n_checked_;
      for (const auto& entry : golden["cases"]) check(chat_template, golden, entry);
      RecordProperty(file.path().stem().string(), n_checked_ - before);
    }
    RecordProperty("renderings", n_checked_);
    EXPECT_GT(n_checked_, 0);
  }

  void check(const ChatTemplate& chat_template, const ordered_json& golden,
             const ordered_json& entry) {
    SCOPED_TRACE(entry["conversation"].get<std::string>() + " tools " + entry["tools"].dump() +
                 " kwargs " + entry["kwargs"].dump());
    const std::string body = request(golden, entry).dump();
    std::string got;
    std::string error;
    try {
      got = chat_template.render_json(body).text;
    } catch (const ModelError& e) {
      error = e.what();
    }
    if (entry.contains("expected")) {
      EXPECT_EQ(error, "");
      EXPECT_EQ(got, entry["expected"].get<std::string>());
    } else if (entry["error_type"] == "TemplateError") {
      EXPECT_TRUE(error.ends_with(entry["error"].get<std::string>())) << error;
    }
    ++n_checked_;
  }

  fs::path folder_;
  ordered_json shared_;
  bool says_null_ = true;  // a request without tools has "tools": null
  int n_checked_ = 0;
};

TEST_F(ChatTemplateFidelityTest, RenderByteForByte) {
  check_all();
}

TEST_F(ChatTemplateFidelityTest, RenderTheSameWhenTheRequestLeavesToolsOut) {
  says_null_ = false;
  check_all();
}

constexpr std::string_view kChatMl =
    "{% if messages[0].role != 'system' %}<|im_start|>system\nYou are helpful.<|im_end|>\n"
    "{% endif %}{% for m in messages %}{{ '<|im_start|>' + m.role + '\n' + m.content | trim + "
    "'<|im_end|>\n' }}{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}";

struct Piece {
  std::string text;
  int message;
  bool operator==(const Piece&) const = default;
};

std::vector<Piece> pieces(const RenderedPrompt& prompt) {
  std::vector<Piece> result;
  for (const ContentSpan& span : prompt.content) {
    result.push_back(
        {prompt.text.substr(span.bytes.begin, span.bytes.end - span.bytes.begin), span.message});
  }
  return result;
}

TEST(ChatTemplate, SaysWhatCameFromTheMessages) {
  const ChatTemplate chat_template(kChatMl, "<s>", "</s>");
  const RenderedPrompt prompt =
      chat_template.render({{"user", " a<|im_end|> "}, {"assistant", "b"}}, true);
  EXPECT_EQ(prompt.text,
            "<|im_start|>system\nYou are helpful.<|im_end|>\n<|im_start|>user\na<|im_end|>"
            "<|im_end|>\n<|im_start|>assistant\nb<|im_end|>\n<|im_start|>assistant\n");
  EXPECT_EQ(pieces(prompt),
            (std::vector<Piece>{{"user", -1}, {"a<|im_end|>", 0}, {"assistant", -1}, {"b", 1}}));
}

TEST(ChatTemplate, SaysWhatCameFromPartsToolsAndVariables) {
  const ChatTemplate chat_template(
      "{{ bos_token }}{{ messages[1].content[0].text }}|{{ tools[0].name }}|{{ date }}|"
      "{{ tools | tojson }}",
      "<s>", "</s>");
  const RenderedPrompt prompt = chat_template.render_json(
      R"({"messages": [{"content": "x"}, {"content": [{"text": "part"}]}],
          "tools": [{"name": "f"}], "vars": {"date": "today"}})");
  EXPECT_EQ(
      pieces(prompt),
      (std::vector<Piece>{{"part", 1}, {"f", -1}, {"today", -1}, {R"([{"name": "f"}])", -1}}));
}

TEST(ChatTemplate, MarksEachByteOfTheContentInEveryGoldenTemplate) {
  const fs::path folder = fixtures() / "templates";
  if (!fs::exists(folder)) GTEST_SKIP() << "no fixtures at " << folder;
  const std::string typed = "MARK<|im_end|><|eot_id|>[/INST]</s>KRAM";
  int n_rendered = 0;
  for (const auto& file : fs::directory_iterator(folder)) {
    if (file.path().extension() != ".jinja") continue;
    SCOPED_TRACE(file.path().filename().string());
    const ChatTemplate chat_template(read_file(file.path()), "<s>", "</s>");
    const auto golden =
        ordered_json::parse(read_file(fs::path(file.path()).replace_extension(".json")));
    const ordered_json request = {{"messages", {{{"role", "user"}, {"content", typed}}}},
                                  {"add_generation_prompt", true},
                                  {"vars", golden["extra_vars"]}};
    const RenderedPrompt prompt = chat_template.render_json(request.dump());
    const std::size_t at = prompt.text.find("MARK");
    ASSERT_NE(at, std::string::npos);
    const auto covers = [&](const ContentSpan& span) {
      return span.message == 0 && span.bytes.begin <= at && at + typed.size() <= span.bytes.end;
    };
    EXPECT_EQ(prompt.text.substr(at, typed.size()), typed);
    EXPECT_TRUE(std::any_of(prompt.content.begin(), prompt.content.end(), covers));
    EXPECT_LE(prompt.content.size(), 5U);
    ++n_rendered;
  }
  EXPECT_GT(n_rendered, 0);
}

TEST(ChatTemplate, RendersAgainAndAgain) {
  const ChatTemplate chat_template(
      "{% set ns = namespace(n=0) %}{% for m in messages %}{% set ns.n = ns.n + 1 %}{% endfor %}"
      "{{ ns.n }}",
      "", "");
  for (int i = 0; i < 3; ++i) EXPECT_EQ(chat_template.render({{"user", "x"}}, false).text, "1");
}

TEST(ChatTemplate, AbsentToolsAreUndefinedAndNone) {
  const ChatTemplate chat_template(
      "{{ tools is defined }} {{ tools is none }} {{ tools == none }} {{ documents is none }}"
      "{% for tool in tools %}{{ tool }}{% endfor %}",
      "", "");
  EXPECT_EQ(chat_template.render({}, false).text, "False True True True");
  EXPECT_EQ(chat_template.render_json(R"({"messages": []})").text, "False True True True");
  EXPECT_EQ(ChatTemplate("{{ tools is defined }}", "", "")
                .render_json(R"({"messages": [], "tools": null})")
                .text,
            "True");
}

TEST(ChatTemplate, VariablesOverrideTokens) {
  const ChatTemplate chat_template("{{ bos_token }}{{ eos_token }}", "<s>", "</s>");
  EXPECT_EQ(chat_template.render({}, false).text, "<s></s>");
  EXPECT_EQ(chat_template.render_json(R"({"messages": [], "vars": {"eos_token": "E"}})").text,
            "<s>E");
}

TEST(ChatTemplate, ShowsTheTimeOfTheRequest) {
  const ChatTemplate chat_template("{{ strftime_now('%d %b %Y %H:%M') }}", "", "");
  EXPECT_EQ(chat_template.render_json(R"({"messages": [], "now": "2026-08-15T12:34:56"})").text,
            "15 Aug 2026 12:34");
  EXPECT_EQ(chat_template.render({}, false).text.size(), 17U);
}

TEST(ChatTemplate, TakesLongMessagesAndLongConversations) {
  const ChatTemplate chat_template(kChatMl, "", "");
  const std::string megabyte(std::size_t{1} << 20U, 'x');
  EXPECT_GT(chat_template.render({{"user", megabyte}}, true).text.size(), megabyte.size());
  const std::vector<ChatMessage> many(20'000, ChatMessage{"user", "hello"});
  EXPECT_EQ(chat_template.render(many, true).content.size(), 40'000U);
}

TEST(ChatTemplate, TakesBytesThatAreNotUtf8) {
  const ChatTemplate chat_template(kChatMl, "", "");
  EXPECT_EQ(pieces(chat_template.render({{"user", "\xff\xe2\x82"}}, false))[1],
            (Piece{"\xff\xe2\x82", 0}));
}

constexpr std::string_view kBusy =
    "{% for i in range(1000) %}{% for j in range(100) %}{% endfor %}{% endfor %}{{ n }}";

TEST(ChatTemplate, HasSoMuchTime) {
  const ChatTemplate busy(kBusy, "", "");
  std::chrono::nanoseconds now{0};
  const RenderWatch watch{.clock = [&now] { return now += std::chrono::milliseconds(100); }};
  try {
    busy.render({}, false, {}, watch);
    ADD_FAILURE() << "was rendered";
  } catch (const ModelError& error) {
    EXPECT_STREQ(error.what(), "line 1: the template runs too long: it may take 0.5 s");
  }
  EXPECT_EQ(now, std::chrono::milliseconds(700));  // the first look is the beginning
  const std::vector<ChatMessage> many(20'000, ChatMessage{"user", "hello"});
  EXPECT_NO_THROW(busy.render(many, false, {}, watch));  // may take longer
}

TEST(ChatTemplate, PrintsNotMuchMoreThanItIsGiven) {
  const ChatTemplate chat_template("{{ messages[0].content }}{{ 'x' * 1500000 }}", "", "");
  EXPECT_NO_THROW(chat_template.render({{"user", std::string(1'000'000, 'y')}}, false));
  try {
    chat_template.render({{"user", ""}}, false);
    ADD_FAILURE() << "was rendered";
  } catch (const ModelError& error) {
    EXPECT_STREQ(error.what(), "line 1: the output is longer than 1048608 bytes");
  }
}

TEST(ChatTemplate, CanBeStopped) {
  const ChatTemplate busy(kBusy, "", "");
  std::stop_source stop;
  stop.request_stop();
  EXPECT_THROW(busy.render({}, false, {}, {.stop = stop.get_token()}), Stopped);
}

TEST(ChatTemplate, RefusesALongSource) {
  EXPECT_THROW(ChatTemplate(std::string((std::size_t{1} << 20U) + 1, 'x'), "", ""), ModelError);
}

TEST(ChatTemplateTest, KnowsWhetherReasoningCanBeSwitched) {
  EXPECT_TRUE(can_switch_thinking("{% if enable_thinking is defined %}"));
  EXPECT_TRUE(can_switch_thinking("{%- if not thinking %}"));
  EXPECT_FALSE(can_switch_thinking("{{ '<thinking>' }}{{ message.thinking }}"));
  EXPECT_FALSE(can_switch_thinking("{{ message['thinking'] }} rethinking thinking_budget"));
  EXPECT_FALSE(can_switch_thinking(""));
}

}  // namespace
}  // namespace confab::engine
