// SPDX-License-Identifier: MIT
#include "app/chat/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/app/fake_model.h"
#include "ui/text.h"

namespace confab::app {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;

TEST(ReportTest, CountsTheWordsOfThoughts) {
  EXPECT_EQ(thoughts_label("one"), "Thoughts: 1 word");
  EXPECT_EQ(thoughts_label(" so,\n it\tis "), "Thoughts: 3 words");
}

TEST(ReportTest, StatsTellWhatWasCached) {
  FakeModel model;
  Chat chat(model, nullptr, {});
  EXPECT_THAT(describe_stats(chat), HasSubstr("template the file has none: ChatML\n"));
  EXPECT_THAT(describe_stats(chat), HasSubstr("no answer yet"));
  chat.send("Hello?");
  chat.take(finished({1, 2, 3}));
  EXPECT_THAT(describe_stats(chat), HasSubstr("10 tokens, 4 of them cached"));
  EXPECT_THAT(describe_stats(chat), HasSubstr("ended by end of turn"));
  EXPECT_THAT(describe_stats(chat), Not(HasSubstr("drafts")));
}

TEST(ReportTest, StatsTellWhatMemoryIsTaken) {
  FakeModel model;
  Chat chat(model, nullptr, {});
  EXPECT_THAT(describe_stats(chat),
              ContainsRegex("\nmemory   [0-9.]+ [KMG]iB anonymous, [0-9.]+ [KMG]iB mapped; "
                            "[0-9.]+ [KMG]iB at its peak\n"));
}

TEST(ReportTest, StatsTellWhyItIsThatDevice) {
  FakeModel model;
  Chat chat(model, nullptr, {});
  EXPECT_THAT(describe_stats(chat), Not(HasSubstr("device")));
  model.change_info().device_reason = "Foo\x1b 12 cannot run it";
  EXPECT_THAT(describe_stats(chat),
              HasSubstr("\ndevice   the processor: " + ui::one_line("Foo\x1b 12 cannot run it") +
                        "\ntemplate "));
  model.change_info().device = "Foo\n12";
  EXPECT_THAT(describe_stats(chat), HasSubstr("\ndevice   Foo 12: Foo"));
}

TEST(ReportTest, OfAModelElsewhereStatsTellWhereItIs) {
  FakeModel model;
  model.change_info().name = "work/m";
  model.change_info().architecture = "vLLM";
  model.change_info().place = "10.0.0.7:8000";
  model.change_info().is_on_this_machine = false;
  model.change_info().estimates_tokens = true;
  Chat chat(model, nullptr, {});
  EXPECT_EQ(describe_stats(chat),
            "model    work/m\nengine   vLLM at 10.0.0.7:8000\ncontext  about 0 of 2,048 tokens\n"
            "no answer yet");
}

TEST(ReportTest, SaysWhenAnEngineIsAskedAgain) {
  const std::chrono::steady_clock::time_point now{std::chrono::hours(1)};
  EXPECT_EQ(progress_text(engine::Waiting{"not ready", now + std::chrono::seconds(3)}, now),
            "not ready; asking again in 3 s");
  EXPECT_EQ(progress_text(engine::Waiting{"not ready", now}, now), "not ready; asking again");
}

TEST(ReportTest, StatsTellWhatWasGuessedBySource) {
  FakeModel model;
  Chat chat(model, nullptr, {});
  chat.send("Hello?");
  engine::Finished end = finished({1, 2, 3});
  end.stats.n_passes = 100;
  end.stats.n_drafted = 1250;
  end.stats.n_accepted = 150;
  end.stats.by_model = {.n_drafted = 1250, .n_accepted = 150};
  chat.take(end);
  EXPECT_THAT(describe_stats(chat), HasSubstr("\ndrafts   150 of 1,250 tokens accepted (150 of "
                                              "1,250 by the draft model); 2.50 tokens per pass"));
  EXPECT_THAT(describe_stats(chat), Not(HasSubstr("looked up")));
  EXPECT_THAT(describe_stats(chat), Not(HasSubstr("heads")));
}

TEST(ReportTest, StatsNameWhatGuesses) {
  FakeModel model;
  Chat chat(model, nullptr, {});
  model.change_info().draft = "Small";
  EXPECT_THAT(describe_stats(chat), HasSubstr(", draft model Small\n"));
  model.change_info().drafts_itself = true;
  EXPECT_THAT(describe_stats(chat), HasSubstr(", guesses tokens ahead itself\n"));
}

TEST(ReportTest, StatsTellWhatTheModelsOwnHeadsGuessed) {
  FakeModel model;
  Chat chat(model, nullptr, {});
  chat.send("Hello?");
  engine::Finished end = finished({1, 2, 3});
  end.stats.n_passes = 10;
  end.stats.n_drafted = 15;
  end.stats.n_accepted = 5;
  end.stats.by_lookup = {.n_drafted = 7, .n_accepted = 3};
  end.stats.by_heads = {.n_drafted = 8, .n_accepted = 2};
  chat.take(end);
  EXPECT_THAT(describe_stats(chat), HasSubstr("5 of 15 tokens accepted (3 of 7 looked up, 2 of 8 "
                                              "by the model's own heads); 1.50 tokens per pass"));
}

// Also when the conversation is opened again.
TEST(ReportTest, StatsTellWhatGuessesGave) {
  FakeModel model;
  sessions::Store store = sessions::Store::in_memory();
  Chat chat(model, &store, {});
  chat.send("Hello?");
  engine::Finished end = finished({1, 2, 3, 4, 5, 6});
  end.stats.n_passes = 4;
  end.stats.n_drafted = 18;
  end.stats.n_accepted = 2;
  end.stats.by_lookup = {.n_drafted = 7, .n_accepted = 2};
  end.stats.by_model = {.n_drafted = 6};
  end.stats.by_heads = {.n_drafted = 5};
  chat.take(end);
  const std::string drafts =
      "drafts   2 of 18 tokens accepted (2 of 7 looked up, 0 of 6 by the draft model, 0 of 5 by "
      "the model's own heads); 1.50 tokens per pass";
  EXPECT_THAT(describe_stats(chat), HasSubstr(drafts));
  Chat reopened(model, &store, {});
  reopened.open(*store.latest_conversation());
  EXPECT_THAT(describe_stats(reopened), HasSubstr(drafts));
  EXPECT_THAT(describe_stats(reopened), HasSubstr("answer   6 tokens"));
  EXPECT_THAT(describe_stats(reopened), Not(HasSubstr("ended by")));
}

// As an answer was saved before sources were told apart.
TEST(ReportTest, GuessesOfUnknownSourceAreToldAsASum) {
  FakeModel model;
  Chat chat(model, nullptr, {});
  chat.send("Hello?");
  engine::Finished end = finished({1, 2, 3, 4, 5, 6});
  end.stats.n_passes = 4;
  end.stats.n_drafted = 7;
  end.stats.n_accepted = 2;
  chat.take(end);
  EXPECT_THAT(describe_stats(chat),
              HasSubstr("drafts   2 of 7 tokens accepted; 1.50 tokens per pass"));
}

TEST(ReportTest, TheOtherAnswersAreFoundWhereTheyAreSaved) {
  FakeModel model;
  sessions::Store store = sessions::Store::in_memory();
  Chat kept(model, &store, {}), incognito(model, nullptr, {});
  for (Chat* chat : {&kept, &incognito}) {
    chat->send("Hello?");
    chat->take(finished({1}));
  }
  EXPECT_EQ(others_note(kept, 3, "look there"), "3 answers were written: look there.");
  EXPECT_THAT(others_note(incognito, 3, "look there"), HasSubstr("not saved"));
}

TEST(ReportTest, TellsHowMuchOfTheModelHasBeenLookedAt) {
  EXPECT_EQ(progress_text(engine::LoadProgress{512, 2048}), "first use of this model: 25 %");
  EXPECT_EQ(progress_text(engine::LoadProgress{0, 0}), "first use of this model: 0 %");
  EXPECT_EQ(progress_text(engine::LoadProgress{512, 2048, true}),
            "copying the weights to the graphics processor: 25 %");
}

TEST(ReportTest, NamesWhatIsAttachedAndHowAnAnswerBegins) {
  EXPECT_EQ(attached_names({}), "");
  EXPECT_EQ(attached_names(std::vector{sessions::make_attachment("a", "1"),
                                       sessions::make_attachment("b", "2")}),
            "attached: a, b");
  sessions::Message answer;
  answer.content = std::string(100, 'x') + "\x1b";
  EXPECT_EQ(answer_begin(answer), std::string(79, 'x') + "…");
}

}  // namespace
}  // namespace confab::app
