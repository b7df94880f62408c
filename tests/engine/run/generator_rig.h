// SPDX-License-Identifier: MIT
// A generator with all it needs, on the calling thread, and questions for it.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/cpu/cpu_decoder.h"
#include "engine/error.h"
#include "engine/model/model.h"
#include "engine/run/draft_model.h"
#include "engine/run/generator.h"
#include "kernels/isa.h"
#include "tests/engine/cache/memory_block_store.h"
#include "tests/engine/tiny_model.h"

namespace confab::engine {

// Its own clock goes on by passes alone, by as much for any number of rows: whether drafts are made
// does not depend on what the machine does besides.
class TimedDecoder final : public CpuDecoder {
 public:
  using CpuDecoder::CpuDecoder;
  RunEnd run(std::span<const SequenceRun> runs, kernels::FunctionRef<bool(int il)> go_on) override {
    time_ += std::chrono::milliseconds(1);
    return CpuDecoder::run(runs, go_on);
  }
  static DraftSources::Clock::time_point now() noexcept { return time_; }

 private:
  static inline DraftSources::Clock::time_point time_{};
};

struct RigOptions {
  std::string path = {};
  int n_ctx = 1024;
  int n_pages = 0;
  int n_threads = 1;
  int n_batch = 512;
  BlockStore* store = nullptr;
  std::string chat_template = std::string(kTinyTemplate);
  const kernels::KernelTable* table = nullptr;  // the best
  bool lookup = true;
  std::string draft = {};  // the file of a draft model
  bool head = false;       // the model's own guesses
};

// The best kernels, but attention of the first query from position `pos` on does something besides:
// once, in the middle of a forward pass. Of one such table at a time, on one thread.
class AtPosition {
 public:
  AtPosition(int pos, std::function<void()> act) : table_(kernels::choose_kernel_table("")) {
    now_ = {pos, std::move(act), table_.attention};
    table_.attention = [](const kernels::AttentionJob& job) noexcept {
      if (job.pos >= now_.pos && now_.act) std::exchange(now_.act, nullptr)();
      now_.attention(job);
    };
  }
  const kernels::KernelTable* table() const { return &table_; }

 private:
  struct Now {
    int pos;
    std::function<void()> act;
    void (*attention)(const kernels::AttentionJob& job) noexcept;
  };
  static inline Now now_{};

  kernels::KernelTable table_;
};

struct Answer {
  std::string text;
  std::string reasoning;
  bool at_budget = false;
  std::vector<Token> told;  // with the deltas
  double tokens_per_pass = 0;
  std::vector<PrefillProgress> progress;
  Finished end;
};

class Rig {
 public:
  explicit Rig(const RigOptions& o)
      : model(Model::load(o.path, o.head ? NextnHead::kept : NextnHead::left_out)),
        prompts(*model->tokenizer, o.chat_template),
        pool(o.n_threads),
        decoder(*model, o.table == nullptr ? kernels::choose_kernel_table("") : *o.table, pool,
                {.n_ctx = o.n_ctx,
                 .n_pages = o.n_pages,
                 .max_in_flight = std::min(o.n_batch, DraftLength::kMost + 1),
                 .forward = {.n_batch = o.n_batch,
                             .n_logits = std::min(o.n_batch, DraftLength::kMost + 1)}}),
        cache(decoder, o.store, "tiny"),
        draft_file(o.draft.empty() ? nullptr : Model::load(o.draft)),
        draft(make_draft(o.store)),
        head(*model->tokenizer, kernels::choose_kernel_table(""),
             {.n_vocab = model->hparams.n_vocab}),
        drafts{.lookup = o.lookup,
               .model = draft.get(),
               .head = o.head ? &head : nullptr,
               .reading = ReadingShare(ReadingShare::kUnlimited),
               .now = &TimedDecoder::now},
        generator({*model, prompts, cache, {}, drafts, &pool}) {}

  std::unique_ptr<DraftModel> make_draft(BlockStore* store) {
    if (draft_file == nullptr) return nullptr;
    const int n_ctx = std::min(decoder.n_ctx(), draft_file->hparams.n_ctx_train);
    auto made =
        std::make_unique<DraftModel>(*draft_file, kernels::choose_kernel_table(""), pool,
                                     DraftModelOptions{.n_ctx = n_ctx,
                                                       .n_batch = 64,
                                                       .rule = {.n_vocab = model->hparams.n_vocab},
                                                       .store = store});
    made->set_fingerprint("draft");
    return made;
  }

  // Starts it as the answer of this number, whose events come to `events`.
  void start(const GenerateRequest& request, std::uint64_t number = 1, std::stop_token stop = {}) {
    generator.start(request, Generator::Clock::now(), stop, {events, AnswerId{number}});
  }
  // All that are in flight, to their ends; by number, from 1. Throws ModelError where one failed.
  std::vector<Answer> finish(std::size_t n = 1) {
    while (generator.is_busy()) generator.step();
    std::vector<Answer> answers(n);
    while (auto event = events.pop())
      take(answers.at(static_cast<std::size_t>(event->answer) - 1), event->event);
    return answers;
  }
  Answer run(const GenerateRequest& request, std::stop_token stop = {}) {
    start(request, 1, stop);
    return finish()[0];
  }
  // Runs tokens of a sequence; the logits of the last.
  std::vector<float> feed(Sequence& sequence, std::span<const Token> tokens) {
    const SequenceRun run{&sequence, tokens, LogitsOf::last_token};
    EXPECT_EQ(decoder.run({&run, 1}, [](int) { return true; }), RunEnd::done);
    return {decoder.logits(0).begin(), decoder.logits(0).end()};
  }
  // Of what was written last, and is there.
  int n_tokens() const { return cache.last() == nullptr ? 0 : cache.last()->n_tokens(); }
  KvCache& kv() { return static_cast<PagedSequence&>(const_cast<Sequence&>(*cache.last())).cache; }

  static void take(Answer& answer, Event& event) {
    if (const auto* text = std::get_if<TextDelta>(&event)) {
      answer.text += text->text;
      answer.told.insert(answer.told.end(), text->tokens.begin(), text->tokens.end());
      answer.tokens_per_pass = text->tokens_per_pass;
    }
    if (const auto* thought = std::get_if<ReasoningDelta>(&event)) {
      answer.reasoning += thought->text;
      answer.at_budget = answer.at_budget || thought->at_budget;
      answer.told.insert(answer.told.end(), thought->tokens.begin(), thought->tokens.end());
    }
    if (const auto* progress = std::get_if<PrefillProgress>(&event))
      answer.progress.push_back(*progress);
    if (auto* end = std::get_if<Finished>(&event)) answer.end = std::move(*end);
    if (const auto* failed = std::get_if<Failed>(&event)) throw ModelError(failed->message);
  }

  std::unique_ptr<const Model> model;
  PromptBuilder prompts;
  kernels::ThreadPool pool;
  TimedDecoder decoder;
  PrefixCache cache;
  EventQueue events;
  std::unique_ptr<const Model> draft_file;
  std::unique_ptr<DraftModel> draft;  // nullptr: none
  LikelyToken head;
  DraftSources drafts;
  Generator generator;
};

inline void expect_same(const Answer& got, const Answer& want) {
  EXPECT_EQ(got.end.tokens, want.end.tokens);
  EXPECT_EQ(got.end.reason, want.end.reason);
  EXPECT_EQ(got.text, want.text);
  EXPECT_EQ(got.told, want.told);
  EXPECT_EQ(got.end.n_ctx_used, want.end.n_ctx_used);
  EXPECT_EQ(got.end.stats.n_generated, want.end.stats.n_generated);
  EXPECT_EQ(got.end.stats.n_prompt, want.end.stats.n_prompt);
}

// The answers of one generator to these requests, one after the other.
inline std::vector<Answer> run_all(const RigOptions& options,
                                   const std::vector<GenerateRequest>& requests) {
  Rig rig(options);
  std::vector<Answer> all;
  for (const GenerateRequest& request : requests) all.push_back(rig.run(request));
  return all;
}

inline GenerateRequest greedy(const std::string& text, int n_predict) {
  GenerateRequest request{.turns = {{{"user", text}}}, .n_predict = n_predict};
  request.sampling.temperature = 0;
  return request;
}

// Every token equally likely: an end of turn comes within some hundred tokens.
inline GenerateRequest random(const std::string& text, std::uint64_t seed) {
  GenerateRequest request = greedy(text, -1);
  request.sampling = {.temperature = 1e9F, .top_k = 0, .top_p = 1, .min_p = 0, .seed = seed};
  return request;
}

inline std::string long_text(int n) {
  std::string text;
  for (int i = 0; i < n; ++i) text += "word " + std::to_string(i * 37 % 101) + ", ";
  return text;
}

// The turns after an answer: what it said, with its tokens, and a new question.
inline GenerateRequest next_turn(GenerateRequest request, const Answer& answer,
                                 const std::string& text) {
  request.turns.push_back({{"assistant", answer.text}, answer.end.tokens});
  request.turns.push_back({{"user", text}});
  return request;
}

}  // namespace confab::engine
