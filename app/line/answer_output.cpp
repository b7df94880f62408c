// SPDX-License-Identifier: MIT
#include "app/line/answer_output.h"

#include <utility>

#include "app/line/checked_output.h"
#include "app/line/code_output.h"
#include "app/line/json_output.h"
#include "app/line/text_output.h"

namespace confab::app {
namespace {

std::unique_ptr<AnswerOutput> make_format(const OnceOptions& options, ui::PlainWriter& out,
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

}  // namespace

std::unique_ptr<AnswerOutput> make_output(const OnceOptions& options, ui::PlainWriter& out,
                                          SideLines& side) {
  std::unique_ptr<AnswerOutput> output = make_format(options, out, side);
  if (!options.expected.is_wanted()) return output;
  return std::make_unique<CheckedOutput>(std::move(output), side, options.expected,
                                         options.n_retries);
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
