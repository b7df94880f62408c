// SPDX-License-Identifier: MIT
#include "engine/generator.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "engine/answer_text.h"
#include "engine/error.h"
#include "engine/model.h"

namespace confab::engine {
namespace {

std::vector<std::string> joined(std::vector<std::string> a, const std::vector<std::string>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

}  // namespace

// An answer while it is being written.
struct Generator::Answer {
  Prompt prompt;
  int n_predict;
  Clock::time_point requested;
  std::stop_token stop;
  EventQueue& events;
  Sampler sampler;
  AnswerText text;
  std::vector<Token> tokens = {};
  std::optional<std::size_t> answer_begin = {};  // the first token of the answer
  GenerateStats stats = {};
  Clock::time_point first_token = {};

  // Counts a token that has just been sampled.
  void count() {
    const Clock::time_point now = Clock::now();
    if (stats.n_generated++ == 0) {
      first_token = now;
      stats.ttft = now - requested;
    }
    stats.decode = now - first_token;
  }
  // The answer begins with the bytes that the last token made certain. They are its own, or of the
  // tokens before it as well, which were held back; or a token belongs to a marker and the answer.
  void find_begin(const Tokenizer& tokenizer) {
    constexpr std::size_t kMaxHeld = 64;
    const std::string_view bytes = text.answer_bytes();
    if (answer_begin || bytes.empty()) return;
    answer_begin = std::numeric_limits<std::size_t>::max();
    std::string tail;
    const std::size_t first = tokens.size() - std::min(tokens.size(), kMaxHeld);
    for (std::size_t i = tokens.size(); i > first && tail != bytes; --i) {
      tail.insert(0, tokenizer.piece(tokens[i - 1], false));
      if (tail == bytes) answer_begin = i - 1;
    }
  }
  void show_prefill(std::size_t n_done) {
    events.push(PrefillProgress{static_cast<int>(n_done), stats.n_prompt, stats.n_cached});
  }
  std::vector<Token> own_tokens() const {
    if (answer_begin.value_or(tokens.size()) >= tokens.size()) return {};
    return {tokens.begin() + static_cast<std::ptrdiff_t>(*answer_begin), tokens.end()};
  }
  void push(AnswerDelta delta) {
    const int n_generated = static_cast<int>(tokens.size());
    if (!delta.reasoning.empty()) {
      events.push(ReasoningDelta{std::move(delta.reasoning), n_generated});
    }
    if (!delta.text.empty()) events.push(TextDelta{std::move(delta.text), n_generated});
  }
};

Generator::Generator(Parts parts, int n_batch)
    : parts_(std::move(parts)),
      chunk_(n_batch, parts_.forward.can_stop() ? parts_.model.hparams.n_layer : 1) {}

void Generator::check(const GenerateRequest& request, std::span<const Token> prompt) const {
  if (request.n_predict < -1) {
    throw ModelError(fmt::format("n_predict: found {}, expected a number from -1 (no limit)",
                                 request.n_predict));
  }
  if (prompt.empty()) throw ModelError("prompt: the chat template made none of these messages");
  const int n_ctx = parts_.cache.n_ctx(), n_prompt = static_cast<int>(prompt.size());
  if (n_prompt >= n_ctx) {
    throw ModelError(
        fmt::format("prompt: needs {} tokens, and one for the answer, but the context "
                    "holds {}; shorten it, start a new conversation or use a larger "
                    "context (the model's own limit is {})",
                    n_prompt, n_ctx, parts_.model.hparams.n_ctx_train));
  }
}

void Generator::run(const GenerateRequest& request, Clock::time_point requested,
                    std::stop_token stop, EventQueue& events) {
  Prompt prompt = parts_.prompts.build_prompt(request.turns);
  check(request, prompt.ids);
  const bool reasoning_open = prompt.reasoning_open;
  Answer answer{std::move(prompt),
                request.n_predict,
                requested,
                std::move(stop),
                events,
                Sampler(request.sampling, parts_.model.hparams.n_vocab),
                AnswerText(*parts_.model.tokenizer, joined(parts_.stop, request.stop),
                           parts_.prompts.reasoning(), reasoning_open)};
  if (parts_.prompts.reasoning() == nullptr) answer.answer_begin = 0;
  try {
    write(answer);
  } catch (...) {
    parts_.cache.clear();  // what a broken computation left there must not be used again
    throw;
  }
  parts_.cache.keep();
}

void Generator::write(Answer& answer) {
  for (const Token token : answer.prompt.ids) answer.sampler.accept(token);
  answer.stats.n_prompt = static_cast<int>(answer.prompt.ids.size());
  answer.stats.n_cached = parts_.cache.reuse(answer.prompt.ids);
  answer.tokens.reserve(static_cast<std::size_t>(parts_.cache.n_ctx() - answer.stats.n_prompt + 1));

  const std::span<const float> logits = prefill(answer);
  const FinishReason reason = logits.empty() ? FinishReason::cancelled : decode(answer, logits);
  AnswerDelta rest;
  answer.text.finish(rest);
  answer.push(std::move(rest));
  const int n_ctx_used = static_cast<int>(parts_.cache.tokens().size());
  answer.events.push(Finished{reason, answer.stats, answer.own_tokens(), n_ctx_used});
}

// Runs what of the prompt is not cached. Returns the logits after its last token, nothing when
// cancelled.
std::span<const float> Generator::prefill(Answer& answer) {
  const std::span<const Token> prompt = answer.prompt.ids;
  const std::size_t n_cached = static_cast<std::size_t>(answer.stats.n_cached);
  std::span<const float> logits;
  const Clock::time_point begin = Clock::now();
  for (std::size_t done = n_cached; done < prompt.size();) {
    answer.show_prefill(done);
    if (answer.stop.stop_requested()) return {};
    const std::size_t n =
        std::min(static_cast<std::size_t>(chunk_.n_tokens()), prompt.size() - done);
    const Clock::time_point chunk_begin = Clock::now();
    const std::optional<std::span<const float>> row = prefill_chunk(answer, done, n);
    if (!row) return {};
    logits = *row;
    chunk_.record(static_cast<int>(n), Clock::now() - chunk_begin);
    done += n;
  }
  answer.stats.prefill = Clock::now() - begin;
  answer.show_prefill(prompt.size());
  return logits;
}

// Runs n tokens of the prompt. Returns the logits after the prompt's last token, if it is one of
// them; nullopt when cancelled.
std::optional<std::span<const float>> Generator::prefill_chunk(Answer& answer, std::size_t begin,
                                                               std::size_t n) {
  const std::span<const Token> prompt = answer.prompt.ids;
  const auto n_layer = static_cast<std::size_t>(parts_.model.hparams.n_layer);
  bool stopped = false;
  const auto go_on = [&](int il) {
    if (!parts_.forward.can_stop()) return true;
    answer.show_prefill(begin + n * static_cast<std::size_t>(il) / n_layer);
    stopped = answer.stop.stop_requested();
    return !stopped;
  };
  const bool is_last = begin + n == prompt.size();
  const std::span<const float> logits = parts_.forward.run(
      prompt.subspan(begin, n), is_last ? LogitsOf::last_token : LogitsOf::none, go_on);
  if (stopped) return std::nullopt;
  parts_.cache.append(prompt.subspan(begin, n));
  return logits;
}

FinishReason Generator::decode(Answer& answer, std::span<const float> logits) {
  const Tokenizer& tokenizer = *parts_.model.tokenizer;
  while (answer.n_predict < 0 || answer.stats.n_generated < answer.n_predict) {
    if (answer.stop.stop_requested()) return FinishReason::cancelled;
    const Token token = answer.sampler.sample(logits);
    answer.count();
    if (tokenizer.is_eog(token)) return FinishReason::end_of_turn;
    answer.sampler.accept(token);
    answer.tokens.push_back(token);

    AnswerDelta delta;
    const bool stopped = answer.text.add(token, delta);
    answer.find_begin(tokenizer);
    answer.push(std::move(delta));
    if (stopped) return FinishReason::stop_string;
    if (answer.stats.n_generated == answer.n_predict) break;  // its logits are not needed
    if (static_cast<int>(parts_.cache.tokens().size()) == parts_.cache.n_ctx()) {
      return FinishReason::context_full;
    }
    logits = parts_.forward.run({&token, 1}, LogitsOf::last_token);
    parts_.cache.append({&token, 1});
  }
  return FinishReason::length;
}

}  // namespace confab::engine
