// SPDX-License-Identifier: MIT
// What becomes of a chat model that gives back its memory, and of the answers after it.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <string>
#include <thread>

#include "engine/platform/pressure.h"
#include "engine/run/local_chat_model.h"
#include "tests/engine/cache/memory_block_store.h"
#include "tests/engine/run/chat_model_rig.h"
#include "tests/engine/tiny_model.h"
#include "tests/kernels/vulkan/some_gpu.h"
#include "tests/resident.h"

namespace confab::engine {
namespace {

using namespace front;

#ifdef __linux__

class LocalChatModelUnloadTest : public testing::Test {
 protected:
  std::unique_ptr<ChatModel> load(LoadOptions options = {}) const {
    options.path = file.path();
    options.n_threads = 2;
    return load_chat_model(options);
  }
  // Waits until the weights have left the process; the test fails after a minute.
  void expect_unloaded() const { expect_unloaded(file.path()); }
  static void expect_unloaded(const std::string& path) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(1);
    while (resident_kib(path) > 0 && std::chrono::steady_clock::now() < end)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    EXPECT_EQ(resident_kib(path), 0);
  }
  // A conversation of more than a block, and what is asked next.
  static GenerateRequest long_question() {
    std::string text;
    for (int i = 0; i < 60; ++i) text += "word " + std::to_string(i) + ", ";
    return ask(text, 10);
  }
  static void go_on(GenerateRequest& request, const Answer& answer) {
    ASSERT_TRUE(answer.end) << answer.error;
    request.turns.push_back({{"assistant", answer.text}, answer.end->tokens});
    request.turns.push_back({{"user", "more"}});
  }
  static Answer answer(ChatModel& model, const GenerateRequest& request) {
    model.generate(request);
    return collect(model);
  }

  const TinyModelFile file{{.n_ctx = 8192}};
};

TEST_F(LocalChatModelUnloadTest, SparingPowerChangesNoAnswerAndDraftsNothing) {
  const GenerateRequest request = long_question();
  const auto model = load();
  const Answer usual = answer(*model, request);
  model->spare_power(true);
  const Answer other = answer(*model, request);
  ASSERT_TRUE(usual.end && other.end) << usual.error << other.error;
  EXPECT_EQ(other.end->tokens, usual.end->tokens);
  EXPECT_EQ(other.end->stats.by_lookup.n_drafted, 0);
  model->spare_power(false);
  EXPECT_EQ(answer(*model, request).end->tokens, usual.end->tokens);
}

TEST_F(LocalChatModelUnloadTest, SparingMemoryChangesNoAnswerAndDraftsNothing) {
  GenerateRequest request = long_question();
  const auto plain = load();
  const auto sparing = load();
  sparing->spare_memory(true);
  int n_drafted = 0;
  for (int i = 0; i < 3; ++i) {
    const Answer usual = answer(*plain, request), other = answer(*sparing, request);
    ASSERT_TRUE(usual.end && other.end) << usual.error << other.error;
    EXPECT_EQ(other.end->tokens, usual.end->tokens);
    EXPECT_EQ(other.end->stats.by_lookup.n_drafted, 0);
    EXPECT_TRUE(i == 0 || other.end->stats.n_cached > 0) << "the last conversation stays";
    n_drafted += usual.end->stats.by_lookup.n_drafted;
    go_on(request, usual);
  }
  sparing->spare_memory(false);
  EXPECT_EQ(answer(*sparing, request).end->tokens, answer(*plain, request).end->tokens);
  EXPECT_GT(n_drafted, 0) << "there was nothing to draft";
}

TEST_F(LocalChatModelUnloadTest, AnswersAreTheSameAndKeysComeBackFromTheStore) {
  MemoryBlockStore store;
  GenerateRequest request = long_question();
  auto model = load({.store = &store});
  go_on(request, answer(*model, request));
  ASSERT_GT(resident_kib(file.path()), 0);
  model->unload();
  expect_unloaded();
  const Answer after = answer(*model, request);
  ASSERT_TRUE(after.end) << after.error;
  EXPECT_GT(resident_kib(file.path()), 0);

  model.reset();  // which writes to the store until then
  const Answer resumed = answer(*load({.store = &store}), request);
  ASSERT_TRUE(resumed.end) << resumed.error;
  EXPECT_GE(after.end->stats.n_cached, 256);
  EXPECT_EQ(after.text, resumed.text);
  EXPECT_EQ(after.text, answer(*load(), request).text);
}

TEST_F(LocalChatModelUnloadTest, WhoWaitsForItIsToldAlsoWhenItIsOvertaken) {
  const auto model = load();
  ASSERT_TRUE(answer(*model, ask("one", 4)).end);
  ASSERT_GT(resident_kib(file.path()), 0);
  model->unload().wait();
  EXPECT_EQ(resident_kib(file.path()), 0);
  const std::future<void> overtaken = model->unload();
  ASSERT_TRUE(answer(*model, ask("two", 4)).end);
  EXPECT_EQ(overtaken.wait_for(std::chrono::minutes(1)), std::future_status::ready);
}

// As other programs' memory would take them.
TEST_F(LocalChatModelUnloadTest, PagesThatTheSystemDroppedAreCountedWhenTheyAreReadAgain) {
  const auto model = load();
  const Answer first = answer(*model, long_question());
  ASSERT_TRUE(first.end) << first.error;
  EXPECT_EQ(first.end->stats.n_major_faults, 0) << "the file has just been written";
  model->unload();
  expect_unloaded();
  const int fd = ::open(file.path().c_str(), O_RDONLY | O_CLOEXEC);
  ASSERT_GE(fd, 0);
  ::fsync(fd);
  ::posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
  ::close(fd);
  if (platform::cached_share(file.path()) > 0.5) GTEST_SKIP() << "no disk is under these files";
  const Answer again = answer(*model, long_question());
  ASSERT_TRUE(again.end) << again.error;
  EXPECT_GT(again.end->stats.n_major_faults, 0);
  EXPECT_GT(again.end->stats.major_faults_per_token(), 0);
}

TEST_F(LocalChatModelUnloadTest, WithoutAStoreAllIsReadAgain) {
  GenerateRequest request = long_question();
  const auto model = load();
  go_on(request, answer(*model, request));
  const Answer before = answer(*model, request);
  ASSERT_GT(before.end->stats.n_cached, 256);
  for (int i = 0; i < 2; ++i) {  // more often than there is anything to give back
    model->unload();
    expect_unloaded();
  }
  const Answer after = answer(*model, request);
  ASSERT_TRUE(after.end) << after.error;
  EXPECT_EQ(after.end->stats.n_cached, 0);
  EXPECT_EQ(after.text, before.text);
}

TEST_F(LocalChatModelUnloadTest, ReadingAheadBringsItBack) {
  MemoryBlockStore store;
  GenerateRequest request = long_question();
  const auto model = load({.store = &store});
  go_on(request, answer(*model, request));
  model->unload();
  expect_unloaded();
  model->prepare({.turns = request.turns});
  const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  while (resident_kib(file.path()) == 0 && std::chrono::steady_clock::now() < end)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_GT(resident_kib(file.path()), 0);
}

TEST_F(LocalChatModelUnloadTest, TheAnswerInFlightIsFinishedFirst) {
  const Answer whole = answer(*load(), ask("hello", 300));
  const auto model = load();
  model->generate(ask("hello", 300));
  next(*model);
  model->unload();
  const Answer rest = collect(*model);
  ASSERT_TRUE(rest.end) << rest.error;
  EXPECT_EQ(rest.end->tokens, whole.end->tokens);
  EXPECT_TRUE(whole.text.ends_with(rest.text));
  expect_unloaded();
}

TEST_F(LocalChatModelUnloadTest, ADraftModelGoesAndComesBackAsWell) {
  const TinyModelFile draft{{.n_ctx = 8192}};
  const GenerateRequest request = ask("hello", 50);
  const auto model = load({.draft = {.path = draft.path(), .wanted = true, .p_min = 0}});
  const Answer before = answer(*model, request);
  ASSERT_TRUE(before.end) << before.error;
  ASSERT_GT(before.end->stats.n_drafted, 0);
  model->unload();
  expect_unloaded();
  EXPECT_EQ(resident_kib(draft.path()), 0);
  int n_drafted = 0;  // it rests while it costs more than it gives, as its first pass may
  for (int i = 0; i < 50 && n_drafted == 0; ++i) {
    const Answer after = answer(*model, request);
    EXPECT_EQ(after.text, before.text);
    n_drafted = after.end->stats.n_drafted;
  }
  EXPECT_GT(n_drafted, 0);
}

TEST_F(LocalChatModelUnloadTest, ADraftModelThatNobodyAsksHasNoMemory) {
  const TinyModelFile draft{{.n_ctx = 8192}};
  const GenerateRequest request = ask("hello", 50);
  const auto model = load({.draft = {.path = draft.path(), .wanted = true, .p_min = 0}});
  const Answer before = answer(*model, request);
  ASSERT_TRUE(before.end) << before.error;
  ASSERT_GT(resident_kib(draft.path()), 0);
  model->spare_memory(true);
  const Answer spared = answer(*model, request);
  ASSERT_TRUE(spared.end) << spared.error;
  EXPECT_EQ(spared.end->tokens, before.end->tokens);
  EXPECT_EQ(spared.end->stats.n_drafted, 0);
  expect_unloaded(draft.path());
  EXPECT_GT(resident_kib(file.path()), 0) << "the model itself stays";
  model->spare_memory(false);
  int n_drafted = 0;  // as above
  for (int i = 0; i < 50 && n_drafted == 0; ++i) {
    const Answer after = answer(*model, request);
    EXPECT_EQ(after.end->tokens, before.end->tokens);
    n_drafted = after.end->stats.n_drafted;
  }
  EXPECT_GT(n_drafted, 0);
}

class LocalChatModelDeviceTest : public LocalChatModelUnloadTest {
 protected:
  std::unique_ptr<ChatModel> load_on_device() const {
    return load({.device = {DeviceChoice::Kind::vulkan, kernels::vulkan::some_gpu()->index}});
  }
  // Of the answer in flight.
  static std::vector<LoadProgress> copying(ChatModel& model) {
    std::vector<LoadProgress> told;
    for (;;) {
      const Event event = next(model);
      if (const auto* load = std::get_if<LoadProgress>(&event)) told.push_back(*load);
      if (is_end(event)) return told;
    }
  }
};

TEST_F(LocalChatModelDeviceTest, WhoAsksIsToldHowFarTheWeightsAreCopiedAgain) {
  CONFAB_NEEDS_GPU();
  const auto model = load_on_device();
  const Answer before = answer(*model, ask("hello", 4));
  ASSERT_TRUE(before.end) << before.error;
  model->unload().wait();
  model->generate(ask("hello", 4));
  const std::vector<LoadProgress> told = copying(*model);
  ASSERT_FALSE(told.empty());
  for (const LoadProgress& progress : told) {
    EXPECT_TRUE(progress.is_copy);
    EXPECT_GT(progress.bytes_done, 0U);
    EXPECT_GT(progress.n_bytes, 0U);
  }
  EXPECT_EQ(answer(*model, ask("hello", 4)).text, before.text);
  model->generate(ask("hello", 4));
  EXPECT_TRUE(copying(*model).empty()) << "they are there";
}

TEST_F(LocalChatModelDeviceTest, AnAnswerThatIsStoppedMeanwhileCanBeAskedForAgain) {
  CONFAB_NEEDS_GPU();
  const auto model = load_on_device();
  const Answer before = answer(*model, ask("hello", 4));
  model->unload().wait();
  model->cancel(model->generate(ask("hello", 4)));
  const Answer stopped = collect(*model);
  ASSERT_TRUE(stopped.end) << stopped.error;
  EXPECT_EQ(stopped.end->reason, FinishReason::cancelled);
  EXPECT_EQ(stopped.text, "");
  EXPECT_EQ(answer(*model, ask("hello", 4)).text, before.text);
  EXPECT_EQ(model->info().device, kernels::vulkan::some_gpu()->name) << "it is still on the device";
}

// A file that is cut off meanwhile is found out by the next answer.
TEST_F(LocalChatModelUnloadTest, AFileThatChangedMeanwhileEndsTheNextAnswer) {
  const auto model = load();
  ASSERT_TRUE(answer(*model, ask("hello", 3)).end);
  model->unload();
  expect_unloaded();
  std::filesystem::resize_file(file.path(), 5000);
  EXPECT_NE(answer(*model, ask("hello", 3)).error.find("was overwritten or truncated"),
            std::string::npos);
}

#endif

}  // namespace
}  // namespace confab::engine
