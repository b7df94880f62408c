// SPDX-License-Identifier: MIT
#include "app/chat/backend.h"

#include <gtest/gtest.h>

#include <fstream>

#include "app/chat/chat.h"
#include "app/copy_watch.h"
#include "app/error.h"
#include "app/pump.h"
#include "engine/error.h"
#include "sessions/conversations/sql.h"
#include "sessions/error.h"
#include "tests/app/fake_model.h"
#include "tests/engine/tiny_model.h"
#include "tests/kernels/vulkan/some_gpu.h"
#include "tests/temp_dir.h"

namespace confab::app {
namespace {

bool answers(engine::ChatModel& model) {
  model.generate({.turns = {{{"user", "Hello?"}, {}}}, .n_predict = 2});
  for (;;) {
    wait_readable({model.wake_fd()});
    while (const auto event = model.next_event())
      if (engine::is_end(event->event))
        return std::holds_alternative<engine::Finished>(event->event);
  }
}

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

TEST_F(BackendTest, WhatRunsTheModelIsLogged) {
  paths_.log = dir_.path() / "log";
  open_backend(options_, paths_, false);
  EXPECT_FALSE(std::filesystem::exists(paths_.log)) << "of chats alone";
  open_backend(options_, paths_, true);
  EXPECT_NE(read_file(paths_.log).find("Tiny Test runs on the processor: the model is small"),
            std::string::npos);
}

TEST_F(BackendTest, NothingIsWrittenWhenNothingIsToBeSaved) {
  options_.save = false;
  const Backend backend = open_backend(options_, paths_, false);
  EXPECT_EQ(backend.store, nullptr);
  EXPECT_EQ(backend.kv, nullptr);
  EXPECT_TRUE(std::filesystem::is_empty(dir_.path()));
}

TEST_F(BackendTest, IncognitoReadsTheConversationThatIsGoneOnWithAndWritesNothing) {
  const auto id = converse(*open_backend(options_, paths_, true).store, "foxes");
  const std::string before = read_file(paths_.database);
  options_.save = false;
  for (const bool by_name : {false, true}) {
    options_.continue_last = !by_name;
    if (by_name) options_.resume = "foxes";
    Backend backend = open_backend(options_, paths_, false);
    ASSERT_NE(backend.store, nullptr);
    EXPECT_NE(backend.take_notice().find("nothing of this chat is saved"), std::string::npos);
    FakeModel model;
    Chat chat(model, backend.store.get(), options_);
    chat.open(*wanted_conversation(options_, *backend.store));
    ASSERT_EQ(chat.messages().size(), 1U);
    chat.send(Question("and cats?"));
    chat.take(engine::TextDelta{"Grey.", 1, {1}});
    chat.take(engine::Finished{});
    EXPECT_EQ(chat.messages().size(), 3U);
    EXPECT_EQ(chat.take_error(), "");
    EXPECT_FALSE(chat.has_unsaved()) << "nobody is asked whether to lose it";
    EXPECT_EQ(backend.store->messages(id).size(), 1U);
  }
  EXPECT_EQ(read_file(paths_.database), before);
  paths_.database = dir_.path() / "none" / "confab.db";
  options_.continue_last = true;
  options_.resume.reset();
  EXPECT_THROW(open_backend(options_, paths_, false), UserError);
  EXPECT_FALSE(std::filesystem::exists(dir_.path() / "none"));
}

// Saving begins when the other program is done; nobody waits for that.
TEST_F(BackendTest, ADatabaseThatIsLockedAtTheStartIsOpenedLater) {
  converse(*open_backend(options_, paths_, true).store, "foxes");
  sessions::Database other(paths_.database);
  other.run_script("BEGIN EXCLUSIVE");
  const auto begun = std::chrono::steady_clock::now();
  Backend backend = open_backend(options_, paths_, true);
  EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(4));
  ASSERT_NE(backend.store, nullptr);
  FakeModel model;
  Chat chat(model, backend.store.get(), options_);
  chat.send(Question("cats?"));
  EXPECT_TRUE(chat.has_unsaved());
  ASSERT_TRUE(chat.retry_due());
  other.run_script("ROLLBACK");
  chat.save_rest();
  EXPECT_EQ(backend.store->list().size(), 2U);
  EXPECT_FALSE(chat.retry_due());
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
  EXPECT_NE(backend.take_notice().find("this chat is not saved"), std::string::npos);
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
  EXPECT_THROW(open_backend(options_, paths_, false), NoModelError);
}

class ContinuedTest : public BackendTest {
 protected:
  // A conversation with the model of that name, and that model beside the configured one.
  ContinuedTest() {
    const sessions::NewMessage said[] = {
        {.role = sessions::Role::user, .content = "Hello?"},
        {.role = sessions::Role::assistant, .content = "Hi.", .model = "Tiny Twin"}};
    open_backend(options_, paths_, true).store->create_conversation(said);
    options_.continue_last = true;
  }
  std::string add_twin() const {
    std::string bytes = read_file(model_.path());
    bytes.replace(bytes.find("Tiny Test"), 9, "Tiny Twin");
    const auto twin = std::filesystem::path(model_.path()).parent_path() / "twin.gguf";
    std::ofstream(twin, std::ios::binary) << bytes;
    return twin.string();
  }
};

TEST_F(ContinuedTest, AConversationKeepsItsModel) {
  const std::string twin = add_twin();
  Backend backend = open_backend(options_, paths_, true);
  EXPECT_EQ(backend.model->info().path, twin);
  EXPECT_EQ(backend.options.path, twin);
  const std::string notice = backend.take_notice();
  EXPECT_NE(notice.find("Using Tiny Twin again"), std::string::npos);
  EXPECT_NE(notice.find("/model"), std::string::npos);
}

TEST_F(ContinuedTest, TheModelThatIsNamedAnswers) {
  add_twin();
  options_.model.named = true;
  Backend backend = open_backend(options_, paths_, true);
  EXPECT_EQ(backend.model->info().name, "Tiny Test");
  Chat chat(*backend.model, backend.store.get(), options_);
  chat.open(*wanted_conversation(options_, *backend.store));
  EXPECT_EQ(chat.take_notice(),
            "This conversation used Tiny Twin; it continues with Tiny Test. /model switches back.");
}

TEST_F(ContinuedTest, AChangeOfModelsThatIsStoppedChangesNothing) {
  CONFAB_NEEDS_GPU();
  const std::string twin = add_twin();
  options_.continue_last = false;
  options_.model.device = {engine::DeviceChoice::Kind::vulkan, kernels::vulkan::some_gpu()->index};
  int n_watched = 0, n_told = 0;
  const AtStart at_start{.watch_copying = [&] {
    ++n_watched;
    return [&](std::uint64_t, std::uint64_t) { ++n_told; };
  }};
  Backend backend = open_backend(options_, paths_, false, at_start);
  EXPECT_EQ(n_watched, 1);
  EXPECT_GT(n_told, 0);
  const engine::ChatModel* const before = backend.model.get();
  Chat chat(*backend.model, nullptr, options_);
  backend.watch_copying = [] { return [](std::uint64_t, std::uint64_t) { throw CopyStopped(); }; };
  EXPECT_THROW(use_model(backend, chat, twin), CopyStopped);
  EXPECT_EQ(backend.model.get(), before);
  EXPECT_EQ(chat.model_info().name, "Tiny Test");
  EXPECT_TRUE(answers(*backend.model)) << "the device has it again";
  backend.watch_copying = {};
  use_model(backend, chat, twin);
  EXPECT_EQ(chat.model_info().name, "Tiny Twin");
}

// Before the next one asks how much memory is free.
TEST_F(ContinuedTest, AModelMakesRoomOnItsDeviceForTheNext) {
  options_.continue_last = false;
  Backend backend = open_backend(options_, paths_, false);
  auto fake = std::make_unique<FakeModel>();
  FakeModel& before = *fake;
  backend.model = std::move(fake);
  Chat chat(before, nullptr, options_);
  const std::string missing = (dir_.path() / "missing.gguf").string();
  EXPECT_THROW(use_model(backend, chat, missing), std::runtime_error);
  EXPECT_EQ(before.n_unloaded, 0) << "the processor has room for both";
  before.change_info().device = "Foo 12";
  EXPECT_THROW(use_model(backend, chat, missing), std::runtime_error);
  EXPECT_EQ(before.n_unloaded, 1);
}

TEST_F(ContinuedTest, OneThatIsOpenedLaterKeepsItsModelToo) {
  const std::string twin = add_twin();
  options_.continue_last = false;
  Backend backend = open_backend(options_, paths_, true);
  Chat chat(*backend.model, backend.store.get(), options_);
  EXPECT_EQ(chat.model_info().name, "Tiny Test");
  open_conversation(backend, chat, *backend.store->latest_conversation());
  EXPECT_EQ(chat.model_info().path, twin);
  EXPECT_EQ(backend.take_notice().rfind("Using Tiny Twin again, as before", 0), 0U);
  EXPECT_EQ(chat.take_notice(), "");
}

TEST_F(ContinuedTest, WhichModelIsMissingAndWhichAnswersIsSaid) {
  Backend backend = open_backend(options_, paths_, true);
  Chat chat(*backend.model, backend.store.get(), options_);
  open_conversation(backend, chat, *wanted_conversation(options_, *backend.store));
  EXPECT_EQ(
      backend.take_notice(),
      "This conversation used Tiny Twin, which is not on this machine; using Tiny Test instead.");
  EXPECT_EQ(chat.take_notice(), "");
  open_conversation(backend, chat, *wanted_conversation(options_, *backend.store));
  EXPECT_EQ(backend.take_notice(), "") << "it was open";
}

TEST_F(ContinuedTest, AModelThatIsGoneIsReplacedByTheConfiguredOne) {
  EXPECT_EQ(open_backend(options_, paths_, true).model->info().name, "Tiny Test");
}

// The template of a small file that refuses what was said: the chat stays with the model it has.
TEST_F(BackendTest, AModelThatRefusesTheConversationIsNotTaken) {
  Backend backend = open_backend(options_, paths_, true);
  Chat chat(*backend.model, backend.store.get(), options_);
  chat.open(*backend.store->conversation(converse(*backend.store, "Hello?")));
  std::string bytes = read_file(model_.path());
  const std::string role = "'<|im_start|>' + message['role'] +";
  std::string refuses = "raise_exception('no') +";
  refuses.resize(role.size(), ' ');
  const std::size_t at = bytes.find(role);
  ASSERT_NE(at, std::string::npos);
  bytes.replace(at, role.size(), refuses);
  const std::string refusing = dir_.file("refusing.gguf", bytes);
  const engine::ChatModel* before = backend.model.get();
  EXPECT_THROW(use_model(backend, chat, refusing), engine::ModelError);
  EXPECT_EQ(backend.model.get(), before);
  EXPECT_EQ(chat.model_info().name, "Tiny Test");  // of the model that is still there
  EXPECT_NO_THROW(chat.prompt_text());
}

// Its header is read, and its memory planned, while the one before still has its own.
TEST_F(BackendTest, WhatCannotBeLoadedUnloadsNothing) {
  Backend backend;
  auto loaded = std::make_unique<FakeModel>();
  const FakeModel& before = *loaded;
  backend.model = std::move(loaded);
  Chat chat(*backend.model, nullptr, options_);
  EXPECT_THROW(use_model(backend, chat, dir_.file("junk.gguf", "junk")), engine::ModelError);
  backend.options.n_ctx = 1 << 20;  // beyond the model's own limit
  EXPECT_THROW(use_model(backend, chat, model_.path()), engine::ModelError);
  EXPECT_EQ(before.n_unloaded, 0);
  EXPECT_EQ(chat.model_info().name, "fake");
  backend.options.n_ctx = 0;
  use_model(backend, chat, model_.path());
  EXPECT_EQ(before.n_unloaded, 1);
}

// Twenty times between three models: each is loaded once.
TEST_F(BackendTest, GoingBackToAModelLoadsNothing) {
  const engine::TinyModelFile second, third;
  const std::vector<std::string> files{model_.path(), second.path(), third.path()};
  Backend backend = open_backend(options_, paths_, true);
  Chat chat(*backend.model, backend.store.get(), options_);
  std::vector<const engine::ChatModel*> models{backend.model.get()};
  for (std::size_t i = 1; i <= 20; ++i) {
    use_model(backend, chat, files[i % 3]);
    EXPECT_EQ(chat.model_info().path, files[i % 3]);
    EXPECT_EQ(backend.team.use_count(), 2 + std::min<long>(2, i)) << "one team serves all";
    if (i < 3)
      models.push_back(backend.model.get());
    else
      EXPECT_EQ(backend.model.get(), models[i % 3]);
  }
  const auto n_bytes = std::filesystem::file_size(files[0]) + 1;
  std::filesystem::resize_file(files[0], n_bytes);
  use_model(backend, chat, files[0]);
  EXPECT_EQ(chat.model_info().file_bytes, n_bytes);  // of the file as it is now
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
