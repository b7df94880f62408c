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

std::unique_ptr<AnswerStream> stream_of(EngineKind kind) {
  return kind == EngineKind::ollama ? ollama_stream() : openai_stream();
}

}  // namespace

RemoteAnswer::RemoteAnswer(AnswerOrder order, AnswerEvents events, EventQueue& queue)
    : order_(std::move(order)),
      events_(events),
      queue_(queue),
      asked_(Clock::now()),
      reasoning_(order_.request.continues ? nullptr : find_reasoning_format("<think>"), false) {}

void RemoteAnswer::stop() {
  const std::lock_guard lock(mutex_);
  if (!has_ended_) finish(FinishReason::cancelled);
}

std::string RemoteAnswer::reasoning_key() {
  const std::lock_guard lock(mutex_);
  return stream_ != nullptr ? stream_->facts().reasoning_key : "";
}

void RemoteAnswer::head(const HttpHead& head) {
  const std::lock_guard lock(mutex_);
  head_ = head;
  whole_.clear();
  const bool is_whole = order_.kind != EngineKind::ollama &&
                        head.header("content-type").starts_with("application/json");
  stream_ = head.status == kOk && !is_whole ? stream_of(order_.kind) : nullptr;
}

bool RemoteAnswer::body(std::string_view bytes) {
  if (queue_.n_bytes() > kFull) {
    is_full_ = true;  // before it is looked at again: the reader may have been between the two
    if (queue_.n_bytes() > 0) return false;
  }
  is_full_ = false;
  const std::lock_guard lock(mutex_);
  if (has_ended_) return true;
  if (stream_ == nullptr) {
    whole_ += bytes.substr(0, kMostWhole - whole_.size());
    return true;
  }
  AnswerPart part;
  stream_->push(bytes, part);
  tell(part);
  if (stream_->facts().error || stream_->facts().is_whole) {  // also where it does not close
    read_rest();
    conclude({});
  }
  return true;
}

void RemoteAnswer::tell(const AnswerPart& part) {
  if (part.progress && !first_) events_.push(*part.progress);
  if (part.text.empty() && part.reasoning.empty()) return;
  tell_begun();
  n_pieces_ += std::max(part.n_pieces, 1);
  std::string thought = part.reasoning, text;
  reasoning_.push(part.text, thought, text);
  tell_text(thought, text);
}

// The answer that is gone on with is told from its beginning.
void RemoteAnswer::tell_begun() {
  last_ = Clock::now();
  if (std::exchange(first_, first_.value_or(last_))) return;
  if (!order_.request.continues) {
    if (order_.n_prompt > 0) events_.push(PrefillProgress{order_.n_prompt, order_.n_prompt, 0});
    return;
  }
  const ChatMessage& begun = order_.request.turns.back().message;
  tell_text(begun.reasoning, begun.content);
}

void RemoteAnswer::tell_text(const std::string& reasoning, const std::string& text) {
  if (!reasoning.empty()) events_.push(ReasoningDelta{reasoning, n_pieces_});
  if (text.empty()) return;
  events_.push(TextDelta{text, n_pieces_});
  if (order_.request.shape.kind != ConstraintSpec::Kind::none) text_ += text;
}

std::optional<HttpRequest> RemoteAnswer::end(const std::string& fault) {
  const std::lock_guard lock(mutex_);
  if (has_ended_) return std::nullopt;
  const auto pause = fault.empty() ? retry_after(head_, n_tries_) : std::nullopt;
  if (!pause) {
    read_rest();
    if (!has_ended_) conclude(fault);
    return std::nullopt;
  }
  ++n_tries_;
  HttpRequest again = order_.http;
  again.begin = Clock::now() + *pause;
  events_.push(
      Waiting{fmt::format("{} is not ready: {}", order_.engine, refusal_of(head_, whole_).message),
              again.begin});
  return again;
}

// What streams hold back at their end; a body that came whole.
void RemoteAnswer::read_rest() {
  AnswerPart part;
  if (stream_ == nullptr && head_.status == kOk) {
    const auto json = parse_json(whole_);
    stream_ = stream_of(order_.kind);
    if (json) stream_->push(fmt::format("data: {}\n\n", to_text(*json)), part);
  }
  if (stream_ == nullptr) return;
  stream_->finish(part);
  tell(part);
  std::string thought, text;
  reasoning_.finish(thought, text);
  tell_text(thought, text);
}

void RemoteAnswer::conclude(const std::string& fault) {
  const std::string& engine = order_.engine;
  const bool nothing_came = !first_;
  if (stream_ == nullptr) {
    if (!fault.empty()) return fail(fmt::format("{}: {}", engine, fault));
    const ErrorReply refusal = refusal_of(head_, whole_);
    return fail(fmt::format("{}: {}", engine, refusal.message), refusal.prompt_too_long);
  }
  const AnswerFacts& facts = stream_->facts();
  if (facts.error)
    return fail(fmt::format("{}: {}", engine, facts.error->message),
                facts.error->prompt_too_long && nothing_came);
  if (facts.finish.empty())
    return fail(fmt::format("{}: {}", engine,
                            fault.empty() ? "the stream ended before the answer did" : fault));
  if (facts.finish == "content_filter")
    return fail(fmt::format("{}: its filter has cut the answer off", engine));
  if (facts.finish == "abort" || facts.finish == "error" || facts.finish == "unload")
    return fail(fmt::format("{}: it has given the answer up", engine));
  finish(facts.finish == "length" ? length_reason() : FinishReason::end_of_turn);
}

FinishReason RemoteAnswer::length_reason() const {
  const GenerateStats made = stats();
  const int n_most = order_.request.n_predict;
  const bool has_room = n_most < 0 || made.n_generated < n_most;
  return has_room && order_.n_ctx > 0 && made.n_prompt + made.n_generated + 1 >= order_.n_ctx
             ? FinishReason::context_full
             : FinishReason::length;
}

bool RemoteAnswer::is_in_shape() {
  try {
    return has_shape(order_.request.shape, text_);
  } catch (const ModelError&) {  // it cannot be known, and is not to be trusted
    return false;
  }
}

GenerateStats RemoteAnswer::stats() const {
  const Usage usage = stream_ != nullptr ? stream_->facts().usage : Usage{};
  GenerateStats stats;
  stats.n_prompt = usage.n_prompt > 0 ? usage.n_prompt : order_.n_prompt;
  stats.n_cached = std::min(usage.n_cached, stats.n_prompt);
  stats.n_generated = usage.n_generated > 0 ? usage.n_generated : n_pieces_;
  stats.by_model = usage.drafts;
  stats.n_drafted = usage.drafts.n_drafted;
  stats.n_accepted = usage.drafts.n_accepted;
  if (stats.n_drafted > 0) stats.n_passes = std::max(stats.n_generated - stats.n_accepted, 1);
  if (!first_) return stats;
  stats.ttft = *first_ - asked_;
  stats.prefill = usage.prefill.count() > 0 ? usage.prefill : stats.ttft;
  stats.decode = usage.decode.count() > 0 ? usage.decode : last_ - *first_;
  return stats;
}

void RemoteAnswer::finish(FinishReason reason) {
  has_ended_ = true;
  const GenerateStats made = stats();
  Finished end{.reason = reason, .stats = made, .tokens = {}};
  end.n_ctx_used = made.n_prompt + made.n_generated;
  end.is_in_shape = reason == FinishReason::cancelled || is_in_shape();
  events_.push(std::move(end));
}

void RemoteAnswer::fail(std::string message, bool prompt_too_long) {
  has_ended_ = true;
  events_.push(Failed{std::move(message), prompt_too_long});
}

}  // namespace confab::engine
