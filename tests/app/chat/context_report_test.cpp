// SPDX-License-Identifier: MIT
#include "app/chat/context_report.h"

#include <gmock/gmock.h>

#include "app/chat/chat.h"
#include "tests/app/chat/counting_model.h"

namespace confab::app {
namespace {

using sessions::Reading;
using testing::ElementsAre;
using testing::HasSubstr;

class ContextReportTest : public testing::Test {
 protected:
  void ask(const std::string& question, const std::string& answer) {
    chat_.send(question);
    chat_.take(engine::TextDelta{answer, 1});
    chat_.take(model_.finished_with(answer));
  }
  CountingModel model_{1000};
  Chat chat_{model_, nullptr, {}};
};

TEST_F(ContextReportTest, EachMessageHasItsTokensAndABar) {
  chat_.set_system("Be kind.");
  ask("What is a zebra?", "An animal with\nstripes.");
  ask("And a horse?", "One without.");
  chat_.set_reading(2, Reading::pinned);
  const auto rows = context_rows(chat_);
  ASSERT_EQ(rows.size(), 4u);
  EXPECT_EQ(rows[1].text, "An animal with stripes.");
  EXPECT_EQ(rows[1].question, 1u);
  EXPECT_EQ(rows[2].question, 2u);
  EXPECT_TRUE(rows[3].is_pinned) << "as its question is";
  int sum = chat_.sizes().n_fixed;
  for (const ContextRow& row : rows) sum += row.n_tokens;
  EXPECT_EQ(sum, chat_.n_ctx_used()) << "as the meter says";
  const std::string text = describe_context(chat_);
  EXPECT_THAT(text, HasSubstr("The model reads 91 of 1,000 tokens."));
  EXPECT_THAT(text, HasSubstr("shift: the oldest questions go.\n"));
  EXPECT_THAT(text, HasSubstr("system prompt\n"));
  EXPECT_THAT(text, HasSubstr("\n   1 you         19 ▰▰▰▰▰▱▱▱  What is a zebra?\n"));
  EXPECT_THAT(text, HasSubstr("\n     answer      26 ▰▰▰▰▰▰▰▰  An animal with stripes.\n"));
  EXPECT_THAT(text, HasSubstr("pinned: And a horse?\n"));
}

TEST_F(ContextReportTest, WhereMemoryBeginsIsAmongThem) {
  model_.change_info().n_ctx = 200;
  for (int i = 1; i <= 5; ++i) ask("question 0" + std::to_string(i), "An answer to that one");
  EXPECT_THAT(memory_labels(chat_), testing::Each(""));
  ASSERT_TRUE(chat_.make_room());
  EXPECT_EQ(n_left_out(chat_), 2u);
  EXPECT_EQ(memory_labels(chat_)[4],
            "── the model's memory begins here (2 questions left out; /context) ──");
  EXPECT_EQ(memory_notice(chat_),
            "Memory now begins at \"question 03\"; 2 questions left out (/context).");
  const std::string text = describe_context(chat_);
  const std::size_t line = text.find("── the model's memory begins here ──");
  ASSERT_NE(line, std::string::npos);
  EXPECT_LT(text.find("question 02"), line);
  EXPECT_GT(text.find("question 03"), line);
  EXPECT_THAT(text, HasSubstr("left out  question 01\n"));
  chat_.set_reading(0, Reading::pinned);
  EXPECT_EQ(memory_labels(chat_)[0], "pinned");
  EXPECT_EQ(n_left_out(chat_), 1u);
  chat_.set_reading(6, Reading::dropped);
  EXPECT_THAT(memory_labels(chat_)[6], HasSubstr("dropped"));
}

TEST_F(ContextReportTest, ANoteIsShown) {
  model_.change_info().n_ctx = 200;
  for (int i = 1; i <= 5; ++i) ask("question 0" + std::to_string(i), "An answer to that one");
  ASSERT_TRUE(chat_.make_room());
  chat_.set_note("They\033[31m asked.");
  EXPECT_THAT(memory_labels(chat_)[4], HasSubstr("after a note on 2 questions (/context note)"));
  EXPECT_THAT(describe_context(chat_), HasSubstr("template and note\n"));
  EXPECT_THAT(describe_context(chat_), HasSubstr("\nThe note on what is left out:\n"));
  EXPECT_EQ(describe_context(chat_).find('\033'), std::string::npos);
  EXPECT_THAT(memory_notice(chat_), HasSubstr("; a note on 2 questions (/context)."));
}

TEST_F(ContextReportTest, ThePolicyIsSaid) {
  EXPECT_EQ(describe_overflow({}), "shift: the oldest questions go");
  EXPECT_THAT(describe_overflow({.keep = -1}), HasSubstr("but not the first"));
  EXPECT_THAT(describe_overflow({.keep = 1234}), HasSubstr("the first 1,234 tokens"));
  EXPECT_THAT(describe_overflow({.overflow = Overflow::summarise}), HasSubstr("a note"));
  EXPECT_THAT(describe_overflow({.overflow = Overflow::stop}), HasSubstr("asked"));
}

}  // namespace
}  // namespace confab::app
