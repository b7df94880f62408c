// SPDX-License-Identifier: MIT
#include "engine/run/draft_model.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "engine/error.h"
#include "engine/model/model.h"

namespace confab::engine {

LikelyToken::LikelyToken(const Tokenizer& tokenizer, const kernels::KernelTable& table,
                         const DraftRule& rule)
    : tokenizer_(tokenizer), table_(table), rule_(rule) {
  chances_.reserve(static_cast<std::size_t>(tokenizer.n_vocab()));
}

std::optional<Token> LikelyToken::next(std::span<const float> logits, int n_drafted) {
  if (logits.empty()) return std::nullopt;
  const auto token = static_cast<Token>(std::ranges::max_element(logits) - logits.begin());
  if (token >= rule_.n_vocab || tokenizer_.is_eog(token)) return std::nullopt;
  if (rule_.p_min <= 0 || n_drafted < rule_.least) return token;
  chances_.assign(logits.begin(), logits.end());
  table_.softmax(chances_.data(), static_cast<std::int64_t>(chances_.size()));
  if (chances_[static_cast<std::size_t>(token)] < rule_.p_min) return std::nullopt;
  return token;
}

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
      cache_(decoder_, options.store) {
  draft_.reserve(static_cast<std::size_t>(options.n_ctx));
}

void DraftModel::begin(std::span<const Token> text, SequenceUse use) {
  end();
  model_.gguf.guard();
  if (!has_memory_ || text.empty() || static_cast<int>(text.size()) > options_.n_ctx) return;
  try {
    cached_ = &cache_.begin(text, use);
    n_text_ = cached_->sequence->n_tokens();
  } catch (const ModelError&) {
    has_memory_ = false;
  }
}

void DraftModel::end() noexcept {
  if (cached_ == nullptr) return;
  cache_.truncate(*cached_, std::min(n_text_, cached_->sequence->n_tokens()));
  cache_.end(*std::exchange(cached_, nullptr));
}

void DraftModel::clear() noexcept {
  if (cached_ != nullptr) cache_.drop(*std::exchange(cached_, nullptr));
  cache_.clear();
}

void DraftModel::unload() noexcept {
  end();
  cache_.clear();
  try {
    decoder_.give_back();
  } catch (const ModelError&) {
    has_memory_ = false;
  }
  model_.gguf.give_back();
}

// The last token is not counted, because it must be run for its logits.
int DraftModel::n_unread(std::span<const Token> text) noexcept {
  if (text.empty()) return 0;
  const auto before = text.first(text.size() - 1);
  if (cached_ == nullptr) return static_cast<int>(before.size());
  const auto mismatch = std::ranges::mismatch(before, cached_->sequence->tokens());
  n_text_ = cache_.truncate(*cached_, static_cast<int>(mismatch.in1 - before.begin()));
  return static_cast<int>(before.size()) - n_text_;
}

// Runs the next n tokens of the text. Returns what run() returns.
std::span<const float> DraftModel::go_on(std::span<const Token> text, int n, LogitsOf logits,
                                         const std::stop_token& stop) {
  const auto rest = text.subspan(static_cast<std::size_t>(n_text_), static_cast<std::size_t>(n));
  const auto found = run(rest, logits, stop);
  n_text_ = cached_->sequence->n_tokens();
  // Results computed with changed weights must not be found again.
  if (options_.store != nullptr && model_.gguf.state() != FileState::same)
    cache_.set_fingerprint({});
  try {
    cache_.grown(*cached_, true);  // the text stays, guesses are dropped
  } catch (const ModelError&) {
    has_memory_ = false;
  }
  return found;
}

// Returns the logits; empty if none were requested or nothing could be run.
std::span<const float> DraftModel::run(std::span<const Token> tokens, LogitsOf logits,
                                       const std::stop_token& stop) {
  const int n_vocab = model_.hparams.n_vocab;
  const int n_free = options_.n_ctx - cached_->sequence->n_tokens();
  const auto is_known = [n_vocab](Token token) { return token >= 0 && token < n_vocab; };
  if (!has_memory_ || static_cast<int>(tokens.size()) > n_free || stop.stop_requested()) return {};
  if (!std::ranges::all_of(tokens, is_known)) return {};
  const SequenceRun run{cached_->sequence.get(), tokens, logits};
  try {
    const auto go_on = [&](int) { return !decoder_.can_stop() || !stop.stop_requested(); };
    if (cache_.run({&run, 1}, go_on) == RunEnd::done) return decoder_.logits(0);
  } catch (const ModelError&) {
    has_memory_ = false;
  }
  return {};
}

void DraftModel::read(std::span<const Token> text, int n, const std::stop_token& stop) {
  assert(n <= options_.n_batch);
  if (cached_ == nullptr) begin(text, {});
  n = std::min(n, n_unread(text));
  if (n > 0 && cached_ != nullptr) go_on(text, n, LogitsOf::none, stop);
}

std::span<const Token> DraftModel::propose(std::span<const Token> text, int most,
                                           const std::stop_token& stop) {
  draft_.clear();
  if (most <= 0 || text.empty()) return draft_;
  if (cached_ == nullptr) begin(text, {});
  for (int n = n_unread(text); n >= options_.n_batch; n = n_unread(text)) {
    read(text, options_.n_batch, stop);
    if (n_unread(text) == n) return draft_;
  }
  if (cached_ == nullptr) return draft_;
  const int n_rest = static_cast<int>(text.size()) - n_text_;
  auto logits = go_on(text, n_rest, LogitsOf::last_token, stop);
  while (const auto token = likely_.next(logits, static_cast<int>(draft_.size()))) {
    draft_.push_back(*token);
    if (static_cast<int>(draft_.size()) == most) break;
    logits = run({&draft_.back(), 1}, LogitsOf::last_token, stop);
  }
  return draft_;
}

}  // namespace confab::engine
