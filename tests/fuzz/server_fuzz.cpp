// SPDX-License-Identifier: MIT
// Whatever a server sends as an answer: events that end once, the same however the bytes are cut.
//
// Input: a byte that says which kind of engine it is, one for the status, one for the cuts, one for
// what was asked (bit 0: at most 8 tokens, bit 1: JSON), then the body.
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "engine/remote/remote_answer.h"
#include "engine/remote/remote_scoring.h"
#include "engine/utf8.h"

namespace {

using namespace confab::engine;

void check(bool holds) {
  if (!holds) std::abort();
}

void check_utf8(std::string_view text) {
  while (!text.empty()) {
    const Utf8Char c = read_utf8(text);
    check(c.code_point != kNotUtf8);
    text.remove_prefix(c.size);
  }
}

struct Told {
  std::string reasoning, text, fault;
  int n_ends = 0;
  int reason = -1;
  bool operator==(const Told&) const = default;
};

void take(EventQueue& queue, Told& told) {
  while (const auto event = queue.pop()) {
    check(told.n_ends == 0);
    if (const auto* thought = std::get_if<ReasoningDelta>(&event->event)) {
      if (thought->takes_back) told.reasoning += std::exchange(told.text, {});
      told.reasoning += thought->text;
    }
    if (const auto* text = std::get_if<TextDelta>(&event->event)) told.text += text->text;
    if (const auto* failed = std::get_if<Failed>(&event->event)) told.fault = failed->message;
    if (const auto* finished = std::get_if<Finished>(&event->event))
      told.reason = static_cast<int>(finished->reason);
    told.n_ends += static_cast<int>(is_end(event->event));
  }
}

AnswerOrder order_of(const std::uint8_t* head) {
  AnswerOrder order{.engine = "work",
                    .kind = static_cast<EngineKind>(head[0] % 6),
                    .n_ctx = 4096,
                    .n_prompt = 0,
                    .request = {},
                    .http = {}};
  if ((head[3] & 1) != 0) order.request.n_predict = 8;
  if ((head[3] & 2) != 0)
    order.request.shape = {.kind = ConstraintSpec::Kind::json_schema, .text = "{}"};
  return order;
}

// Empty parts are never given. cut 0: all at once.
Told run(const std::uint8_t* head, std::string_view body, std::uint8_t cut) {
  constexpr std::array kStatus{200, 200, 200, 400, 404, 429, 500};
  EventQueue queue;
  const auto answer =
      std::make_shared<RemoteAnswer>(order_of(head), AnswerEvents(queue, AnswerId{1}), queue);
  answer->head({.status = kStatus[head[1] % kStatus.size()], .headers = {}});
  Told told;
  for (std::size_t at = 0; at < body.size() && !answer->has_enough();) {
    const std::size_t size = cut == 0 ? body.size() : 1 + (at * 31 + cut) % (1U + cut % 40U);
    check(answer->body(body.substr(at, size)));
    take(queue, told);
    at += size;
  }
  const bool asks_again = answer->end({}).has_value();
  take(queue, told);
  check(told.n_ends == (asks_again ? 0 : 1));
  check_utf8(told.text);
  check_utf8(told.reasoning);
  check(told.fault.find('\n') == std::string::npos && told.fault.size() < 1000);
  return told;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t kHead = 4;
  if (size < kHead) return 0;
  const std::string_view body(reinterpret_cast<const char*>(data) + kHead, size - kHead);
  const Told whole = run(data, body, 0), cut = run(data, body, data[2]);
  // A limit of tokens counts pieces, of which the cuts may leave another number before the end.
  if ((data[3] & 1) == 0) check(whole == cut);
  chances_in(body);
  return 0;
}
