// SPDX-License-Identifier: MIT
#include "sessions/conversations/title.h"

#include <gtest/gtest.h>

#include <random>

namespace confab::sessions {
namespace {

std::string repeat(const std::string& s, int n) {
  std::string out;
  while (n-- > 0) out += s;
  return out;
}

TEST(TitleTest, IsTheFirstLineThatSaysSomething) {
  EXPECT_EQ(title_from("Hello there"), "Hello there");
  EXPECT_EQ(title_from("\n \t\n  Hello\t \x1b there \nmore"), "Hello there");
  EXPECT_EQ(title_from("one\r\ntwo"), "one");
  EXPECT_EQ(title_from(""), "");
  EXPECT_EQ(title_from(" \n\t\x7f"), "");
}

TEST(TitleTest, IsCutAtAWordNearTheEnd) {
  EXPECT_EQ(title_from(repeat("x", 60)), repeat("x", 60));
  EXPECT_EQ(title_from(repeat("x", 61)), repeat("x", 59) + "…");
  EXPECT_EQ(title_from(repeat("abcd ", 20)), repeat("abcd ", 11) + "abcd…");
  EXPECT_EQ(title_from(repeat("x", 50) + " " + repeat("y", 50)), repeat("x", 50) + "…");
  EXPECT_EQ(title_from("x " + repeat("y", 80)), "x " + repeat("y", 57) + "…");
}

TEST(TitleTest, IsCutBetweenCharacters) {
  EXPECT_EQ(title_from(repeat("é", 60)), repeat("é", 60));
  EXPECT_EQ(title_from(repeat("é", 99)), repeat("é", 59) + "…");
  EXPECT_EQ(title_from(repeat("語", 99)), repeat("語", 59) + "…");
  EXPECT_EQ(title_from(repeat("🦊", 99)), repeat("🦊", 59) + "…");
}

TEST(TitleTest, WhatIsNoUtf8IsReplaced) {
  const std::string bad = "\xEF\xBF\xBD";
  EXPECT_EQ(title_from("a\xff\x62"), "a" + bad + "b");
  EXPECT_EQ(title_from("a\xc3"), "a" + bad);
  EXPECT_EQ(title_from("\xc0\xaf"), bad + bad);               // overlong
  EXPECT_EQ(title_from("\xed\xa0\x80"), bad + bad + bad);     // surrogate
  EXPECT_EQ(title_from("\xf4\x90\x80\x80"), repeat(bad, 4));  // above U+10FFFF
  EXPECT_EQ(title_from("\xc2\x9b"
                       "31mred"),
            "31mred");  // a C1 control
}

TEST(TitleTest, IsUtf8AndShortWhateverTheBytes) {
  std::mt19937 rng(3);
  for (int round = 0; round < 2000; ++round) {
    std::string text(rng() % 200, '\0');
    for (char& c : text) c = static_cast<char>(rng());
    const std::string title = title_from(text);
    EXPECT_EQ(title_from(title), title) << "round " << round;
    const auto starts = std::count_if(title.begin(), title.end(),
                                      [](unsigned char c) { return (c & 0xC0) != 0x80; });
    EXPECT_LE(starts, kTitleLength);
    EXPECT_EQ(title.find_first_of("\n\r\x1b"), std::string::npos);
  }
}

TEST(TitleTest, SmallTalkSaysTooLittle) {
  for (const char* text : {"", "hi", "Hello!", "  Hi there!! ", "HEY", "thanks.", "你好！", "?!",
                           "Good   morning", "Olá!"})
    EXPECT_TRUE(says_too_little(text)) << text;
  for (const char* text : {"hi, what is a fox?", "fox", "Why?", "42", "天气", "help me write"})
    EXPECT_FALSE(says_too_little(text)) << text;
  EXPECT_FALSE(says_too_little(std::string(1000, 'a')));
  EXPECT_TRUE(says_too_little(std::string(1000, ' ')));
}

TEST(TitleTest, AFileNamesAQuestionThatSaysTooLittle) {
  const std::vector<Attachment> file{make_attachment("report.md", "text")};
  const std::vector<Attachment> piped{make_attachment("-", "text")};
  EXPECT_EQ(title_from_question("", file), "report.md");
  EXPECT_EQ(title_from_question("Hi", file), "report.md");
  EXPECT_EQ(title_from_question("What is wrong here?", file), "What is wrong here?");
  EXPECT_EQ(title_from_question("", piped), "");
  EXPECT_EQ(title_from_question("Hi", {}), "Hi");
}

TEST(TitleTest, OfAQuestionHasNoMarkdown) {
  const auto title = [](std::string_view question) { return title_from_question(question, {}); };
  EXPECT_EQ(title("# Hello **x**"), "Hello x");
  EXPECT_EQ(title("> - *What* does `a*b` do?"), "What does a*b do?");
  EXPECT_EQ(title("See [the page](https://example.org) and ![it](x.png)."), "See the page and it.");
  EXPECT_EQ(title("```python\nprint(1)\n```\nWhat is this?"), "What is this?");
  EXPECT_EQ(title("```python\nprint(1)\n```"), "print(1)");
  EXPECT_EQ(title("## Titles ##\nmore"), "Titles");
  for (const char* plain : {"What is C#?", "Explain C#", "2 * 3 * 4?", "-5 + 3?", "a[1](2", "#tag",
                            "__init__ in Python", "What is 2**10?"})
    EXPECT_EQ(title(plain), plain);
}

TEST(TitleTest, AnAnswersHeadingOrSentence) {
  EXPECT_EQ(title_from_answer("Hello!\n\n## **Foxes** and `dens`:\n\nText."), "Foxes and dens");
  EXPECT_EQ(title_from_answer("Hello! The *fox* is red. It runs."), "The fox is red");
  EXPECT_EQ(title_from_answer("- Version 1.2 is out. Hooray"), "Version 1.2 is out");
  EXPECT_EQ(title_from_answer("Hi.\nHow can I help?"), "How can I help?");
  EXPECT_EQ(title_from_answer("```\n# no heading\n```\nA sentence."), "A sentence");
  EXPECT_EQ(title_from_answer("狐狸很聪明。它们是红色的。"), "狐狸很聪明");
  EXPECT_EQ(title_from_answer("####### seven is no heading"), "seven is no heading");
  EXPECT_EQ(title_from_answer("Hello!"), "");
  EXPECT_EQ(title_from_answer(""), "");
  EXPECT_EQ(title_from_answer("\n***\n"), "");
}

}  // namespace
}  // namespace confab::sessions
