// SPDX-License-Identifier: MIT
#include "engine/run/generator.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>

#include "engine/error.h"
#include "engine/model/model.h"
#include "engine/run/answer_state.h"

namespace confab::engine {
namespace {

std::vector<std::string> joined(std::vector<std::string> a, const std::vector<std::string>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

// Two beginnings of a question that have nothing in common, not even a token: what the prompts that
// they make share is what any question's will begin with.
constexpr std::array<std::string_view, 2> kProbes = {"What", "\n7"};

bool are_numbers(std::span<const float> logits) {
  return std::ranges::all_of(logits, [](float x) { return !std::isnan(x); });
}

}  // namespace

// A prompt while it is being read.
struct Generator::Reading {
  std::span<const Token> prompt;
  std::size_t n_cached;
  LogitsOf logits;  // of the last chunk
  const std::stop_token& stop;
  const std::function<void(std::size_t n_done)>& show;
};

// Rows of logits at hand: that after the last token taken, and those after a draft.
struct Generator::Rows {
  std::span<const float> logits;                          // one row, or one for each of the tokens
  std::array<Token, DraftLength::kMost + 1> tokens = {};  // of the last pass: sampled, then drafted
  std::size_t n_tokens = 0;                               // 0: the cache has them all
  std::size_t n_taken = 0;                                // of them, by the answer
  std::chrono::duration<double> time = {};                // of the pass

  std::span<const Token> run() const { return std::span(tokens).first(n_tokens); }
  bool is_drafted(Token token) const { return n_taken < n_tokens && tokens[n_taken] == token; }
  std::span<const float> row(int n_vocab) const {
    const auto n = static_cast<std::size_t>(n_vocab);
    return logits.subspan(n_taken == 0 ? 0 : (n_taken - 1) * n, n);
  }
};

Generator::Generator(Parts parts, int n_batch)
    : parts_(std::move(parts)),
      chunk_(n_batch, parts_.forward.can_stop() ? parts_.model.hparams.n_layer : 1),
      drafting_(parts_.cache.n_ctx(), parts_.lookup) {}

void Generator::check(const GenerateRequest& request, std::span<const Token> prompt) const {
  if (request.n_predict < -1) {
    throw ModelError(fmt::format("n_predict: found {}, expected a number from -1 (no limit)",
                                 request.n_predict));
  }
  if (request.reasoning_budget < -1) {
    throw ModelError(fmt::format("reasoning_budget: found {}, expected a number from -1 (no limit)",
                                 request.reasoning_budget));
  }
  if (prompt.empty())
    throw ModelError("prompt: the chat template makes no prompt from these messages");
  const int n_ctx = parts_.cache.n_ctx(), n_prompt = static_cast<int>(prompt.size());
  if (n_prompt >= n_ctx) {
    throw PromptTooLong(fmt::format(
        "the prompt of {} tokens does not fit in the context of {} (the model's limit is {})",
        n_prompt, n_ctx, parts_.model.hparams.n_ctx_train));
  }
}

void Generator::run(const GenerateRequest& request, Clock::time_point requested,
                    std::stop_token stop, AnswerEvents events) {
  parts_.model.gguf.guard();
  check_weights();
  std::vector<Turn> turns = request.turns;
  std::optional<Turn> begun;
  if (request.continues && !turns.empty()) {
    begun = std::move(turns.back());
    turns.pop_back();
  }
  Prompt prompt = parts_.prompts.build_prompt(turns, request.settings, stop);
  const std::vector<Token> begun_tokens =
      begun ? parts_.prompts.begun_answer(*begun, prompt.reasoning_open) : std::vector<Token>{};
  AnswerState answer{std::move(prompt.ids),
                     request.n_predict,
                     requested,
                     std::move(stop),
                     events,
                     Sampler(request.sampling, parts_.model.hparams.n_vocab),
                     AnswerText(*parts_.model.tokenizer, joined(parts_.stop, request.stop),
                                parts_.prompts.reasoning(), prompt.reasoning_open),
                     ReasoningBudget(request.reasoning_budget)};
  if (parts_.prompts.reasoning() == nullptr) answer.answer_begin = 0;
  for (const Token token : answer.prompt) answer.sampler.accept(token);
  answer.prompt.insert(answer.prompt.end(), begun_tokens.begin(), begun_tokens.end());
  check(request, answer.prompt);
  drafting_.begin(answer.prompt);
  for (const Token token : begun_tokens) answer.add(*parts_.model.tokenizer, token);
  parts_.cache.set_origin(request.origin);
  parts_.cache.set_secret(false);
  try {
    write(answer);
  } catch (...) {
    parts_.cache.discard();  // what a broken computation left there must not be used again
    throw;
  }
  parts_.cache.keep();
}

void Generator::write(AnswerState& answer) {
  answer.stats.n_prompt = static_cast<int>(answer.prompt.size());
  answer.stats.n_cached = parts_.cache.reuse(answer.prompt);
  answer.tokens.reserve(answer.tokens.size() +
                        static_cast<std::size_t>(parts_.cache.n_ctx() - answer.stats.n_prompt + 1));
  const std::function<void(std::size_t)> show = [&answer](std::size_t n_done) {
    answer.events.push(
        PrefillProgress{static_cast<int>(n_done), answer.stats.n_prompt, answer.stats.n_cached});
  };
  const Clock::time_point begin = Clock::now();
  const auto read = [&] {
    return prefill({answer.prompt, static_cast<std::size_t>(answer.stats.n_cached),
                    LogitsOf::last_token, answer.stop, show});
  };
  auto logits = read();
  if (logits && answer.stats.n_cached > 0 && !are_numbers(*logits)) {
    parts_.cache.discard();  // rather what was cached than the model
    answer.stats.n_cached = 0;
    logits = read();
  }
  if (logits) answer.stats.prefill = Clock::now() - begin;
  FinishReason reason = FinishReason::cancelled;
  if (logits) {
    Rows rows{*logits};
    reason = decode(answer, rows);
    settle(answer, rows);
  }
  answer.finish_text();
  const int n_ctx_used = static_cast<int>(parts_.cache.tokens().size());
  const int answer_begin = answer.begin_for_events();
  answer.events.push(
      Finished{reason, answer.stats, std::move(answer.tokens), answer_begin, n_ctx_used});
}

// Runs what of the prompt is not cached. Returns the logits of the last chunk that were asked for;
// nullopt when cancelled.
std::optional<std::span<const float>> Generator::prefill(const Reading& reading) {
  std::span<const float> logits;
  for (std::size_t done = reading.n_cached; done < reading.prompt.size();) {
    reading.show(done);
    if (reading.stop.stop_requested()) return std::nullopt;
    const std::size_t n =
        std::min(static_cast<std::size_t>(chunk_.n_tokens()), reading.prompt.size() - done);
    const Clock::time_point chunk_begin = Clock::now();
    const std::optional<std::span<const float>> row = prefill_chunk(reading, done, n);
    if (!row) return std::nullopt;
    logits = *row;
    chunk_.record(static_cast<int>(n), Clock::now() - chunk_begin);
    done += n;
  }
  reading.show(reading.prompt.size());
  return logits;
}

// Runs n tokens of the prompt; nullopt when cancelled.
std::optional<std::span<const float>> Generator::prefill_chunk(const Reading& reading,
                                                               std::size_t begin, std::size_t n) {
  const auto n_layer = static_cast<std::size_t>(parts_.model.hparams.n_layer);
  const auto go_on = [&](int il) {
    if (parts_.forward.can_stop()) reading.show(begin + n * static_cast<std::size_t>(il) / n_layer);
    return may_go_on(reading.stop);
  };
  const bool is_last = begin + n == reading.prompt.size();
  return run_tokens(reading.prompt.subspan(begin, n), is_last ? reading.logits : LogitsOf::none,
                    go_on);
}

// What was computed with other weights than the cache was is neither shown nor kept. Where it
// cannot be ruled out, the store is left alone.
void Generator::check_weights() {
  if (parts_.model.gguf.check() == FileState::touched) parts_.cache.set_fingerprint({});
}

// Between two layers; where a run cannot end half-way, it goes on.
bool Generator::may_go_on(const std::stop_token& stop) const {
  return !parts_.forward.can_stop() || !stop.stop_requested();
}

// Runs tokens and appends them; nullopt when go_on() said no, and they are not appended. Throws
// ModelError where there is no memory, or the weights have changed.
std::optional<std::span<const float>> Generator::run_tokens(std::span<const Token> tokens,
                                                            LogitsOf logits_of,
                                                            kernels::FunctionRef<bool(int)> go_on) {
  const auto logits = compute(tokens, logits_of, go_on);
  if (logits) parts_.cache.append(tokens);
  return logits;
}

// The same without appending them. Where memory under the cache was lost, what it held is computed
// again, and then these tokens.
std::optional<std::span<const float>> Generator::compute(std::span<const Token> tokens,
                                                         LogitsOf logits_of,
                                                         kernels::FunctionRef<bool(int)> go_on) {
  PrefixCache& cache = parts_.cache;
  for (;;) {
    cache.cache().make_room(static_cast<int>(tokens.size()));
    bool stopped = false;
    const std::span<const float> logits = parts_.forward.run(tokens, logits_of, [&](int il) {
      stopped = !go_on(il);
      return !stopped;
    });
    check_weights();
    const std::optional<std::vector<Token>> again = cache.drop_lost();
    if (!again) return stopped ? std::nullopt : std::optional(logits);
    for (std::span<const Token> rest = *again; !rest.empty();) {
      const auto chunk = first_chunk(rest);
      if (!run_tokens(chunk, LogitsOf::none, go_on)) return std::nullopt;
      rest = rest.subspan(chunk.size());
    }
  }
}

std::span<const Token> Generator::first_chunk(std::span<const Token> tokens) const {
  return tokens.first(std::min(static_cast<std::size_t>(chunk_.n_tokens()), tokens.size()));
}

bool Generator::add(AnswerState& answer, Token token) {
  drafting_.add(token);
  return answer.add(*parts_.model.tokenizer, token);
}

// Has the answer follow from what has been thought so far; why the answer ends, if it does.
std::optional<FinishReason> Generator::close_reasoning(AnswerState& answer,
                                                       std::span<const float>& logits) {
  std::span<const Token> rest = parts_.prompts.reasoning_end();
  const std::size_t n_ctx_used = parts_.cache.tokens().size();
  if (n_ctx_used + rest.size() > static_cast<std::size_t>(parts_.cache.n_ctx())) {
    return FinishReason::context_full;
  }
  answer.close_reasoning(*parts_.model.tokenizer, rest);
  for (const Token token : rest) drafting_.add(token);
  while (!rest.empty()) {
    const auto chunk = first_chunk(rest);
    const auto row =
        run_tokens(chunk, LogitsOf::last_token, [&](int) { return may_go_on(answer.stop); });
    if (!row) return FinishReason::cancelled;
    logits = *row;
    rest = rest.subspan(chunk.size());
  }
  return std::nullopt;
}

// The pass after a token that was sampled: its row, and those of a draft of what may follow. Why
// the answer ends instead, if it does.
std::optional<FinishReason> Generator::run_next(AnswerState& answer, Token token, Rows& rows) {
  const int n_free = parts_.cache.n_ctx() - static_cast<int>(parts_.cache.tokens().size());
  if (n_free == 0) return FinishReason::context_full;
  const int n_wanted = answer.n_predict < 0 ? n_free : answer.n_predict - answer.stats.n_generated;
  const Clock::time_point begin = Clock::now();
  rows.tokens[0] = token;
  const auto draft = drafting_.propose(std::min({n_free, n_wanted, chunk_.n_batch()}) - 1);
  std::ranges::copy(draft, rows.tokens.begin() + 1);
  rows.n_tokens = 1 + draft.size();
  rows.n_taken = 1;
  const auto go_on = [&](int) { return may_go_on(answer.stop); };
  const auto logits = compute(rows.run(), LogitsOf::all_tokens, go_on);
  rows.time = Clock::now() - begin;
  if (!logits) {
    rows.n_tokens = 0;
    return FinishReason::cancelled;
  }
  rows.logits = *logits;
  return std::nullopt;
}

// Has the cache hold what the answer took of the last pass, and no more.
void Generator::settle(AnswerState& answer, Rows& rows) {
  if (rows.n_tokens == 0) return;
  parts_.cache.append_first(static_cast<int>(rows.n_taken), rows.run());
  const int n_drafted = static_cast<int>(rows.n_tokens) - 1;
  const int n_accepted = static_cast<int>(rows.n_taken) - 1;
  drafting_.record(n_drafted, n_accepted, rows.time);
  ++answer.stats.n_passes;
  answer.stats.n_drafted += n_drafted;
  answer.stats.n_accepted += n_accepted;
  rows.n_tokens = 0;
}

FinishReason Generator::decode(AnswerState& answer, Rows& rows) {
  const Tokenizer& tokenizer = *parts_.model.tokenizer;
  const int n_vocab = parts_.model.hparams.n_vocab;
  while (!answer.is_full_length()) {
    if (answer.stop.stop_requested()) return FinishReason::cancelled;
    if (answer.is_over_budget()) {
      settle(answer, rows);
      rows.n_taken = 0;
      if (const auto reason = close_reasoning(answer, rows.logits)) return *reason;
    }
    const Token token = answer.sampler.sample(rows.row(n_vocab));
    answer.count();
    if (tokenizer.is_eog(token)) return FinishReason::end_of_turn;
    if (add(answer, token)) return FinishReason::stop_string;
    if (answer.is_full_length()) break;  // its logits are not needed
    if (rows.is_drafted(token)) {
      ++rows.n_taken;
      continue;
    }
    settle(answer, rows);
    if (const auto reason = run_next(answer, token, rows)) return *reason;
  }
  return FinishReason::length;
}

// What the prompts of all questions that begin with the draft begin with.
std::vector<Token> Generator::likely_prompt(const PrepareRequest& request,
                                            const std::stop_token& stop) const {
  std::vector<Turn> turns = request.turns;
  turns.push_back({.message = {.role = "user", .content = {}}});
  std::array<std::vector<Token>, kProbes.size()> prompts;
  for (std::size_t i = 0; i < kProbes.size(); ++i) {
    turns.back().message.content = request.draft + std::string(kProbes[i]);
    prompts[i] = parts_.prompts.build(turns, request.settings, stop);
  }
  const auto end = std::ranges::mismatch(prompts[0], prompts[1]).in1;
  return {prompts[0].begin(), end};
}

void Generator::prepare(const PrepareRequest& request, const std::stop_token& stop) {
  const std::vector<Token> prompt = likely_prompt(request, stop);
  const auto n_ctx = static_cast<std::size_t>(parts_.cache.n_ctx());
  if (prompt.empty() || prompt.size() >= n_ctx) return;
  parts_.cache.set_origin(request.origin);
  parts_.cache.set_secret(!request.draft.empty());
  parts_.model.gguf.guard();
  check_weights();
  try {
    const auto n_cached = static_cast<std::size_t>(parts_.cache.reuse(prompt));
    static const std::function<void(std::size_t)> silent = [](std::size_t) {};
    prefill({prompt, n_cached, LogitsOf::none, stop, silent});
  } catch (...) {
    parts_.cache.clear();
    throw;
  }
  parts_.cache.keep();
}

}  // namespace confab::engine
