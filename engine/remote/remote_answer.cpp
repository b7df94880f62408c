// SPDX-License-Identifier: MIT
#include "engine/remote/remote_answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "engine/constrain/constraint.h"
#include "engine/error.h"
#include "engine/prompt/reasoning_format.h"
#include "engine/remote/ollama_protocol.h"
#include "engine/remote/openai_protocol.h"

namespace confab::engine {
namespace {

constexpr int kOk = 200;
constexpr std::size_t kMostWhole = 4U << 20;  // bytes of a body that is no stream

// With the engine's name, unless that is the address which the fault names.
std::string told_of(const std::string& engine, const std::string& fault) {
  return fault.find(engine) == std::string::npos ? fmt::format("{}: {}", engine, fault) : fault;
}

std::unique_ptr<AnswerStream> stream_of(EngineKind kind) {
  return kind == EngineKind::ollama ? ollama_stream() : openai_stream();
}

}  // namespace

RemoteAnswer::RemoteAnswer(AnswerOrder order, AnswerEvents events, EventQueue& queue)
    : order_(std::move(order)), events_(events), queue_(queue), asked_(Clock::now()) {
  if (order_.request.continues) return;
  const ReasoningFormat* const format = find_reasoning_format("<think>");
  state_.with([&](State& state) {
    state.reasoning = ReasoningStream(format, false);
    return true;
  });
}

void RemoteAnswer::stop() {
  state_.with([this](State& state) {
    if (!state.has_ended) finish(state, FinishReason::cancelled);
    return true;
  });
}

std::string RemoteAnswer::reasoning_key() {
  return state_.with([](const State& state) {
    return state.stream != nullptr ? state.stream->facts().reasoning_key : "";
  });
}

void RemoteAnswer::head(const HttpHead& head) {
  const bool is_whole = order_.kind != EngineKind::ollama &&
                        head.header("content-type").starts_with("application/json");
  state_.with([&](State& state) {
    state.head = head;
    state.whole.clear();
    state.stream = head.status == kOk && !is_whole ? stream_of(order_.kind) : nullptr;
    return true;
  });
}

bool RemoteAnswer::body(std::string_view bytes) {
  if (queue_.n_bytes() > kFull) {
    is_full_ = true;  // before it is looked at again: the reader may have been between the two
    if (queue_.n_bytes() > 0) return false;
  }
  is_full_ = false;
  return state_.with([&](State& state) {
    if (!state.has_ended) take(state, bytes);
    return true;
  });
}

void RemoteAnswer::take(State& state, std::string_view bytes) const {
  if (state.stream == nullptr) {
    state.whole += bytes.substr(0, kMostWhole - state.whole.size());
    return;
  }
  AnswerPart part;
  state.stream->push(bytes, part);
  tell(state, part);
  const AnswerFacts& facts = state.stream->facts();
  if (!facts.error && !facts.is_whole) return;
  read_rest(state);  // also where it does not close
  conclude(state, {});
}

void RemoteAnswer::tell(State& state, const AnswerPart& part) const {
  if (part.progress && !state.first) events_.push(*part.progress);
  if (part.text.empty() && part.reasoning.empty()) return;
  tell_begun(state);
  state.n_pieces += std::max(part.n_pieces, 1);
  std::string thought = part.reasoning, text;
  state.reasoning.push(part.text, thought, text);
  tell_text(state, thought, text);
}

// The answer that is gone on with is told from its beginning.
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

void RemoteAnswer::tell_text(State& state, const std::string& reasoning,
                             const std::string& text) const {
  if (!reasoning.empty()) events_.push(ReasoningDelta{reasoning, state.n_pieces});
  if (text.empty()) return;
  events_.push(TextDelta{text, state.n_pieces});
  if (order_.request.shape.kind != ConstraintSpec::Kind::none) state.text += text;
}

std::optional<HttpRequest> RemoteAnswer::end(const std::string& fault) {
  return state_.with(
      [&](State& state) { return state.has_ended ? std::nullopt : end(state, fault); });
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
                                   refusal_of(state.head, state.whole).message),
                       again.begin});
  return again;
}

// What streams hold back at their end; a body that came whole.
void RemoteAnswer::read_rest(State& state) const {
  AnswerPart part;
  if (state.stream == nullptr && state.head.status == kOk) {
    const auto json = parse_json(state.whole);
    state.stream = stream_of(order_.kind);
    if (json) state.stream->push(fmt::format("data: {}\n\n", to_text(*json)), part);
  }
  if (state.stream == nullptr) return;
  state.stream->finish(part);
  tell(state, part);
  std::string thought, text;
  state.reasoning.finish(thought, text);
  tell_text(state, thought, text);
}

void RemoteAnswer::conclude(State& state, const std::string& fault) const {
  const std::string& engine = order_.engine;
  const bool nothing_came = !state.first;
  if (state.stream == nullptr) {
    if (!fault.empty()) return fail(state, told_of(engine, fault));
    const ErrorReply refusal = refusal_of(state.head, state.whole);
    return fail(state, fmt::format("{}: {}", engine, refusal.message), refusal.prompt_too_long);
  }
  const AnswerFacts& facts = state.stream->facts();
  if (facts.error)
    return fail(state, fmt::format("{}: {}", engine, facts.error->message),
                facts.error->prompt_too_long && nothing_came);
  if (facts.finish.empty())
    return fail(state,
                told_of(engine, fault.empty() ? "the stream ended before the answer did" : fault));
  if (facts.finish == "content_filter")
    return fail(state, fmt::format("{}: its filter has cut the answer off", engine));
  if (facts.finish == "abort" || facts.finish == "error" || facts.finish == "unload")
    return fail(state, fmt::format("{}: it has given the answer up", engine));
  finish(state, facts.finish == "length" ? length_reason(state) : FinishReason::end_of_turn);
}

FinishReason RemoteAnswer::length_reason(const State& state) const {
  const GenerateStats made = stats(state);
  const int n_most = order_.request.n_predict;
  const bool has_room = n_most < 0 || made.n_generated < n_most;
  return has_room && order_.n_ctx > 0 && made.n_prompt + made.n_generated + 1 >= order_.n_ctx
             ? FinishReason::context_full
             : FinishReason::length;
}

bool RemoteAnswer::is_in_shape(const State& state) const {
  try {
    return has_shape(order_.request.shape, state.text);
  } catch (const ModelError&) {  // it cannot be known, and is not to be trusted
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
  state.has_ended = true;
  const GenerateStats made = stats(state);
  Finished end{.reason = reason, .stats = made, .tokens = {}};
  end.n_ctx_used = made.n_prompt + made.n_generated;
  end.is_in_shape = reason == FinishReason::cancelled || is_in_shape(state);
  events_.push(std::move(end));
}

void RemoteAnswer::fail(State& state, std::string message, bool prompt_too_long) const {
  state.has_ended = true;
  events_.push(Failed{std::move(message), prompt_too_long});
}

}  // namespace confab::engine
