// SPDX-License-Identifier: MIT
#include "engine/remote/remote_answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <utility>

#include "engine/ascii_case.h"
#include "engine/constrain/constraint.h"
#include "engine/error.h"
#include "engine/prompt/reasoning_format.h"
#include "engine/remote/answer_stream.h"

namespace confab::engine {
namespace {

constexpr int kOk = 200;
constexpr std::size_t kMostRefusal = 64U << 10;  // bytes; only one line is shown

// Adds the engine's name, unless the fault already contains it as the address.
std::string told_of(const std::string& engine, const std::string& fault) {
  return fault.find(engine) == std::string::npos ? fmt::format("{}: {}", engine, fault) : fault;
}

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::ranges::find(words, word) != words.end();
}

// Finish reasons as engines and gateways call them. Others mean that the model ended by itself.
bool is_cut_off(std::string_view finish) {
  return is_one_of(finish, {"length", "model_length", "max_length", "max_tokens",
                            "max_output_tokens", "max_completion_tokens", "token_limit",
                            "context_length", "context_length_exceeded", "incomplete"});
}
bool is_filtered(std::string_view finish) {
  return is_one_of(finish, {"content_filter", "content_filtered", "safety", "recitation",
                            "blocklist", "prohibited_content", "spii"});
}
bool is_given_up(std::string_view finish) {
  return is_one_of(finish, {"abort", "aborted", "error", "unload", "cancelled", "canceled",
                            "network_error", "insufficient_system_resource"});
}

std::unique_ptr<AnswerStream> stream_of(EngineKind kind) {
  return kind == EngineKind::ollama ? ollama_stream() : openai_stream();
}

}  // namespace

RemoteAnswer::RemoteAnswer(AnswerOrder order, AnswerEvents events, EventQueue& queue, Later later)
    : order_(std::move(order)),
      events_(events),
      queue_(queue),
      later_(std::move(later)),
      asked_(Clock::now()) {
  if (order_.request.continues) return;
  const ReasoningFormat* const format = find_reasoning_format("<think>");
  state_.with([&](State& state) {
    state.reasoning = ReasoningStream(format, false);
    return true;
  });
}

void RemoteAnswer::stop() {
  state_.with([this](State& state) {
    if (!state.has_told_end) finish(state, FinishReason::cancelled);
    return true;
  });
}

std::string RemoteAnswer::reasoning_key() {
  return state_.with([](const State& state) {
    return state.stream != nullptr ? state.stream->facts().reasoning_key : "";
  });
}

void RemoteAnswer::head(const HttpHead& head) {
  state_.with([&](State& state) {
    state.head = head;
    state.refusal.clear();
    state.stream = head.status == kOk ? stream_of(order_.kind) : nullptr;
    return true;
  });
}

bool RemoteAnswer::body(std::string_view bytes) {
  if (queue_.n_bytes() > kFull) {
    is_full_ = true;  // set before looking again: the reader may have emptied the queue
    if (queue_.n_bytes() > 0) return false;
  }
  is_full_ = false;
  state_.with([&](State& state) {
    if (!state.has_ended) take(state, bytes);
    return true;
  });
  check_shape();
  return true;
}

// Runs without holding the state's lock, so that stop() takes effect at once.
void RemoteAnswer::check_shape() {
  auto [end, text] = state_.with([](State& state) {
    const bool is_due = state.unchecked.has_value();
    return std::pair(std::exchange(state.unchecked, std::nullopt),
                     is_due ? std::exchange(state.text, {}) : std::string());
  });
  if (!end) return;
  // `self` keeps the object alive, because its owner may have released it by then.
  later_([self = weak_from_this().lock(), this, told = *std::move(end), text = text]() mutable {
    told.is_in_shape = is_in_shape(text);
    state_.with([&](State& state) {
      if (!state.has_told_end) tell_end(state, std::move(told));
      return true;
    });
  });
}

bool RemoteAnswer::has_enough() {
  return state_.with(
      [](const State& state) { return state.has_ended || state.refusal.size() >= kMostRefusal; });
}

void RemoteAnswer::take(State& state, std::string_view bytes) const {
  if (state.stream == nullptr) {
    state.refusal += bytes.substr(0, kMostRefusal - state.refusal.size());
    return;
  }
  AnswerPart part;
  state.stream->push(bytes, part);
  tell(state, part);
  const AnswerFacts& facts = state.stream->facts();
  if (state.has_ended || (!facts.error && !facts.is_whole)) return;
  read_rest(state);  // the connection may stay open
  if (state.has_ended) return;
  conclude(state, {});
}

void RemoteAnswer::tell(State& state, const AnswerPart& part) const {
  if (part.progress && !state.first) events_.push(*part.progress);
  if (part.text.empty() && part.reasoning.empty()) {
    state.n_pieces += part.n_pieces;  // half a character
    return;
  }
  tell_begun(state);
  const bool is_beyond = is_beyond_n_predict(state, part);
  if (is_beyond && state.n_pieces > 0) return finish(state, FinishReason::length);
  state.n_pieces += std::max(part.n_pieces, 1);
  state.n_bytes += part.text.size() + part.reasoning.size();
  std::string thought = part.reasoning, text;
  state.reasoning.push(part.text, thought, text);
  tell_text(state, thought, text, state.reasoning.took_back());
  if (is_beyond) return finish(state, FinishReason::length);  // everything came as one piece
  if (state.n_bytes > kMostBytes)
    fail(state,
         fmt::format("{}: its answer is longer than {} MiB", order_.engine, kMostBytes >> 20));
}

// Whether the engine has exceeded n_predict. With most engines a piece is one token; some cut
// finer, and some send everything as one piece.
bool RemoteAnswer::is_beyond_n_predict(const State& state, const AnswerPart& part) const {
  if (order_.request.n_predict < 0) return false;
  constexpr std::size_t kSmallPiece = 3, kLargeToken = 64, kSlack = 1024;  // bytes
  const auto n_most = static_cast<std::size_t>(order_.request.n_predict);
  const auto n_pieces = static_cast<std::size_t>(state.n_pieces + std::max(part.n_pieces, 1));
  const std::size_t n_bytes = state.n_bytes + part.text.size() + part.reasoning.size();
  if (n_bytes > n_most * kLargeToken + kSlack) return true;
  return n_pieces > n_most && (n_bytes >= n_pieces * kSmallPiece || n_pieces > 4 * n_most);
}

// A continued answer is reported from its beginning.
void RemoteAnswer::tell_begun(State& state) const {
  state.last = Clock::now();
  if (std::exchange(state.first, state.first.value_or(state.last))) return;
  if (!order_.request.continues) {
    if (order_.n_prompt > 0) events_.push(PrefillProgress{order_.n_prompt, order_.n_prompt, 0});
    return;
  }
  const ChatMessage& begun = order_.request.turns.back().message;
  tell_text(state, begun.reasoning, begun.content);
}

void RemoteAnswer::tell_text(State& state, const std::string& reasoning, const std::string& text,
                             bool takes_back) const {
  if (takes_back) {  // the text so far was reasoning
    state.text.clear();
    state.n_text_bytes = 0;
  }
  if (!reasoning.empty() || takes_back)
    events_.push(
        ReasoningDelta{.text = reasoning, .n_generated = state.n_pieces, .takes_back = takes_back});
  if (text.empty()) return;
  events_.push(TextDelta{text, state.n_pieces});
  state.n_text_bytes += text.size();
  if (order_.request.shape.kind != ConstraintSpec::Kind::none) state.text += text;
}

std::optional<HttpRequest> RemoteAnswer::end(const std::string& fault) {
  auto again =
      state_.with([&](State& state) { return state.has_ended ? std::nullopt : end(state, fault); });
  check_shape();
  return again;
}

std::optional<HttpRequest> RemoteAnswer::end(State& state, const std::string& fault) const {
  const auto pause = fault.empty() ? retry_after(state.head, state.n_tries) : std::nullopt;
  if (!pause) {
    read_rest(state);
    if (!state.has_ended) conclude(state, fault);
    return std::nullopt;
  }
  ++state.n_tries;
  HttpRequest again = order_.http;
  again.begin = Clock::now() + *pause;
  events_.push(Waiting{fmt::format("{} is not ready: {}", order_.engine,
                                   refusal_of(state.head, state.refusal).message),
                       again.begin});
  return again;
}

// Reads what the streams still held back.
void RemoteAnswer::read_rest(State& state) const {
  AnswerPart part;
  if (state.stream == nullptr) return;
  state.stream->finish(part);
  tell(state, part);
  if (state.has_ended) return;
  std::string thought, text;
  state.reasoning.finish(thought, text);
  tell_text(state, thought, text, state.reasoning.took_back());
}

void RemoteAnswer::conclude(State& state, const std::string& fault) const {
  const std::string& engine = order_.engine;
  const bool nothing_came = !state.first;
  if (state.stream == nullptr) {
    if (!fault.empty())
      return tell_end(state, Failed{.message = told_of(engine, fault),
                                    .is_unreachable = state.head.status == 0});
    const ErrorReply refusal = refusal_of(state.head, state.refusal);
    return fail(state, fmt::format("{}: {}", engine, refusal.message), refusal.prompt_too_long);
  }
  const AnswerFacts& facts = state.stream->facts();
  if (facts.error)
    return fail(state, fmt::format("{}: {}", engine, facts.error->message),
                facts.error->prompt_too_long && nothing_came);
  const std::string reason = ascii_lower(facts.finish);
  if (reason.empty() && (!facts.is_whole || nothing_came || !fault.empty())) {
    if (!fault.empty()) return fail(state, told_of(engine, fault));
    if (nothing_came && !facts.odd.empty())
      return fail(state, fmt::format("{}: it sent what is not an answer: {}", engine, facts.odd));
    return fail(state, told_of(engine, "the stream ended before the answer did"));
  }
  if (is_filtered(reason))
    return fail(state, fmt::format("{}: its filter has cut the answer off", engine));
  if (is_given_up(reason))
    return fail(state, fmt::format("{}: it has given the answer up", engine));
  if (is_cut_off(reason)) return finish(state, length_reason(state));
  if (state.n_text_bytes == 0 && !facts.unknown_content.empty())
    return fail(state, fmt::format("{}: its answer is of a kind that confab does not know: {}",
                                   engine, printable(facts.unknown_content)));
  if (state.n_text_bytes == 0)
    return fail(state, fmt::format("{}: it ended without an answer{}", engine,
                                   nothing_came ? "" : ", after its reasoning"));
  finish(state, FinishReason::end_of_turn);
}

FinishReason RemoteAnswer::length_reason(const State& state) const {
  const GenerateStats made = stats(state);
  const int n_most = order_.request.n_predict;
  const bool has_room = n_most < 0 || made.n_generated < n_most;
  return has_room && order_.n_ctx > 0 && made.n_prompt + made.n_generated + 1 >= order_.n_ctx
             ? FinishReason::context_full
             : FinishReason::length;
}

bool RemoteAnswer::is_in_shape(const std::string& text) const {
  try {
    return has_shape(order_.request.shape, text);
  } catch (const ModelError&) {  // unknown, so not to be trusted
    return false;
  }
}

GenerateStats RemoteAnswer::stats(const State& state) const {
  const Usage usage = state.stream != nullptr ? state.stream->facts().usage : Usage{};
  GenerateStats stats;
  stats.n_prompt = usage.n_prompt > 0 ? usage.n_prompt : order_.n_prompt;
  stats.n_cached = std::min(usage.n_cached, stats.n_prompt);
  stats.n_generated = usage.n_generated > 0 ? usage.n_generated : state.n_pieces;
  stats.by_model = usage.drafts;
  stats.n_drafted = usage.drafts.n_drafted;
  stats.n_accepted = usage.drafts.n_accepted;
  if (stats.n_drafted > 0) stats.n_passes = std::max(stats.n_generated - stats.n_accepted, 1);
  if (!state.first) return stats;
  stats.ttft = *state.first - asked_;
  stats.prefill = usage.prefill.count() > 0 ? usage.prefill : stats.ttft;
  stats.decode = usage.decode.count() > 0 ? usage.decode : state.last - *state.first;
  return stats;
}

void RemoteAnswer::finish(State& state, FinishReason reason) const {
  const GenerateStats made = stats(state);
  Finished end{.reason = reason, .stats = made, .tokens = {}};
  end.n_ctx_used = made.n_prompt + made.n_generated;
  const bool has_shape = order_.request.shape.kind != ConstraintSpec::Kind::none;
  if (reason == FinishReason::cancelled || !has_shape) return tell_end(state, std::move(end));
  state.has_ended = true;
  state.unchecked = std::move(end);
}

void RemoteAnswer::tell_end(State& state, Event end) const {
  state.has_ended = state.has_told_end = true;
  events_.push(std::move(end));
}

void RemoteAnswer::fail(State& state, std::string message, bool prompt_too_long) const {
  tell_end(state, Failed{std::move(message), prompt_too_long});
}

}  // namespace confab::engine
