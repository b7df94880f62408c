// SPDX-License-Identifier: MIT
// A decoder that gives the best logits of each row alone, where they are enough: answers are those
// of whole rows.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/engine/run/generator_rig.h"

namespace confab::engine {
namespace {

// The processor's, but for what it gives of its rows.
class TopDecoder final : public Decoder {
 public:
  TopDecoder(Decoder& own, int n_vocab) : own_(own), n_vocab_(static_cast<std::size_t>(n_vocab)) {}
  int n_ctx() const noexcept override { return own_.n_ctx(); }
  int n_batch() const noexcept override { return own_.n_batch(); }
  int n_logits() const noexcept override { return own_.n_logits(); }
  int n_layer() const noexcept override { return own_.n_layer(); }
  int n_free_pages() const noexcept override { return own_.n_free_pages(); }
  int n_parts() const noexcept override { return own_.n_parts(); }
  bool is_made_of_blocks() const noexcept override { return own_.is_made_of_blocks(); }
  std::unique_ptr<Sequence> make_sequence() override { return own_.make_sequence(); }
  RunEnd run(std::span<const SequenceRun> runs, kernels::FunctionRef<bool(int)> go_on) override {
    const RunEnd end = own_.run(runs, go_on);
    is_top_ = std::ranges::all_of(
        runs, [](const SequenceRun& r) { return r.logits == LogitsOf::none || r.n_top > 0; });
    top_.assign(runs.size(), {});
    for (std::size_t i = 0; is_top_ && i < runs.size(); ++i) find_best(i, runs[i].n_top);
    return end;
  }
  std::span<const float> logits(std::size_t i) const noexcept override {
    return is_top_ ? std::span<const float>() : own_.logits(i);
  }
  std::span<const TopLogit> top(std::size_t i) const noexcept override { return top_[i]; }
  std::span<const float> hidden(std::size_t i) const noexcept override { return own_.hidden(i); }
  void give_back() override { own_.give_back(); }
  void replace(const WrittenBlock& written) override { own_.replace(written); }

  int n_given = 0;  // rows of the best alone

 private:
  void find_best(std::size_t i, int n_top) {
    for (std::span<const float> left = own_.logits(i); !left.empty();
         left = left.subspan(n_vocab_)) {
      std::vector<TopLogit> row;
      for (std::size_t id = 0; id < n_vocab_; ++id)
        row.push_back({left[id], static_cast<Token>(id)});
      std::ranges::stable_sort(row, std::greater<>(), &TopLogit::logit);
      top_[i].insert(top_[i].end(), row.begin(), row.begin() + n_top);
      ++n_given;
    }
  }

  Decoder& own_;
  std::size_t n_vocab_;
  bool is_top_ = false;
  std::vector<std::vector<TopLogit>> top_;
};

class GeneratorTopTest : public testing::Test {
 protected:
  // By a generator of its own, whose decoder gives the best; and by one of whole rows.
  void expect_same_answers(const std::vector<GenerateRequest>& requests) {
    Rig whole({.path = file_.path()}), rig({.path = file_.path()});
    TopDecoder top(rig.decoder, rig.model->hparams.n_vocab);
    PrefixCache cache(top, nullptr);
    Generator generator({*rig.model, rig.prompts, cache, {}, rig.drafts, &rig.pool});
    for (std::size_t i = 0; i < requests.size(); ++i) {
      whole.start(requests[i], i + 1);
      generator.start(requests[i], Generator::Clock::now(), {}, {rig.events, AnswerId{i + 1}});
    }
    const std::vector<Answer> want = whole.finish(requests.size());
    while (generator.is_busy()) generator.step();
    std::vector<Answer> got(requests.size());
    while (auto event = rig.events.pop())
      Rig::take(got.at(static_cast<std::size_t>(event->answer) - 1), event->event);
    for (std::size_t i = 0; i < got.size(); ++i) {
      expect_same(got[i], want[i]);
      n_drafted_ += got[i].end.stats.n_drafted;
    }
    n_given_ = top.n_given;
  }

  const TinyModelFile file_;
  int n_given_ = 0, n_drafted_ = 0;
};

GenerateRequest sampled(const std::string& text, std::uint64_t seed) {
  GenerateRequest request = greedy(text, 40);
  request.sampling = {.temperature = 2, .seed = seed};
  return request;
}

TEST_F(GeneratorTopTest, AnswersAreThoseOfWholeRows) {
  expect_same_answers({greedy("tell me", 40)});
  EXPECT_GE(n_given_, 30);
  for (const std::uint64_t seed : {1, 2, 3}) {
    expect_same_answers({sampled("tell me", seed)});
    EXPECT_GT(n_given_, 0);
  }
}

TEST_F(GeneratorTopTest, DraftsAreCheckedByTheBestAlone) {
  expect_same_answers({greedy(long_text(40), 60)});
  EXPECT_GT(n_drafted_, 0);
  EXPECT_GT(n_given_, 0);
}

TEST_F(GeneratorTopTest, AnswersBesideEachOtherMayNeedDifferentNumbers) {
  GenerateRequest all = sampled("three", 6);
  all.sampling.repeat_penalty = 1.3F;
  expect_same_answers({greedy("one", 40), sampled("two", 5)});
  EXPECT_GE(n_given_, 60);
  expect_same_answers({greedy("one", 40), sampled("two", 5), all});
}

TEST_F(GeneratorTopTest, WhatLooksAtAllLogitsGetsThem) {
  const auto expect_whole = [this](GenerateRequest request) {
    request.n_predict = 8;
    expect_same_answers({request});
    EXPECT_EQ(n_given_, 0);
  };
  GenerateRequest request = sampled("tell me", 7);
  request.sampling.top_k = 0;
  expect_whole(request);
  request = sampled("tell me", 7);
  request.sampling.repeat_penalty = 1.1F;
  expect_whole(request);
  request = greedy("tell me", 8);
  request.sampling.ignore_eos = true;
  expect_whole(request);
  request = sampled("tell me", 7);
  request.shape = {.kind = ConstraintSpec::Kind::pattern, .text = "[a-z ]*"};
  expect_whole(request);
}

}  // namespace
}  // namespace confab::engine
