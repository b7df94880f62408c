// SPDX-License-Identifier: MIT
#include "app/transfer/export.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace confab::app {
namespace {

using sessions::Message;
using sessions::MessageId;
using sessions::Role;
using ::testing::HasSubstr;
using ::testing::Not;

class ExportHtmlTest : public ::testing::Test {
 protected:
  Message& add(Role role, std::string content) {
    Message message;
    message.id = MessageId{static_cast<std::int64_t>(tree_.messages.size()) + 1};
    if (!tree_.messages.empty()) message.parent = tree_.messages.back().id;
    message.role = role;
    message.content = std::move(content);
    tree_.conversation.head = message.id;
    tree_.messages.push_back(std::move(message));
    return tree_.messages.back();
  }
  sessions::ConversationTree tree_;
};

TEST_F(ExportHtmlTest, AnswersAreRenderedAndQuestionsPlain) {
  tree_.conversation.title = "Foxes";
  add(Role::user, "What is **a** fox?\n  indented");
  add(Role::assistant, "A *red* animal:\n\n- one\n- two\n\n```\ncode <b>\n```");
  const std::string html = to_html(tree_);
  EXPECT_THAT(html, HasSubstr("<title>Foxes</title>"));
  EXPECT_THAT(html, HasSubstr("What is **a** fox?\n  indented"));
  EXPECT_THAT(html, HasSubstr("<em>red</em>"));
  EXPECT_THAT(html, HasSubstr("<li>one</li>"));
  EXPECT_THAT(html, HasSubstr("code &lt;b&gt;"));
  EXPECT_THAT(html, HasSubstr("prefers-color-scheme: dark"));
}

// Every place that text comes from somebody else.
TEST_F(ExportHtmlTest, NothingIsRunOrLoaded) {
  const std::string bad = "<script>alert(1)</script><img src=x onerror=alert(2)>";
  tree_.conversation.title = bad;
  add(Role::system, bad);
  add(Role::user, bad).attachments = {sessions::make_attachment(bad, bad), {bad, 1, "", {}}};
  Message& answer =
      add(Role::assistant, bad + "\n\n" + bad +
                               "\n\n![pixel](https://evil.example/p.png) ![](http://x/y)"
                               " [![in](http://a/b)](http://c/d) [x](javascript:alert(3))"
                               " <svg onload=alert(4)>\n\n<iframe src=\"http://z\">\n</iframe>\n");
  answer.model = bad;
  answer.reasoning = bad;
  const std::string html = to_html(tree_);
  for (const char* tag : {"<script", "<img", "<svg", "<iframe", "\"javascript:", "src=\"", "<link"})
    EXPECT_THAT(html, Not(HasSubstr(tag))) << tag;
  EXPECT_THAT(html, HasSubstr("&lt;script&gt;alert(1)&lt;/script&gt;"));
  EXPECT_THAT(html, HasSubstr("<a href=\"https://evil.example/p.png\">pixel</a>"));
  EXPECT_THAT(html, HasSubstr("<a href=\"http://x/y\">http://x/y</a>"));
  EXPECT_THAT(html, HasSubstr("default-src 'none'"));
}

TEST_F(ExportHtmlTest, AnswersHaveWhatTheScreenShowsOfThem) {
  add(Role::assistant,
      "| a | b |\n|---|---|\n| 1 | ~~2~~ |\n\n- [x] done\n\n$\\int f\\,dx$\n\n```c\nint x;\n```\n");
  const std::string html = to_html(tree_);
  EXPECT_THAT(html, HasSubstr("<th style=\"text-align:left\">a</th>"));
  EXPECT_THAT(html, HasSubstr("<del>2</del>"));
  EXPECT_THAT(html, HasSubstr("<input type=\"checkbox\" disabled checked> done"));
  EXPECT_THAT(html, HasSubstr("title=\"\\int f\\,dx\""));
  EXPECT_THAT(html, HasSubstr("<span class=\"type\">int</span>"));
  for (const char* name : {"keyword", "type", "function", "string", "number", "comment", "meta",
                           "added", "removed", "math", "display", "task"})
    EXPECT_THAT(html, HasSubstr(std::string("\n.") + name + " {")) << "the page has a look for it";
}

TEST_F(ExportHtmlTest, ControlCharactersAndBrokenUtf8AreMadeVisible) {
  add(Role::user, "a\x1b[31mb\xff");
  add(Role::assistant, std::string("c\0d\x1b]0;x\x07", 8));
  const std::string html = to_html(tree_);
  EXPECT_EQ(html.find('\x1b'), std::string::npos);
  EXPECT_EQ(html.find('\0'), std::string::npos);
  EXPECT_EQ(html.find('\xff'), std::string::npos);
}

TEST_F(ExportHtmlTest, ReasoningAndFilesAreFolded) {
  add(Role::user, "Why?").attachments = {sessions::make_attachment("a.md", "alpha & beta")};
  add(Role::assistant, "So.").reasoning = "Hm <well>.";
  const std::string html = to_html(tree_);
  EXPECT_THAT(html, HasSubstr("<details><summary>a.md, 12 bytes</summary>\n<pre>alpha &amp; beta"));
  EXPECT_THAT(html,
              HasSubstr("<summary>Reasoning</summary>\n<div class=\"plain\">Hm &lt;well&gt;."));
}

}  // namespace
}  // namespace confab::app
