// SPDX-License-Identifier: MIT
#include "sessions/conversations/catalog.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "sessions/conversations/store.h"

namespace confab::sessions {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class CatalogTest : public testing::Test {
 protected:
  ConversationId make(const char* title) {
    return store_.create_conversation(std::array{NewMessage{.content = "q"}}, title).conversation;
  }
  std::vector<std::string> find(std::string_view name) {
    std::vector<std::string> titles;
    for (const Conversation& c : catalog_.find(name)) titles.push_back(c.title);
    return titles;
  }
  Store store_ = Store::in_memory();
  Catalog catalog_{store_};
};

TEST_F(CatalogTest, AConversationIsFoundByItsTitleItsIdOrItsBeginning) {
  ASSERT_EQ(make("Fox story"), ConversationId{1});
  for (const char* title : {"fox facts", "100% sure_thing", "Zoë"}) make(title);
  EXPECT_THAT(find("Fox story"), ElementsAre("Fox story"));
  EXPECT_THAT(find("FOX S"), ElementsAre("Fox story"));
  EXPECT_THAT(find("fox"), ElementsAre("fox facts", "Fox story"));
  EXPECT_THAT(find("ZO"), ElementsAre("Zoë"));
  EXPECT_THAT(find("100%"), ElementsAre("100% sure_thing"));
  for (const char* none : {"%", "", "story", "2x", "#2x", "#", "#9", "99999999999999999999"})
    EXPECT_THAT(find(none), IsEmpty()) << none;
  EXPECT_THAT(find("2"), ElementsAre("fox facts"));
  EXPECT_THAT(find("#2"), ElementsAre("fox facts"));
  make("fox facts");
  EXPECT_EQ(find("fox facts").size(), 2U);
}

TEST_F(CatalogTest, ATitleThatIsANumberTakesNobodysPlace) {
  make("Fox story");
  make("1");
  make("#2");
  EXPECT_THAT(find("#1"), ElementsAre("Fox story"));
  EXPECT_THAT(find("1"), ElementsAre("1", "Fox story")) << "which one has to be asked";
  EXPECT_THAT(find("#2"), ElementsAre("1"));
  EXPECT_THAT(find("3"), ElementsAre("#2"));
  make("5");
  EXPECT_THAT(find("4"), ElementsAre("5"));
  EXPECT_THAT(find("5"), ElementsAre("5"));
}

TEST_F(CatalogTest, ANumberIsItsOwnConversationsTitleToo) {
  make("1");
  EXPECT_THAT(find("1"), ElementsAre("1"));
}

TEST_F(CatalogTest, TheLastMessagesAreThoseOfTheBranchThatIsShown) {
  const NewMessage question{.role = Role::user,
                            .content = "A question",
                            .attachments = {make_attachment("a.txt", std::string(1000, 'x'))}};
  const Appended made = store_.create_conversation(std::array{question});
  const NewMessage first{.role = Role::assistant, .content = "First"};
  const NewMessage second{.role = Role::assistant, .content = std::string(1000, 's')};
  store_.append_message(made.conversation, made.message, first);
  const Appended last = store_.append_message(made.conversation, made.message, second);
  EXPECT_THAT(catalog_.last_messages(made.conversation, 10, 4),
              ElementsAre(MessageBegin{Role::user, "A qu"}, MessageBegin{Role::assistant, "ssss"}));
  EXPECT_THAT(catalog_.last_messages(made.conversation, 1, 4),
              ElementsAre(MessageBegin{Role::assistant, "ssss"}));
  EXPECT_THAT(catalog_.first_messages(made.conversation, 2, 4),
              ElementsAre(MessageBegin{Role::user, "A qu"}, MessageBegin{Role::assistant, "Firs"}));
  for (int i = 0; i < 50; ++i)
    store_.append_message(made.conversation, store_.messages(made.conversation).back().id, first);
  EXPECT_EQ(catalog_.last_messages(made.conversation, 30, 4).size(), 30U);
  store_.set_head(made.conversation, last.message);
  EXPECT_EQ(catalog_.last_messages(made.conversation, 30, 4).back().text, "ssss");
  EXPECT_THAT(catalog_.last_messages(ConversationId{99}, 10, 4), IsEmpty());
}

TEST_F(CatalogTest, TheLatestFiguresAreOfOneModel) {
  const ConversationId conversation = make("t");
  for (const char* model : {"a", "b", "a"}) {
    const MessageId answer = store_
                                 .append_message(conversation, std::nullopt,
                                                 {.role = Role::assistant,
                                                  .content = "",
                                                  .state = MessageState::draft,
                                                  .model = model})
                                 .message;
    MessageStats stats;
    stats.n_prompt = static_cast<int>(answer);
    store_.finish_message(answer, MessageState::done, {.content = "x"}, stats);
  }
  const auto figures = catalog_.latest_stats("a");
  ASSERT_EQ(figures.size(), 2U);
  EXPECT_GT(figures[0].n_prompt, figures[1].n_prompt);
  EXPECT_EQ(catalog_.latest_stats("a", 1).size(), 1U);
  EXPECT_THAT(catalog_.latest_stats("c"), IsEmpty());
}

TEST_F(CatalogTest, WordsAndShapesAreLookedUpToo) {
  const ConversationId conversation = make("t");
  EXPECT_EQ(catalog_.search("q").size(), 1U);
  EXPECT_EQ(catalog_.outline(conversation).size(), 1U);
}

}  // namespace
}  // namespace confab::sessions
