// SPDX-License-Identifier: MIT
// Any template and any request: text or a ModelError, in bounded time and memory, with sane spans.
//
// Input: the template, and after the first zero byte the request in JSON; without one, a request
// of two messages and a tool.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "engine/error.h"
#include "engine/prompt/chat_template.h"

namespace {

constexpr std::string_view kRequest =
    R"({"messages": [{"role": "system", "content": "S \u00e9"},
                     {"role": "user", "content": "<think>a</think> b", "list": [1, 2.5, null]}],
        "tools": [{"function": {"name": "f", "parameters": {"a": {"type": "string"}}}}],
        "add_generation_prompt": true, "vars": {"s": "abc", "d": {"k": [true]}},
        "now": "2026-08-15T12:34:56"})";

void check_spans(const confab::engine::RenderedPrompt& prompt) {
  std::size_t end = 0;
  for (const auto& span : prompt.content) {
    const bool sane = span.bytes.begin >= end && span.bytes.begin < span.bytes.end &&
                      span.bytes.end <= prompt.text.size() && span.message >= -1;
    if (!sane) std::abort();
    end = span.bytes.end;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const std::size_t zero = input.find('\0');
  const bool has_request = zero != std::string_view::npos;
  try {
    const confab::engine::ChatTemplate chat_template(input.substr(0, zero), "<s>", "</s>");
    check_spans(chat_template.render_json(has_request ? input.substr(zero + 1) : kRequest));
  } catch (const confab::engine::ModelError&) {
  }
  return 0;
}
