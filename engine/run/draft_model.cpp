// SPDX-License-Identifier: MIT
#include "engine/run/draft_model.h"

#include <algorithm>
#include <cassert>

#include "engine/error.h"
#include "engine/model/model.h"

namespace confab::engine {

DraftModel::DraftModel(const Model& model, const kernels::KernelTable& table,
                       kernels::ThreadPool& pool, const DraftModelOptions& options)
    : model_(model),
      options_(options),
      likely_(*model.tokenizer, table, options.rule),
      decoder_(model, table, pool,
               {.n_ctx = options.n_ctx,
                .type_k = options.type_k,
                .type_v = options.type_v,
                .forward = {.n_batch = options.n_batch}}),
      sequence_(decoder_.make_sequence()) {
  draft_.reserve(static_cast<std::size_t>(options.n_ctx));
}

// The last token has to be run for its logits.
int DraftModel::n_unread(std::span<const Token> text) noexcept {
  if (text.empty()) return 0;
  const auto before = text.first(text.size() - 1);
  const auto common = std::ranges::mismatch(before, sequence_->tokens()).in1 - before.begin();
  return static_cast<int>(before.size()) - sequence_->truncate(static_cast<int>(common));
}

// The logits; empty where none were asked for, and where nothing has been run.
std::span<const float> DraftModel::run(std::span<const Token> tokens, LogitsOf logits,
                                       const std::stop_token& stop) {
  const int n_vocab = model_.hparams.n_vocab, n_free = options_.n_ctx - sequence_->n_tokens();
  const auto is_known = [n_vocab](Token token) { return token >= 0 && token < n_vocab; };
  if (!has_memory_ || static_cast<int>(tokens.size()) > n_free || stop.stop_requested()) return {};
  if (!std::ranges::all_of(tokens, is_known)) return {};
  const SequenceRun run{sequence_.get(), tokens, logits};
  try {
    const auto go_on = [&](int) { return !decoder_.can_stop() || !stop.stop_requested(); };
    if (decoder_.run({&run, 1}, go_on) == RunEnd::done) return decoder_.logits(0);
  } catch (const ModelError&) {
    has_memory_ = false;
  }
  return {};
}

void DraftModel::read(std::span<const Token> text, int n, const std::stop_token& stop) {
  [[maybe_unused]] const int n_left = n_unread(text);
  assert(n <= n_left && n <= options_.n_batch);
  if (n == 0) return;
  const auto n_read = static_cast<std::size_t>(sequence_->n_tokens());
  run(text.subspan(n_read, static_cast<std::size_t>(n)), LogitsOf::none, stop);
  sequence_->checkpoint();
}

std::span<const Token> DraftModel::propose(std::span<const Token> text, int most,
                                           const std::stop_token& stop) {
  draft_.clear();
  if (most <= 0 || text.empty()) return draft_;
  for (int n = n_unread(text); n >= options_.n_batch; n = n_unread(text)) {
    read(text, options_.n_batch, stop);
    if (n_unread(text) == n) return draft_;
  }
  const auto n_read = static_cast<std::size_t>(sequence_->n_tokens());
  auto logits = run(text.subspan(n_read), LogitsOf::last_token, stop);
  sequence_->checkpoint();  // the text stays, the draft may go
  while (const auto token = likely_.next(logits, static_cast<int>(draft_.size()))) {
    draft_.push_back(*token);
    if (static_cast<int>(draft_.size()) == most) break;
    logits = run({&draft_.back(), 1}, LogitsOf::last_token, stop);
  }
  return draft_;
}

}  // namespace confab::engine
