// SPDX-License-Identifier: MIT
#include "app/line/code_output.h"

#include <fmt/format.h>

#include "app/line/side_lines.h"
#include "ui/text.h"

namespace confab::app {
namespace {

std::string_view without_end(std::string_view text) {
  return text.substr(0, text.find_last_not_of(" \n") + 1);
}

}  // namespace

Wants CodeOutput::text(std::size_t /*answer*/, std::string_view text) {
  answer_ += text;
  const std::string code = finder_.feed(text);
  if (!code.empty() && !out_.write(code)) return Wants::no_more;
  return finder_.is_complete() ? Wants::no_more : Wants::more;
}

// A block that has begun is written already.
void CodeOutput::take_back(std::size_t /*answer*/) {
  if (finder_.has_begun()) return;
  answer_.clear();
  finder_ = CodeFinder(language_);
}

ExitStatus CodeOutput::finish(ExitStatus status) {
  if (const std::string code = finder_.finish(); !code.empty()) out_.write(code);
  out_.finish();
  if (finder_.is_complete()) return ExitStatus::success;
  if (finder_.has_begun() || answer_.empty()) return status;
  side_.line(ui::sanitize(without_end(answer_)));
  side_.error(fmt::format("there is no {}code block in this answer",
                          language_.empty() ? "" : language_ + ' '));
  return status == ExitStatus::success || status == ExitStatus::cut_off
             ? ExitStatus::no_valid_answer
             : status;
}

}  // namespace confab::app
