// SPDX-License-Identifier: MIT
#include "app/chat/backend.h"

#include <gtest/gtest.h>

#include "app/error.h"
#include "engine/error.h"
#include "sessions/conversations/sql.h"
#include "sessions/error.h"
#include "tests/engine/tiny_model.h"
#include "tests/temp_dir.h"

namespace confab::app {
namespace {

class BackendTest : public ::testing::Test {
 protected:
  BackendTest() {
    options_.model.path = model_.path();
    options_.model.n_threads = 1;
    paths_.database = dir_.path() / "data" / "confab.db";
    paths_.kv = dir_.path() / "cache" / "kv";
  }
  sessions::ConversationId converse(sessions::Store& store, const std::string& title) {
    const sessions::NewMessage question{.role = sessions::Role::user, .content = title};
    return store.create_conversation({&question, 1}).conversation;
  }
  engine::TinyModelFile model_;
  TempDir dir_;
  Paths paths_;
  ChatOptions options_;
};

TEST_F(BackendTest, OpensEverythingWhereThePathsSay) {
  const Backend backend = open_backend(options_, paths_, true);
  EXPECT_TRUE(std::filesystem::exists(paths_.database));
  EXPECT_NE(backend.kv, nullptr);
  EXPECT_EQ(backend.model->info().n_ctx, 512);
  EXPECT_FALSE(backend.is_demo);
  EXPECT_EQ(backend.notice, "");
}

TEST_F(BackendTest, NothingIsWrittenWhenNothingIsToBeSaved) {
  options_.save = false;
  const Backend backend = open_backend(options_, paths_, false);
  EXPECT_EQ(backend.store, nullptr);
  EXPECT_EQ(backend.kv, nullptr);
  EXPECT_TRUE(std::filesystem::is_empty(dir_.path()));
}

TEST_F(BackendTest, APromptCacheThatCannotBeHadIsANotice) {
  paths_.kv = dir_.file("a-file", "") + "/kv";
  Backend backend = open_backend(options_, paths_, true);
  EXPECT_NE(backend.model, nullptr);
  EXPECT_NE(backend.take_notice().find("a-file"), std::string::npos);
  EXPECT_EQ(backend.take_notice(), "");
}

// A new chat goes on unsaved, and says so; an old one cannot be had. The file stays as it is.
TEST_F(BackendTest, ADamagedDatabaseIsANoticeUnlessItIsNeeded) {
  const std::string damaged = "this is no database, but a text of some length";
  dir_.file("data/confab.db", damaged);
  Backend backend = open_backend(options_, paths_, true);
  EXPECT_EQ(backend.store, nullptr);
  EXPECT_NE(backend.take_notice().find("nothing of this chat is saved"), std::string::npos);
  EXPECT_EQ(backend.take_notice(), "");
  options_.continue_last = true;
  EXPECT_THROW(open_backend(options_, paths_, true), sessions::StoreError);
  EXPECT_EQ(read_file(paths_.database), damaged);
}

TEST_F(BackendTest, ANewerDatabaseCanBeRead) {
  const auto id = converse(*open_backend(options_, paths_, true).store, "foxes");
  sessions::Database(paths_.database).run_script("PRAGMA user_version = 99");
  options_.continue_last = true;
  Backend backend = open_backend(options_, paths_, true);
  EXPECT_NE(backend.take_notice().find("newer confab"), std::string::npos);
  EXPECT_EQ(wanted_conversation(options_, *backend.store)->id, id);
  EXPECT_EQ(backend.store->messages(id).size(), 1U);
}

TEST_F(BackendTest, AMissingModelIsAnError) {
  options_.model.path = "/no/such/model.gguf";
  EXPECT_THROW(open_backend(options_, paths_, false), engine::ModelError);
}

TEST_F(BackendTest, FindsTheConversationThatIsMeant) {
  sessions::Store store = sessions::Store::in_memory();
  EXPECT_FALSE(wanted_conversation(options_, store));
  options_.continue_last = true;
  EXPECT_THROW(wanted_conversation(options_, store), UserError);
  const auto foxes = converse(store, "foxes and dens");
  converse(store, "foxes and hens");
  EXPECT_EQ(wanted_conversation(options_, store)->title, "foxes and hens");
  options_.resume = "foxes and dens";
  EXPECT_EQ(wanted_conversation(options_, store)->id, foxes);
  EXPECT_EQ(conversation_by_name(store, "1").id, foxes);
  try {
    conversation_by_name(store, "foxes");
    FAIL() << "two conversations begin so";
  } catch (const UserError& fault) {
    EXPECT_NE(std::string(fault.what()).find("foxes and hens"), std::string::npos);
  }
  EXPECT_THROW(conversation_by_name(store, "bears"), UserError);
}

}  // namespace
}  // namespace confab::app
