// SPDX-License-Identifier: MIT
#include "app/tools/parallel.h"

#include <algorithm>
#include <vector>

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

}  // namespace

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

}  // namespace confab::app
