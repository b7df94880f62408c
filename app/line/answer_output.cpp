// SPDX-License-Identifier: MIT
#include "app/line/answer_output.h"

#include "app/line/code_output.h"
#include "app/line/json_output.h"
#include "app/line/text_output.h"

namespace confab::app {

std::unique_ptr<AnswerOutput> make_output(const OnceOptions& options, ui::PlainWriter& out,
                                          SideLines& side) {
  switch (options.output) {
    case OutputFormat::code:
      return std::make_unique<CodeOutput>(out, side, options.language);
    case OutputFormat::json:
      return std::make_unique<JsonOutput>(out);
    case OutputFormat::json_events:
      return std::make_unique<JsonEventsOutput>(out);
    case OutputFormat::text:
      break;
  }
  return std::make_unique<TextOutput>(out);
}

std::string_view name_of(AnswerEnd end) noexcept {
  switch (end) {
    case AnswerEnd::finished:
      return "stop";
    case AnswerEnd::stopped:
      return "interrupted";
    case AnswerEnd::failed:
      return "error";
    case AnswerEnd::length:
      return "length";
    case AnswerEnd::context_full:
      break;
  }
  return "context_full";
}

}  // namespace confab::app
