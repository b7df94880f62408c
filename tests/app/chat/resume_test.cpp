// SPDX-License-Identifier: MIT
// What the prompt cache promises, with models, files and threads as the program has them: an answer
// after a resume is, token for token, the answer without one, whatever happens to the files.
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <random>
#include <string>

#include "app/chat/kv_block_store.h"
#include "engine/cache/kv_cache.h"
#include "engine/run/local_chat_model.h"
#include "kernels/isa.h"
#include "sessions/blocks/kv_store.h"
#include "tests/engine/tiny_model.h"

namespace confab::app {
namespace {

using engine::Finished;
using engine::GenerateRequest;
using engine::LoadOptions;
using kernels::Dtype;

// One cache folder, as programs one after the other see it.
class CacheFolder {
 public:
  explicit CacheFolder(const TempDir& dir)
      : kv_({.directory = dir.path() / "kv",
             .block_tokens = engine::kBlockTokens,
             .max_bytes = std::uint64_t{1} << 30,
             .min_free_bytes = 0}),
        blocks_(kv_) {}
  KvBlockStore* blocks() { return &blocks_; }
  sessions::KvStore& kv() { return kv_; }

 private:
  sessions::KvStore kv_;
  KvBlockStore blocks_;
};

Finished answer(engine::ChatModel& model, const GenerateRequest& request) {
  model.generate(request);
  for (;;) {
    while (auto event = model.next_event()) {
      if (auto* end = std::get_if<Finished>(&event->event)) return std::move(*end);
      if (const auto* failed = std::get_if<engine::Failed>(&event->event)) {
        ADD_FAILURE() << failed->message;
        return {};
      }
    }
    pollfd entry{model.wake_fd(), POLLIN, 0};
    ::poll(&entry, 1, 60'000);
  }
}

GenerateRequest greedy(const std::string& text, int n_predict = 12) {
  GenerateRequest request{.turns = {{.message = {"user", text}}}, .n_predict = n_predict};
  request.sampling.temperature = 0;
  return request;
}

std::string random_text(std::mt19937& rng, std::size_t n) {
  std::string text(n, ' ');
  for (char& c : text) c = static_cast<char>(rng() % 5 == 0 ? ' ' : 'a' + rng() % 26);
  return text;
}

class ResumeTest : public testing::Test {
 protected:
  // As a program of its own: the model is loaded, asked once, and closed.
  Finished ask(const LoadOptions& options, const GenerateRequest& request) {
    return answer(*engine::load_chat_model(options), request);
  }
  LoadOptions options(const kernels::KernelTable& table, Dtype type) const {
    return {.path = model_.path(),
            .n_threads = 1,
            .type_k = type,
            .type_v = type,
            .isa = std::string(kernels::name(table.isa))};
  }

  const engine::TinyModelFile model_{{.n_ctx = 2048, .quantised = true}};
  const TempDir dir_;
};

TEST_F(ResumeTest, TwoHundredRandomCutsGiveTheTokensOfAColdStart) {
  constexpr std::array kTypes{Dtype::Q8_0, Dtype::F16, Dtype::Q4_0, Dtype::F32};
  const auto tables = kernels::usable_kernel_tables();
  const auto seed = std::random_device{}();
  std::mt19937 rng(seed);
  int n_resumed = 0;
  for (int i = 0; i < 200; ++i) {
    SCOPED_TRACE("seed " + std::to_string(seed) + ", cut " + std::to_string(i));
    LoadOptions cold = options(*tables[rng() % tables.size()], kTypes[rng() % kTypes.size()]);
    CacheFolder folder(dir_);
    const std::string text = random_text(rng, 400 + rng() % 600);
    LoadOptions first = cold;
    first.store = folder.blocks();
    first.n_batch = 1 + static_cast<int>(rng() % 512);
    const Finished stored = ask(first, greedy(text));

    const std::size_t cut = rng() % text.size();
    const GenerateRequest request = greedy(text.substr(0, cut) + random_text(rng, rng() % 90));
    LoadOptions warm = first;
    warm.n_batch = 1 + static_cast<int>(rng() % 512);
    warm.n_threads = 1 + static_cast<int>(rng() % 3);
    const Finished resumed = ask(warm, request);
    ASSERT_EQ(resumed.tokens, ask(cold, request).tokens);
    // A token is two characters at most; fewer than 32 tokens are not worth a look.
    if (cut / 2 > 64 + 32) {
      EXPECT_GT(resumed.stats.n_cached, 0);
    }
    n_resumed += resumed.stats.n_cached > 0;
    ASSERT_EQ(stored.stats.n_cached, 0);
  }
  RecordProperty("resumed", n_resumed);
  EXPECT_GT(n_resumed, 100);
}

// An edit costs at most 31 tokens before it.
TEST_F(ResumeTest, AnEditComputesAtMost31TokensBeforeIt) {
  const auto& table = *kernels::usable_kernel_tables().back();
  CacheFolder folder(dir_);
  LoadOptions with_store = options(table, Dtype::Q8_0);
  with_store.store = folder.blocks();
  std::mt19937 rng(5);
  std::string text;
  for (int i = 0; i < 900; ++i) text += static_cast<char>('a' + i % 2 + (i % 7 == 0 ? 20 : 0));
  const Finished first = ask(with_store, greedy(text, 1));
  const auto model = engine::load_chat_model(options(table, Dtype::Q8_0));
  for (int i = 0; i < 40; ++i) {
    const std::size_t at = rng() % text.size();
    const auto n_same = [&](const std::string& edited) {  // tokens before the edit
      const std::string same = edited.substr(0, at);
      return model->count_tokens({{.message = {"user", same}}}) -
             model->count_tokens({{.message = {"user", ""}}});
    };
    std::string edited = text;
    edited[at] = '#';
    const Finished end = ask(with_store, greedy(edited, 1));
    EXPECT_GE(end.stats.n_cached, n_same(edited) - 31 - 1) << at;
  }
  EXPECT_GT(first.stats.n_prompt, 600);
}

// The same model goes on while its blocks are truncated, deleted and replaced under it.
TEST_F(ResumeTest, FilesMayBeTruncatedUnderALiveMapping) {
  if (!sessions::KvBlock::can_move()) GTEST_SKIP() << "nothing is mapped on this system";
  const auto& table = *kernels::usable_kernel_tables().back();
  std::mt19937 rng(7);
  int n_truncated = 0;
  for (int round = 0; round < 10; ++round) {
    const TempDir dir;
    CacheFolder folder(dir);
    LoadOptions mapped = options(table, Dtype::Q8_0);
    mapped.store = folder.blocks();
    mapped.n_threads = 2;
    const auto warm = engine::load_chat_model(mapped);
    const auto cold = engine::load_chat_model(options(table, Dtype::Q8_0));
    GenerateRequest request = greedy(random_text(rng, 700), 20);
    for (int turn = 0; turn < 4; ++turn) {
      const Finished got = answer(*warm, request);
      ASSERT_EQ(got.tokens, answer(*cold, request).tokens) << "round " << round;
      folder.kv().flush(std::chrono::seconds(30));  // so that the next turn maps them
      request.turns.push_back({.message = {"assistant", "x"}, .tokens = got.tokens});
      request.turns.push_back({.message = {"user", random_text(rng, 60)}});
      if (turn == 0) continue;
      for (const auto& entry : std::filesystem::recursive_directory_iterator(dir.path() / "kv")) {
        if (entry.path().extension() != ".kvb" || rng() % 2 == 0) continue;
        ::chmod(entry.path().c_str(), 0600);
        std::filesystem::resize_file(entry.path(), rng() % 2 * 4096);
        ++n_truncated;
      }
    }
  }
  RecordProperty("truncated", n_truncated);
  EXPECT_GT(n_truncated, 20);
}

TEST_F(ResumeTest, TheFolderMayBeDeletedAtAnyTime) {
  const auto& table = *kernels::usable_kernel_tables().back();
  std::mt19937 rng(9);
  CacheFolder folder(dir_);
  LoadOptions with_store = options(table, Dtype::Q8_0);
  with_store.store = folder.blocks();
  const auto warm = engine::load_chat_model(with_store);
  const auto cold = engine::load_chat_model(options(table, Dtype::Q8_0));
  GenerateRequest request = greedy(random_text(rng, 300), 20);
  for (int turn = 0; turn < 6; ++turn) {
    const Finished got = answer(*warm, request);
    ASSERT_EQ(got.tokens, answer(*cold, request).tokens);
    request.turns.push_back({.message = {"assistant", "x"}, .tokens = got.tokens});
    request.turns.push_back({.message = {"user", random_text(rng, 200)}});
    std::error_code ignored;  // blocks may be written meanwhile
    if (turn % 2 == 1) std::filesystem::remove_all(dir_.path() / "kv", ignored);
  }
  EXPECT_EQ(folder.kv().stats().saving_off, "");
}

// One bit of the weights, and nothing of the other model's is found.
TEST_F(ResumeTest, AModelOfTheSameNameAndSizeIsAnotherModel) {
  const auto& table = *kernels::usable_kernel_tables().back();
  const TempDir models;
  const std::string path = models / "model.gguf";
  std::string bytes = read_file(model_.path());
  CacheFolder folder(dir_);
  LoadOptions load = options(table, Dtype::Q8_0);
  load.path = path;
  load.store = folder.blocks();
  std::mt19937 rng(11);
  const GenerateRequest request = greedy(random_text(rng, 400));
  write_file(path, bytes);
  EXPECT_EQ(ask(load, request).stats.n_cached, 0);
  EXPECT_GT(ask(load, request).stats.n_cached, 0);
  bytes[bytes.size() - 100] ^= 1;
  write_file(path, bytes);
  EXPECT_EQ(ask(load, request).stats.n_cached, 0);
}

}  // namespace
}  // namespace confab::app
