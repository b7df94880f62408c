// SPDX-License-Identifier: MIT
#include "engine/run/fingerprint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <limits>
#include <memory>
#include <set>

#include "engine/model/model.h"
#include "engine/model/weights_digest.h"
#include "engine/platform/memory.h"
#include "engine/run/context_plan.h"
#include "engine/run/local_chat_model.h"
#include "tests/engine/cache/memory_block_store.h"
#include "tests/engine/nextn_model.h"
#include "tests/engine/tiny_model.h"

namespace confab::engine {
namespace {

struct Setting {
  LoadOptions options = {};
  kernels::Isa isa = kernels::Isa::scalar;
  bool exact = false;
  NextnHead head = NextnHead::left_out;
};

std::string fingerprint(const GgufWriter& gguf, const Setting& setting = {}) {
  const TemporaryFolder folder;
  gguf.write(folder / "model.gguf");
  const auto model = Model::load(folder / "model.gguf", setting.head, setting.options.rope);
  const auto plan =
      plan_context(*model, setting.options, std::numeric_limits<std::uint64_t>::max());
  kernels::ThreadPool pool(1);
  WeightsDigest digest(model->gguf, pool);
  while (!digest.done()) digest.step();
  return cache_fingerprint(
      *model, plan, {.weights_digest = digest.hex(), .isa = setting.isa, .exact = setting.exact});
}

TEST(FingerprintTest, IsOneLineAndTheSameForTheSameContent) {
  const std::string text = fingerprint(tiny_model());
  EXPECT_EQ(text, fingerprint(tiny_model()));
  EXPECT_EQ(text.find('\n'), std::string::npos);
}

// Blocks of a head of the model's own have keys and values of that too.
TEST(FingerprintTest, ChangesWithTheHead) {
  const TinyModelFile tiny({.architecture = "glm4moe"});
  const GgufWriter model = with_nextn(Gguf(tiny.path()), {});
  EXPECT_NE(fingerprint(model, {.head = NextnHead::kept}), fingerprint(model));
}

TEST(FingerprintTest, NamesAndTokenizersDoNotCount) {
  GgufWriter renamed = tiny_model();
  renamed.remove("general.name").add("general.name", "Tiny Tst2");
  renamed.remove("tokenizer.chat_template").add("tokenizer.chat_template", kTinyTemplate);
  EXPECT_EQ(fingerprint(renamed), fingerprint(tiny_model()));
}

TEST(FingerprintTest, ChangesWithAllThatDeterminesKeysAndValues) {
  std::set<std::string> seen;
  const auto is_new = [&seen](const std::string& text) { return seen.insert(text).second; };
  EXPECT_TRUE(is_new(fingerprint(tiny_model())));
  EXPECT_TRUE(is_new(fingerprint(tiny_model({.seed = 1}))));  // other weights, the same shapes
  EXPECT_TRUE(is_new(fingerprint(tiny_model({.n_ff = 128}))));
  EXPECT_TRUE(is_new(fingerprint(tiny_model({.rope_scaling = "linear"}))));
  EXPECT_TRUE(is_new(fingerprint(tiny_model({.rope_scaling = "linear", .rope_scale_factor = 2}))));
  EXPECT_TRUE(is_new(fingerprint(tiny_model({.rope_scaling = "yarn"}))));
  EXPECT_TRUE(is_new(fingerprint(tiny_model({.rope_factors = std::vector<float>(16, 1)}))));
  EXPECT_TRUE(is_new(fingerprint(tiny_model({.rope_factors = std::vector<float>(16, 2)}))));
  GgufWriter epsilon = tiny_model();
  epsilon.remove("llama.attention.layer_norm_rms_epsilon");
  epsilon.add("llama.attention.layer_norm_rms_epsilon", 1e-6F);
  EXPECT_TRUE(is_new(fingerprint(epsilon)));

  EXPECT_TRUE(is_new(fingerprint(tiny_model(), {.options = {.type_k = kernels::Dtype::F16}})));
  EXPECT_TRUE(is_new(fingerprint(tiny_model(), {.options = {.type_v = kernels::Dtype::F16}})));
  EXPECT_TRUE(is_new(fingerprint(tiny_model(), {.options = {.rope = {.scale = 2.0F}}})));
  EXPECT_TRUE(is_new(fingerprint(tiny_model(), {.options = {.rope = {.freq_base = 2e4F}}})));
  EXPECT_TRUE(is_new(fingerprint(tiny_model(), {.options = {.rope = {.yarn_attn_factor = 2.0F}}})));
  EXPECT_TRUE(is_new(fingerprint(tiny_model(), {.isa = kernels::Isa::avx2})));
  EXPECT_TRUE(is_new(fingerprint(tiny_model(), {.exact = true})));
}

TEST(FingerprintTest, ContextThreadsAndBatchDoNotCount) {
  EXPECT_EQ(fingerprint(tiny_model(), {.options = {.n_ctx = 300, .n_threads = 3, .n_batch = 7}}),
            fingerprint(tiny_model()));
}

TEST(FingerprintTest, TheTokenizersHashIsOfVocabularyAndTemplate) {
  const auto hash = [](const GgufWriter& gguf, std::string_view chat_template) {
    const TemporaryFolder folder;
    gguf.write(folder / "model.gguf");
    return tokenizer_hash(Gguf(folder / "model.gguf"), chat_template);
  };
  const std::string base = hash(tiny_model(), "a");
  EXPECT_EQ(base.size(), 16U);
  EXPECT_EQ(hash(tiny_model({.seed = 1}), "a"), base);  // other weights
  EXPECT_NE(hash(tiny_model(), "b"), base);
  GgufWriter other = tiny_model();
  other.remove("tokenizer.ggml.add_bos_token").add("tokenizer.ggml.add_bos_token", true);
  EXPECT_NE(hash(other, "a"), base);
  EXPECT_EQ(hash(tiny_model().remove("general.name").add("general.name", "renamed"), "a"), base);

  TinyVocab vocab = tiny_vocab();
  const auto with = [&](const char* key, const auto& values) {
    return hash(tiny_model().remove(key).add_array(key, values), "a");
  };
  std::swap(vocab.tokens[70], vocab.tokens[71]);
  EXPECT_NE(with("tokenizer.ggml.tokens", vocab.tokens), base);
  std::swap(vocab.merges[0], vocab.merges[1]);
  EXPECT_NE(with("tokenizer.ggml.merges", vocab.merges), base);
  vocab.types[5] = 4;
  EXPECT_NE(with("tokenizer.ggml.token_type", vocab.types), base);
  EXPECT_NE(with("tokenizer.ggml.scores", std::vector<float>(300)), base);
}

class UnreadWeightsTest : public testing::Test {
 protected:
  UnreadWeights weights() {
    return {*model_, plan_, {.weights_digest = {}, .isa = kernels::Isa::scalar}, pool_};
  }
  static std::optional<std::string> read_all(UnreadWeights weights, BlockStore& store) {
    for (;;)
      if (auto fingerprint = weights.read(store)) return fingerprint;
  }

  const TinyModelFile file_;
  const std::unique_ptr<const Model> model_ = Model::load(file_.path());
  const ContextPlan plan_ = plan_context(*model_, {.path = file_.path(), .n_threads = 1});
  kernels::ThreadPool pool_{1};
  MemoryBlockStore store_;
};

TEST_F(UnreadWeightsTest, AreReadOnceAndRemembered) {
  EXPECT_EQ(weights().recall(store_), std::nullopt);
  const auto fingerprint = read_all(weights(), store_);
  ASSERT_EQ(store_.facts.size(), 1U);
  EXPECT_THAT(*fingerprint, testing::HasSubstr("weights=" + store_.facts.begin()->second));
  EXPECT_EQ(weights().recall(store_), fingerprint);
}

// The plan counts only the rows of the table that are looked up.
TEST(UnreadWeightsOfATableTest, ItsPagesLeaveTheProcessAgain) {
  const TinyModelFile file{{.n_layer = 1, .n_embd = 4096, .n_head = 64, .n_ff = 32}};
  const auto model = Model::load(file.path());
  const ContextPlan plan = plan_context(*model, {.path = file.path(), .n_threads = 1});
  kernels::ThreadPool pool{1};
  MemoryBlockStore store;
  const std::uint64_t table = model->weights.token_embd.n_bytes();
  ASSERT_GT(table, std::uint64_t{4} << 20);
  const std::uint64_t before = platform::memory_use().mapped_bytes;
  if (before == 0) GTEST_SKIP() << "this system does not say what is mapped";
  UnreadWeights weights(*model, plan, {.weights_digest = {}, .isa = kernels::Isa::scalar}, pool);
  while (!weights.read(store)) {
  }
  const std::uint64_t all = std::filesystem::file_size(file.path());
  EXPECT_LT(platform::memory_use().mapped_bytes, before + all - table + (std::uint64_t{2} << 20));
}

TEST_F(UnreadWeightsTest, OfAFileThatWasTouchedNothingIsKnown) {
  read_all(weights(), store_);
  namespace fs = std::filesystem;
  fs::last_write_time(file_.path(), fs::last_write_time(file_.path()) - std::chrono::hours(1));
  EXPECT_EQ(weights().recall(store_), "");
  MemoryBlockStore empty;
  EXPECT_EQ(read_all(weights(), empty), "");
  EXPECT_TRUE(empty.facts.empty());
}

}  // namespace
}  // namespace confab::engine
