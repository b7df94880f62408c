// SPDX-License-Identifier: MIT
#include "app/tools/bench_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <fstream>
#include <iterator>
#include <vector>

#include "app/copy_watch.h"
#include "app/error.h"
#include "app/paths.h"
#include "app/progress_line.h"
#include "engine/error.h"
#include "engine/run/sampler.h"

namespace confab::app {
namespace {

using engine::LogitsOf;
using engine::SequenceRun;

constexpr int kBatch = 512;
constexpr auto kGoOn = [](int) { return true; };

engine::CpuDecoder::Options sizes(Inference& inference, const ParallelOptions& options) {
  const auto& layer = inference.cache().layout().layer(0);
  const int n_ctx = std::max(1, options.n_depth + options.n_gen);
  return {.n_ctx = n_ctx,
          .n_pages = engine::count_blocks(n_ctx) +
                     options.n_sequences * (engine::count_blocks(options.n_gen) + 1),
          .type_k = layer.k.dtype,
          .type_v = layer.v.dtype,
          .forward = {.n_batch = std::max(kBatch, options.n_sequences),
                      .exact = options.exact,
                      .n_logits = options.n_sequences}};
}

using engine::Token;

int n_right(std::span<const Token> draft, std::span<const Token> rest) {
  const auto end = std::ranges::mismatch(draft, rest).in1;
  return static_cast<int>(end - draft.begin());
}

std::vector<Token> rows_of_pass(Token last, std::span<const Token> draft) {
  std::vector<Token> rows = {last};
  rows.insert(rows.end(), draft.begin(), draft.end());
  return rows;
}

// Examines the first n rows of logits as sampling would.
void look_at(engine::Sampler& sampler, std::span<const float> rows, std::size_t n_vocab, int n) {
  for (std::size_t row = 0; row < static_cast<std::size_t>(n); ++row)
    sampler.sample(rows.subspan(row * n_vocab, n_vocab));
}

void count(Replay& replay, engine::DraftSource source, int n_drafted, int n_accepted) {
  ++replay.n_passes;
  engine::DraftCount& count = engine::count_of(replay, source);
  count.n_drafted += n_drafted;
  count.n_accepted += n_accepted;
}

}  // namespace

std::unique_ptr<DeviceRun> DeviceRun::make(Inference& inference, const ModelOptions& options,
                                           int n_sequences) {
  ui::Signals signals;  // during copying; signals after it act by default
  engine::LoadOptions load = load_options(options);
  load.on_copied = watch_copying(signals, OnInterrupt::ends)();
  engine::ContextPlan plan = engine::plan_context(inference.model(), load);
  plan.n_pages = std::max(plan.n_pages, (n_sequences + 1) * engine::count_blocks(plan.n_ctx));
  plan.n_logits = std::max(plan.n_logits, n_sequences);
  plan.n_batch = std::max(plan.n_batch, n_sequences);
  auto made = std::unique_ptr<DeviceRun>(new DeviceRun(std::move(plan)));
  // Falling back to the processor would be measured as the device's speed.
  made->chosen_ =
      engine::choose_device({inference.model(), made->plan_, inference.table(), inference.pool()},
                            load, [](const std::string& why) { throw engine::ModelError(why); });
  if (const int status = status_asked_for(signals); status != 0) throw Interrupted(status);
  if (!made->chosen_.decoder) return nullptr;
  made->sequence_ = made->decoder().make_sequence();
  return made;
}

void DeviceRun::run(std::span<const engine::Token> tokens, int n_piece, engine::LogitsOf logits) {
  const auto n_most = static_cast<std::size_t>(std::min(n_piece, plan_.n_batch));
  while (!tokens.empty()) {
    const engine::SequenceRun run{sequence_.get(), tokens.first(std::min(n_most, tokens.size())),
                                  logits};
    decoder().run({&run, 1}, [](int) { return true; });
    tokens = tokens.subspan(run.tokens.size());
  }
}

std::vector<engine::ProgramRun> DeviceRun::trace(std::span<const engine::Token> tokens) {
  const engine::SequenceRun run{sequence_.get(), tokens, engine::LogitsOf::last_token};
  std::vector<engine::ProgramRun> programs;
  decoder().trace({&run, 1}, programs);
  return programs;
}

ParallelDecoding::ParallelDecoding(Inference& inference, std::span<const engine::Token> tokens,
                                   const ParallelOptions& options, engine::Decoder* device)
    : model_(inference.model()),
      tokens_(tokens),
      options_(options),
      own_(device != nullptr
               ? nullptr
               : std::make_unique<engine::CpuDecoder>(model_, inference.table(), inference.pool(),
                                                      sizes(inference, options))),
      decoder_(device != nullptr ? *device : *own_),
      text_(decoder_.make_sequence()) {
  for (int n_left = options.n_depth; n_left > 0; n_left = options.n_depth - text_->n_tokens()) {
    const auto begin = static_cast<std::size_t>(text_->n_tokens());
    const auto n = static_cast<std::size_t>(std::min(n_left, kBatch));
    const SequenceRun run{text_.get(), tokens_.subspan(begin, n), LogitsOf::none};
    decoder_.run({&run, 1}, kGoOn);
  }
  text_->checkpoint();
}

std::chrono::duration<double> ParallelDecoding::run(int n) {
  using Clock = std::chrono::steady_clock;
  std::vector<std::unique_ptr<engine::Sequence>> sequences;
  std::vector<SequenceRun> runs;
  for (int i = 0; i < n; ++i) sequences.push_back(text_->fork(options_.n_depth));
  const Clock::time_point begin = Clock::now();
  for (int step = 0; step < options_.n_gen; ++step) {
    runs.clear();
    for (int i = 0; i < n; ++i) {
      const auto token = static_cast<std::size_t>((step + i) % options_.n_gen);
      runs.push_back({sequences[static_cast<std::size_t>(i)].get(), tokens_.subspan(token, 1),
                      LogitsOf::last_token});
    }
    decoder_.run(runs, kGoOn);
  }
  const auto time = Clock::now() - begin;
  model_.gguf.check();
  return time;
}

std::vector<Token> tokens_of_file(const engine::Model& model, const std::string& file) {
  std::ifstream in(expand_home(file), std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  if (!in) throw UserError(fmt::format("{}: cannot be read", file));
  if (text.empty()) throw UserError(fmt::format("{}: is empty", file));
  return model.tokenizer->encode(text, false);
}

Replay replay(Inference& inference, engine::Forward& forward, engine::Drafting& drafting,
              std::span<const Token> prompt, std::span<const Token> answer) {
  using Clock = std::chrono::steady_clock;
  engine::KvCache& cache = inference.cache();
  const auto n_vocab = static_cast<std::size_t>(inference.model().hparams.n_vocab);
  engine::Sampler greedy({.temperature = 0}, static_cast<int>(n_vocab));
  cache.truncate(0);
  drafting.begin(prompt);
  inference.prefill(prompt, engine::LogitsOf::none, [](std::span<const float>) {});

  const auto by_head = [&](Token token, int n_ahead) {
    return forward.guess(cache, token, n_ahead);
  };
  const engine::Drafting::Guess guess = by_head;
  Replay result;
  const Clock::time_point begin = Clock::now();
  const std::clock_t processor_begin = std::clock();
  for (std::size_t at = 0; at < answer.size();) {
    const Clock::time_point pass_begin = Clock::now();
    drafting.add(answer[at]);
    const auto rest = answer.subspan(at + 1);
    const auto draft = drafting.propose(static_cast<int>(rest.size()), {}, &guess);
    const std::vector<Token> run = rows_of_pass(answer[at], draft);
    const int n_before = cache.n_tokens(), n_drafted = static_cast<int>(draft.size());
    const int n_accepted = n_right(draft, rest);
    const auto rows = forward.run(
        cache, run, draft.empty() ? engine::LogitsOf::last_token : engine::LogitsOf::all_tokens);
    look_at(greedy, rows, n_vocab, 1 + n_accepted);
    cache.truncate(n_before + 1 + n_accepted);
    drafting.record(n_drafted, n_accepted, Clock::now() - pass_begin);
    for (int i = 0; i < n_accepted; ++i) drafting.add(rest[static_cast<std::size_t>(i)]);
    count(result, drafting.source(), n_drafted, n_accepted);
    at += 1 + static_cast<std::size_t>(n_accepted);
  }
  result.time = Clock::now() - begin;
  result.processor = std::chrono::duration<double>(
      static_cast<double>(std::clock() - processor_begin) / CLOCKS_PER_SEC);
  inference.model().gguf.check();
  return result;
}

}  // namespace confab::app
