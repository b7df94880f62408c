// SPDX-License-Identifier: MIT

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "app/line/answer_output.h"
#include "tests/app/line/written.h"

namespace confab::app {
namespace {

using ::testing::HasSubstr;
using ::testing::Optional;

template <class Output>
class Checked {
 public:
  Checked(const std::string& form, int n_retries)
      : output_(std::make_unique<Output>(written_.out), written_.side, parse_expectation(form),
                n_retries) {
    output_.begin("fake", 1);
  }

  // An answer, and how it is asked for again.
  std::optional<std::string> answer(const std::string& text, AnswerEnd end = AnswerEnd::finished) {
    for (const char c : text) EXPECT_EQ(output_.text(0, std::string(1, c)), Wants::more);
    output_.ended(0, {.end = end});
    return output_.asks_again("Which?");
  }
  void think(const std::string& text) { output_.reasoning(0, text); }
  ExitStatus finish(ExitStatus status = ExitStatus::success) { return output_.finish(status); }
  const Written& written() const { return written_; }

 private:
  Written written_;
  CheckedOutput output_;
};

TEST(CheckedOutputTest, NothingIsWrittenBeforeItIsAccepted) {
  Checked<TextOutput> checked("list:2", 2);
  EXPECT_THAT(checked.answer("- a"), Optional(HasSubstr("refused: it has 1 item, not 2.")));
  EXPECT_THAT(checked.answer("a, b"), Optional(HasSubstr("not 2.\nAn earlier answer was refused: "
                                                         "it is not a list.")));
  EXPECT_EQ(checked.written().answer(), "");
  EXPECT_EQ(checked.answer("- a\n- b"), std::nullopt);
  EXPECT_EQ(checked.written().answer(), "");
  EXPECT_EQ(checked.finish(), ExitStatus::success);
  EXPECT_EQ(checked.written().answer(), "- a\n- b\n");
  EXPECT_EQ(checked.written().lines(),
            "confab: attempt 1 of at most 3 is refused: it has 1 item, not 2\n"
            "confab: attempt 2 of at most 3 is refused: it is not a list\n");
}

TEST(CheckedOutputTest, WhereAllAreRefusedTheLastGoesToStandardError) {
  Checked<TextOutput> checked("json", 1);
  EXPECT_TRUE(checked.answer("Sure!").has_value());
  EXPECT_EQ(checked.answer("{\x1b[2J\n"), std::nullopt);
  EXPECT_EQ(checked.finish(), ExitStatus::no_valid_answer);
  EXPECT_EQ(checked.written().answer(), "");
  EXPECT_THAT(checked.written().lines(),
              HasSubstr("\n{\u241B[2J\nconfab: no answer has the form json "
                        "after 2 attempts; of the last one: it is not"));
}

TEST(CheckedOutputTest, WithoutRetriesItIsCheckedOnce) {
  Checked<TextOutput> checked("list:1", 0);
  EXPECT_EQ(checked.answer("- a\n- b"), std::nullopt);
  EXPECT_EQ(checked.finish(), ExitStatus::no_valid_answer);
  EXPECT_EQ(checked.written().lines(),
            "- a\n- b\nconfab: no answer has the form list:1 after 1 attempt; of the last one: it "
            "has 2 items, not 1\n");
}

TEST(CheckedOutputTest, WhatIsCutOffIsRefused) {
  Checked<TextOutput> checked("list", 2);
  EXPECT_THAT(checked.answer("- a\n- b", AnswerEnd::length), Optional(HasSubstr("too long")));
  EXPECT_THAT(checked.answer("- a\n- b", AnswerEnd::context_full), Optional(HasSubstr("too long")));
  EXPECT_EQ(checked.answer("- a\n- b"), std::nullopt);
  EXPECT_EQ(checked.finish(), ExitStatus::success);
  EXPECT_EQ(checked.written().answer(), "- a\n- b\n");
}

TEST(CheckedOutputTest, WhatFailsOrIsStoppedIsNotAskedForAgain) {
  for (const AnswerEnd end : {AnswerEnd::failed, AnswerEnd::stopped}) {
    Checked<TextOutput> checked("list", 2);
    EXPECT_TRUE(checked.answer("no").has_value());
    EXPECT_EQ(checked.answer("- a", end), std::nullopt);
    EXPECT_EQ(checked.finish(ExitStatus::failed), ExitStatus::failed);
    EXPECT_EQ(checked.written().answer(), "");
  }
}

// As when another try has no room in the context.
TEST(CheckedOutputTest, AnAttemptThatNeverComesLeavesTheOneBefore) {
  Checked<TextOutput> checked("list", 2);
  EXPECT_TRUE(checked.answer("no").has_value());
  EXPECT_EQ(checked.finish(ExitStatus::failed), ExitStatus::no_valid_answer);
  EXPECT_THAT(checked.written().lines(),
              HasSubstr("\nno\nconfab: no answer has the form list after 1 "
                        "attempt; of the last one: it is not a list\n"));
}

TEST(CheckedOutputTest, JsonComesWithoutItsFence) {
  Checked<TextOutput> checked("json", 0);
  checked.answer("```json\n{\"a\": 1}\n```");
  EXPECT_EQ(checked.finish(), ExitStatus::success);
  EXPECT_EQ(checked.written().answer(), "{\"a\": 1}\n");
}

TEST(CheckedOutputTest, TheObjectSaysWhatWasRefused) {
  Checked<JsonOutput> checked("list:2", 2);
  checked.think("first");
  checked.answer("- a");
  checked.think("second");
  checked.answer("- a\n- b");
  EXPECT_EQ(checked.finish(), ExitStatus::success);
  const auto object = nlohmann::json::parse(checked.written().answer());
  EXPECT_EQ(object.at("answer"), "- a\n- b");
  EXPECT_EQ(object.at("reasoning"), "second");
  EXPECT_EQ(object.at("refused"), nlohmann::json::array({"it has 1 item, not 2"}));
  EXPECT_EQ(object.at("finish_reason"), "stop");
}

TEST(CheckedOutputTest, TheObjectHasNoAnswerThatIsRefused) {
  Checked<JsonOutput> checked("list:2", 0);
  checked.answer("- a");
  EXPECT_EQ(checked.finish(), ExitStatus::no_valid_answer);
  const auto object = nlohmann::json::parse(checked.written().answer());
  EXPECT_TRUE(object.at("answer").is_null());
  EXPECT_EQ(object.at("refused").size(), 1U);
  EXPECT_THAT(checked.written().lines(), HasSubstr("- a\n"));
}

TEST(CheckedOutputTest, EventsTellOfRefusalsAndOfOneText) {
  Checked<JsonEventsOutput> checked("list:2", 1);
  checked.answer("- a");
  checked.answer("- a\n- b");
  checked.finish();
  std::istringstream lines(checked.written().answer());
  std::string types;
  for (std::string line; std::getline(lines, line);)
    types += nlohmann::json::parse(line).at("type").get<std::string>() + ' ';
  EXPECT_EQ(types, "begin refused text end ");
}

}  // namespace
}  // namespace confab::app
