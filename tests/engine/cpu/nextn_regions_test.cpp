// SPDX-License-Identifier: MIT
// The head that guesses further tokens, against a model of one layer: its embeddings are what the
// head's block should read of each token, computed here in double precision, and its layer is that
// block.
#include "engine/cpu/forward.h"

#include <gtest/gtest.h>

#include <cmath>
#include <deque>

#include "tests/engine/cpu/run_model.h"
#include "tests/engine/golden.h"
#include "tests/engine/nextn_model.h"

namespace confab::engine {
namespace {

struct Case {
  std::string name;
  std::string file;  // empty: a tiny model of GLM-4.5's kind
  NextnOptions head;
};

std::string arch_file(const std::string& name) {
  return CONFAB_SOURCE_DIR "/tests/data/arch/" + name + "/model.gguf";
}

const std::vector<Case>& all_cases() {
  static const std::vector<Case> cases{
      {"glm4moe", "", {.block = 1}},
      {"glm4moe_own_tables", "", {.block = 0, .own_norm = false, .own_tables = true}},
      {"deepseek2_v3", arch_file("deepseek2-v3"), {.block = 1}},
      {"qwen35", arch_file("qwen35"), {.block = 1}},
      {"qwen3next", arch_file("qwen3next"), {.block = 1, .own_norm = false}}};
  return cases;
}

float value_of(const Matrix& m, std::int64_t row, std::int64_t column) {
  return reinterpret_cast<const float*>(m.rows.data)[row * m.rows.n_cols + column];
}

class NextnTest : public testing::TestWithParam<Case> {
 protected:
  void SetUp() override {
    const Case& c = GetParam();
    std::string path = c.file;
    if (path.empty()) {
      path = folder_ / "tiny.gguf";
      tiny_model({.architecture = "glm4moe"}).write(path);
    }
    with_nextn(Gguf(path), c.head).write(folder_ / "m.gguf");
    model_.emplace(load_bare_model(folder_ / "m.gguf", NextnHead::kept));
    ASSERT_TRUE(model_->hparams.has_nextn_head());
    tokens_ = some_tokens(40, 5, static_cast<unsigned>(model_->hparams.n_vocab));
  }

  static RunOptions exact() { return {.n_threads = 2, .n_ctx = 64}; }

  std::vector<double> normed(std::span<const float> x, const Norm& norm) const {
    double squares = 0;
    for (const float v : x) squares += double{v} * v;
    const double scale =
        1 / std::sqrt(squares / static_cast<double>(x.size()) + model_->hparams.norm_eps);
    std::vector<double> y;
    for (std::size_t i = 0; i < x.size(); ++i) y.push_back(scale * x[i] * norm.weight[i]);
    return y;
  }

  // What the block reads of a token after one of which the output read `before`.
  std::vector<float> input(Token token, std::span<const float> before) const {
    const NextnWeights& w = model_->weights.nextn;
    const std::size_t n_embd = static_cast<std::size_t>(model_->hparams.n_embd);
    std::vector<float> embedding;
    for (std::size_t i = 0; i < n_embd; ++i)
      embedding.push_back(value_of(w.embed_tokens, token, static_cast<std::int64_t>(i)));
    std::vector<double> pair = normed(embedding, w.enorm);
    const std::vector<double> of_before = normed(before, w.hnorm);
    pair.insert(pair.end(), of_before.begin(), of_before.end());
    std::vector<float> x(n_embd);
    for (std::size_t row = 0; row < n_embd; ++row) {
      double sum = 0;
      for (std::size_t i = 0; i < pair.size(); ++i)
        sum += pair[i] *
               value_of(w.eh_proj, static_cast<std::int64_t>(row), static_cast<std::int64_t>(i));
      x[row] = static_cast<float>(sum);
    }
    return x;
  }

  // The model of one layer whose token i has the i-th of these embeddings.
  struct Reference {
    std::vector<float> embeddings;
    Model model;
  };
  Reference reference(const std::vector<std::vector<float>>& inputs) const {
    Reference r{{}, load_bare_model(folder_ / "m.gguf", NextnHead::kept)};
    for (const auto& row : inputs) r.embeddings.insert(r.embeddings.end(), row.begin(), row.end());
    Hparams& hp = r.model.hparams;
    Weights& w = r.model.weights;
    hp.layers = {hp.layers.back()};
    hp.n_layer = 1;
    w.layers = {w.layers.back()};
    w.output_norm = w.nextn.shared_head_norm;
    w.output = w.nextn.shared_head_head;
    r.embeddings.resize(static_cast<std::size_t>(hp.n_vocab) * static_cast<std::size_t>(hp.n_embd));
    w.token_embd.rows = {kernels::Dtype::F32,
                         reinterpret_cast<const std::byte*>(r.embeddings.data()), hp.n_embd,
                         sizeof(float) * static_cast<std::size_t>(hp.n_embd)};
    return r;
  }

  // The guesses after these tokens: of the token after the next one, and of the two after that one.
  static std::vector<float> guesses(Runner& runner, std::span<const Token> next) {
    std::vector<float> all;
    for (std::size_t i = 0; i < next.size(); ++i) {
      const auto row = runner.forward.guess(runner.cache, next[i], static_cast<int>(i));
      all.insert(all.end(), row.begin(), row.end());
    }
    return all;
  }

  TemporaryFolder folder_;
  std::optional<Model> model_;
  std::vector<Token> tokens_;
};

INSTANTIATE_TEST_SUITE_P(, NextnTest, testing::ValuesIn(all_cases()),
                         [](const auto& tested) { return tested.param.name; });

TEST_P(NextnTest, GuessesAsItsBlockWouldOverWhatItShouldRead) {
  const std::size_t n = 12, n_embd = static_cast<std::size_t>(model_->hparams.n_embd);
  const std::vector<Token> next(tokens_.begin() + n, tokens_.begin() + n + 3);
  // What the output read of each token, by a model that has no head.
  const Model plain = load_bare_model(folder_ / "m.gguf");
  Runner of_plain(plain, exact());
  of_plain.run(std::span(tokens_).first(n), LogitsOf::all_tokens);
  const auto rows = of_plain.forward.hidden();
  std::vector<std::vector<float>> read(1, std::vector<float>(n_embd, 0.0F));
  for (std::size_t t = 0; t < n; ++t)
    read.emplace_back(rows.begin() + t * n_embd, rows.begin() + (t + 1) * n_embd);
  std::vector<std::vector<float>> inputs;
  for (std::size_t t = 0; t < n; ++t) inputs.push_back(input(tokens_[t], read[t]));

  Runner runner(*model_, exact());
  runner.run(std::span(tokens_).first(n), LogitsOf::none);
  const std::vector<float> got = guesses(runner, next);
  const std::size_t n_vocab = got.size() / next.size();
  std::vector<float> before = read.back();
  for (std::size_t i = 0; i < next.size(); ++i) {
    inputs.push_back(input(next[i], before));
    const Reference r = reference(inputs);
    Runner of_block(r.model, exact());
    std::vector<Token> positions(inputs.size());
    for (std::size_t p = 0; p < positions.size(); ++p) positions[p] = static_cast<Token>(p);
    const auto want = of_block.run(positions, LogitsOf::last_token);
    EXPECT_LT(difference(std::span(got).subspan(i * n_vocab, n_vocab), want).nmse, 1e-9) << i;
    before.assign(of_block.forward.hidden().begin(), of_block.forward.hidden().end());
  }
}

TEST_P(NextnTest, WhatTheModelSaysDoesNotDependOnIt) {
  const Model plain = load_bare_model(folder_ / "m.gguf");
  for (const std::vector<int>& pieces : {std::vector{40}, {1}, {7, 3}}) {
    EXPECT_TRUE(same_bits(run_model(*model_, tokens_, exact(), pieces),
                          run_model(plain, tokens_, exact(), pieces)));
  }
}

// On every instruction set, rounded as in a chat.
TEST_P(NextnTest, GuessesDoNotDependOnHowThePromptIsCut) {
  const std::vector<Token> next = some_tokens(3, 8, 60);
  for (const kernels::KernelTable* table : kernels::usable_kernel_tables()) {
    std::vector<float> whole;
    for (const std::vector<int>& pieces : {std::vector{40}, {1}, {7, 3}, {39, 1}}) {
      Runner runner(
          *model_,
          {.table = table, .n_threads = 2, .n_ctx = 64, .exact = false, .kv = kernels::Dtype::F16});
      runner.logits(tokens_, pieces);
      const std::vector<float> got = guesses(runner, next);
      if (whole.empty()) whole = got;
      EXPECT_TRUE(same_bits(got, whole)) << kernels::name(table->isa) << " " << pieces[0];
    }
  }
}

TEST_P(NextnTest, GuessesLeaveTheSequenceAsItIs) {
  Runner runner(*model_, exact()), untouched(*model_, exact());
  const std::span<const Token> all(tokens_);
  for (Runner* r : {&runner, &untouched}) r->run(all.first(20), LogitsOf::none);
  const std::vector<Token> wrong = some_tokens(9, 13, 60);
  const std::vector<float> first = guesses(runner, wrong);
  EXPECT_TRUE(same_bits(guesses(runner, wrong), first));
  EXPECT_EQ(runner.cache.n_tokens(), 20);
  const auto rest = all.subspan(20);
  EXPECT_TRUE(same_bits(runner.logits(rest, {4}), untouched.logits(rest, {4})));
  EXPECT_TRUE(same_bits(guesses(runner, wrong), guesses(untouched, wrong)));
}

TEST_P(NextnTest, SequencesOfOnePassAreEachAlone) {
  const std::span<const Token> all(tokens_);
  Runner runner(*model_, exact());
  KvCache other(model_->hparams, 64, kernels::Dtype::F32, kernels::Dtype::F32);
  runner.run(all.first(5), LogitsOf::none);
  runner.forward.run(other, all.subspan(20, 3), LogitsOf::none);
  const std::vector<SequenceTokens> both{{&runner.cache, all.subspan(5, 4), LogitsOf::none},
                                         {&other, all.subspan(23, 6), LogitsOf::last_token}};
  runner.forward.run(both, [](int) { return true; });
  Runner first(*model_, exact()), second(*model_, exact());
  first.run(all.first(9), LogitsOf::none);
  const auto want = second.run(all.subspan(20, 9), LogitsOf::last_token);
  const auto got = runner.forward.logits(1);
  EXPECT_TRUE(same_bits({got.begin(), got.end()}, {want.begin(), want.end()}));
  const std::vector<Token> next = some_tokens(2, 4, 60);
  EXPECT_TRUE(same_bits(guesses(runner, next), guesses(first, next)));
  const auto row = runner.forward.guess(other, next[0], 0);
  const std::vector<float> of_other(row.begin(), row.end());
  const auto alone = second.forward.guess(second.cache, next[0], 0);
  EXPECT_TRUE(same_bits(of_other, {alone.begin(), alone.end()}));
}

// A draft of which a part is taken: the guess after it is as if no more had been run.
TEST_P(NextnTest, GoesOnFromWhereADraftIsCut) {
  const std::vector<Token> next = some_tokens(1, 4, 60);
  const std::span<const Token> all(tokens_);
  const auto pool =
      PagePool::make(KvLayout(model_->hparams, kernels::Dtype::F32, kernels::Dtype::F32), 8);
  for (int n_taken = 1; n_taken <= 8; ++n_taken) {
    Runner runner(*model_, exact()), straight(*model_, exact());
    KvCache cut(model_->hparams, pool, 64, 8);
    runner.forward.run(cut, all.first(20), LogitsOf::none);
    runner.forward.run(cut, all.subspan(20, 8), LogitsOf::all_tokens);
    KvCache fork(cut, 20 + n_taken);
    cut.truncate(20 + n_taken);
    straight.run(all.first(20 + static_cast<std::size_t>(n_taken)), LogitsOf::none);
    const auto want = straight.forward.guess(straight.cache, next[0], 0);
    for (KvCache* cache : {&cut, &fork}) {
      const auto got = runner.forward.guess(*cache, next[0], 0);
      EXPECT_TRUE(same_bits({got.begin(), got.end()}, {want.begin(), want.end()})) << n_taken;
    }
  }
}

}  // namespace
}  // namespace confab::engine
