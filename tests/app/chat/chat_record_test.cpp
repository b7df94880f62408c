// SPDX-License-Identifier: MIT
#include "app/chat/chat_record.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sessions/conversations/sql.h"
#include "tests/temp_dir.h"

namespace confab::app {
namespace {

using sessions::Message;
using sessions::MessageState;
using sessions::Role;
using ::testing::HasSubstr;

Message message(Role role, std::string content, MessageState state = MessageState::done) {
  Message out;
  out.role = role;
  out.content = std::move(content);
  out.state = state;
  return out;
}

class ChatRecordTest : public ::testing::Test {
 protected:
  // Any write fails as long as this is there: as a disk does that is full.
  void break_disk() {
    sessions::Database(dir_ / "x.db")
        .run_script(
            "CREATE TRIGGER full BEFORE INSERT ON message"
            " BEGIN SELECT raise(ABORT, 'the disk is full'); END;"
            "CREATE TRIGGER full2 BEFORE UPDATE ON message"
            " BEGIN SELECT raise(ABORT, 'the disk is full'); END;");
  }
  void mend_disk() {
    sessions::Database(dir_ / "x.db").run_script("DROP TRIGGER full; DROP TRIGGER full2");
  }
  TempDir dir_;
  sessions::Store store_{dir_ / "x.db"};
  ChatRecord record_{&store_};
};

TEST_F(ChatRecordTest, APathIsSavedOnce) {
  MessagePath path{message(Role::system, "s"), message(Role::user, "q")};
  record_.save(path);
  ASSERT_TRUE(record_.conversation());
  EXPECT_EQ(record_.created(), store_.conversation(*record_.conversation())->created);
  path.push_back(message(Role::assistant, "a", MessageState::draft));
  record_.save(path);
  record_.save(path);
  const auto stored = store_.messages(*record_.conversation());
  ASSERT_EQ(stored.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(path[i].id, stored[i].id);
  path.back().state = MessageState::done;
  path.back().stats = sessions::MessageStats{.n_prompt = 7};
  record_.finish(path);
  EXPECT_EQ(store_.messages(*record_.conversation())[2].stats->n_prompt, 7);
  EXPECT_EQ(record_.take_error(), "");
}

TEST_F(ChatRecordTest, ADraftIsWrittenOnceASecond) {
  MessagePath path{message(Role::user, "q"), message(Role::assistant, "", MessageState::draft)};
  record_.save(path);
  const auto stored = [&] { return store_.messages(*record_.conversation())[1].reasoning; };
  path.back().reasoning = "thinking";  // a draft grows also while there is only reasoning
  record_.save_drafts(path);
  EXPECT_EQ(stored(), "");
  const auto grow_for_a_second = [&] {
    const auto begin = std::chrono::steady_clock::now();
    while (std::chrono::steady_clock::now() - begin < std::chrono::milliseconds(1050))
      record_.save_drafts(path);
  };
  grow_for_a_second();
  EXPECT_EQ(stored(), "thinking");
  store_.remove(*record_.conversation());
  grow_for_a_second();
  EXPECT_EQ(record_.take_error(), "") << "it is saved again once it is whole";
}

TEST_F(ChatRecordTest, WhatCouldNotBeSavedIsSavedLater) {
  MessagePath path{message(Role::user, "one")};
  record_.save(path);
  break_disk();
  path.push_back(message(Role::assistant, "first", MessageState::draft));
  record_.save(path);
  EXPECT_THAT(record_.take_error(), HasSubstr("disk is full"));
  path.back().state = MessageState::done;
  path.back().stats = sessions::MessageStats{.n_generated = 3};
  record_.finish(path);
  path.push_back(message(Role::user, "two"));
  record_.save(path);
  EXPECT_EQ(record_.take_error(), "");  // told once
  EXPECT_EQ(record_.take_notice(), "");
  mend_disk();
  path.push_back(message(Role::assistant, "", MessageState::draft));
  record_.save(path);
  EXPECT_THAT(record_.take_notice(), HasSubstr("has been saved"));
  const auto stored = store_.messages(*record_.conversation());
  ASSERT_EQ(stored.size(), 4U);
  EXPECT_EQ(stored[1].content, "first");
  EXPECT_EQ(stored[1].state, MessageState::done);
  EXPECT_EQ(stored[1].stats->n_generated, 3);
  EXPECT_EQ(stored[2].content, "two");
}

TEST_F(ChatRecordTest, AnAnswerThatCouldNotBeFinishedIsFinishedLater) {
  MessagePath path{message(Role::user, "q"), message(Role::assistant, "", MessageState::draft)};
  record_.save(path);
  break_disk();
  path.back().content = "whole";
  path.back().state = MessageState::done;
  path.back().stats = sessions::MessageStats{};
  record_.finish(path);
  EXPECT_THAT(record_.take_error(), HasSubstr("not saved"));
  mend_disk();
  record_.save_rest(path);
  EXPECT_EQ(store_.messages(*record_.conversation())[1].content, "whole");
  EXPECT_EQ(store_.messages(*record_.conversation())[1].state, MessageState::done);
}

TEST_F(ChatRecordTest, WhatCouldNotBeSavedIsDueSoonAndALockThatIsSoonGoneIsNotTold) {
  store_.set_patience(std::chrono::milliseconds(20));
  MessagePath path{message(Role::user, "q"), message(Role::assistant, "", MessageState::draft)};
  record_.save(path);
  EXPECT_FALSE(record_.retry_due());
  path.back().content = "whole";
  path.back().state = MessageState::done;
  path.back().stats = sessions::MessageStats{};
  {
    sessions::Database other(dir_ / "x.db");
    const sessions::Transaction writing(other);
    record_.finish(path);
    EXPECT_EQ(record_.take_error(), "");
    ASSERT_TRUE(record_.retry_due());
    EXPECT_LE(*record_.retry_due(), std::chrono::steady_clock::now() + std::chrono::seconds(1));
    EXPECT_TRUE(record_.has_unsaved(path));
  }
  record_.save_rest(path);
  EXPECT_FALSE(record_.retry_due());
  EXPECT_FALSE(record_.has_unsaved(path));
  EXPECT_EQ(record_.take_notice(), "");
  EXPECT_EQ(store_.messages(*record_.conversation())[1].content, "whole");
  break_disk();
  path.push_back(message(Role::user, "more"));
  record_.save(path);
  EXPECT_THAT(record_.take_error(), HasSubstr("disk is full")) << "what is no lock is told at once";
  EXPECT_TRUE(record_.retry_due());
}

TEST_F(ChatRecordTest, WhatStandsBesideThePathIsSavedWithIt) {
  MessagePath path{message(Role::user, "q"), message(Role::assistant, "", MessageState::draft)};
  for (const char* text : {"b", "c"})
    record_.beside().push_back({1, message(Role::assistant, text, MessageState::draft)});
  record_.save(path);
  const auto tree = [&] { return store_.tree(*record_.conversation()); };
  ASSERT_EQ(tree().messages.size(), 4U);
  EXPECT_EQ(tree().messages[3].content, "c");
  EXPECT_EQ(tree().messages[3].parent, path[0].id);
  EXPECT_EQ(tree().conversation.head, path[1].id);
  break_disk();
  Message& other = record_.beside()[1].answer;
  other.state = MessageState::done;
  other.stats = sessions::MessageStats{.n_generated = 3};
  record_.finish(path, other);
  record_.forget_saved_beside();
  ASSERT_EQ(record_.beside().size(), 1U) << "that could not be saved";
  mend_disk();
  path.push_back(message(Role::user, "q2"));
  record_.save(path);
  EXPECT_EQ(tree().messages[3].stats->n_generated, 3);
  EXPECT_EQ(tree().messages[3].state, MessageState::done);
  EXPECT_EQ(tree().conversation.head, path[2].id);
  record_.forget_saved_beside();
  EXPECT_TRUE(record_.beside().empty());
  EXPECT_EQ(record_.take_notice(), "Saving works again: everything above has been saved.");
}

TEST_F(ChatRecordTest, AWholeConversationCanBeSavedLater) {
  break_disk();
  MessagePath path{message(Role::system, "s"), message(Role::user, "q")};
  record_.save(path);
  EXPECT_FALSE(record_.conversation());
  path.push_back(message(Role::assistant, "a"));
  path.back().stats = sessions::MessageStats{};
  record_.finish(path);
  mend_disk();
  record_.save_rest(path);
  EXPECT_EQ(store_.messages(*record_.conversation()).size(), 3U);
  EXPECT_EQ(store_.list().size(), 1U);
}

TEST_F(ChatRecordTest, AReadOnlyDatabaseIsReadAndNotWritten) {
  MessagePath path{message(Role::user, "q")};
  record_.save(path);
  sessions::Database(dir_ / "x.db").run_script("PRAGMA user_version = 99");
  sessions::Store newer(dir_ / "x.db");
  ChatRecord record(&newer);
  MessagePath opened = record.read(*newer.latest_conversation(), {});
  record.open(*newer.latest_conversation(), opened);
  opened.push_back(message(Role::user, "more"));
  record.save(opened);
  EXPECT_EQ(record.take_error(), "");  // it has been told when the database was opened
  EXPECT_EQ(newer.messages(*record.conversation()).size(), 1U);
}

// As another program may do it.
TEST_F(ChatRecordTest, AConversationThatIsDeletedIsSavedAgain) {
  MessagePath path{message(Role::system, "s"), message(Role::user, "one"),
                   message(Role::assistant, "1.")};
  record_.save(path);
  const auto before = record_.conversation();
  store_.remove(*before);
  path.push_back(message(Role::user, "two"));
  EXPECT_TRUE(record_.has_unsaved(path));
  record_.save(path);
  EXPECT_FALSE(record_.has_unsaved(path));
  EXPECT_EQ(record_.take_error(), "");
  EXPECT_THAT(record_.take_notice(), HasSubstr("saved again"));
  EXPECT_NE(record_.conversation(), before);
  const auto stored = store_.messages(*record_.conversation());
  ASSERT_EQ(stored.size(), 4U);
  EXPECT_EQ(stored[3].content, "two");
}

TEST_F(ChatRecordTest, ADraftOfAConversationThatIsDeletedIsSavedWhenItIsWhole) {
  MessagePath path{message(Role::user, "q"), message(Role::assistant, "", MessageState::draft)};
  record_.save(path);
  store_.remove(*record_.conversation());
  path.back().content = "whole";
  path.back().state = MessageState::done;
  path.back().stats = sessions::MessageStats{};
  record_.finish(path);
  EXPECT_EQ(record_.take_error(), "");
  EXPECT_EQ(store_.messages(*record_.conversation())[1].content, "whole");
  EXPECT_EQ(store_.messages(*record_.conversation())[1].state, MessageState::done);
}

// The text of a path that has been left is not forgotten, and the open branch stays the one that is
// shown.
TEST_F(ChatRecordTest, WhatCouldNotBeSavedIsSavedAfterItsPathHasBeenLeft) {
  MessagePath path{message(Role::user, "one"), message(Role::assistant, "1.")};
  record_.save(path);
  const auto first = *record_.conversation();
  break_disk();
  MessagePath longer = path;
  longer.push_back(message(Role::user, "lost?"));
  record_.save(longer);
  record_.leave(longer);
  record_.show(path.back());
  EXPECT_TRUE(record_.has_unsaved(path));
  record_.start_new();
  EXPECT_TRUE(record_.has_unsaved({}));
  mend_disk();
  MessagePath other{message(Role::user, "elsewhere")};
  record_.save(other);
  EXPECT_FALSE(record_.has_unsaved(other));
  EXPECT_THAT(record_.take_notice(), HasSubstr("has been saved"));
  EXPECT_EQ(store_.messages(first).back().content, "lost?");
  EXPECT_EQ(store_.messages(*record_.conversation()).size(), 1U);
}

TEST_F(ChatRecordTest, TheOpenBranchStaysTheOneThatIsShown) {
  MessagePath path{message(Role::user, "one"), message(Role::assistant, "1.")};
  record_.save(path);
  break_disk();
  MessagePath longer = path;
  longer.push_back(message(Role::user, "lost?"));
  record_.save(longer);
  EXPECT_THAT(record_.take_error(), HasSubstr("not saved"));
  record_.leave(longer);
  mend_disk();
  record_.save(path);
  EXPECT_EQ(store_.messages(*record_.conversation()).size(), 2U);
  EXPECT_EQ(store_.tree(*record_.conversation()).messages.size(), 3U);
  EXPECT_EQ(record_.take_error(), "");
}

TEST_F(ChatRecordTest, WhatWasBegunForNothingIsDeleted) {
  MessagePath path{message(Role::user, "one")};
  record_.save(path);
  record_.discard();
  EXPECT_FALSE(record_.conversation());
  EXPECT_TRUE(store_.list().empty());
}

TEST_F(ChatRecordTest, WhatIsReadIsSavedAsSoonAsItCanBe) {
  MessagePath path{message(Role::user, "q"), message(Role::assistant, "a")};
  record_.save(path);
  const auto stored = [&] { return store_.messages(*record_.conversation()); };
  path[0].reading = sessions::Reading::pinned;
  record_.save_reading(path, 0);
  EXPECT_EQ(stored()[0].reading, sessions::Reading::pinned);
  break_disk();
  path[1].memory = sessions::Memory{.begin = 2};
  record_.save_reading(path, 1);
  EXPECT_THAT(record_.take_error(), HasSubstr("the disk is full"));
  EXPECT_TRUE(record_.has_unsaved(path));
  EXPECT_FALSE(stored()[1].memory);
  mend_disk();
  record_.save_rest(path);
  EXPECT_EQ(stored()[1].memory, sessions::Memory{.begin = 2});
  EXPECT_FALSE(record_.has_unsaved(path));
}

TEST_F(ChatRecordTest, AMessageThatCannotBeSavedTakesItsReadingWithIt) {
  MessagePath path{message(Role::user, "q")};
  break_disk();
  path[0].reading = sessions::Reading::dropped;
  record_.save_reading(path, 0);
  mend_disk();
  record_.save_rest(path);
  EXPECT_EQ(store_.messages(*record_.conversation())[0].reading, sessions::Reading::dropped);
}

}  // namespace
}  // namespace confab::app
