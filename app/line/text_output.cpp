// SPDX-License-Identifier: MIT
#include "app/line/text_output.h"

#include <fmt/format.h>

namespace confab::app {

void TextOutput::begin(const std::string& /*model*/, std::size_t n_answers) {
  n_answers_ = n_answers;
}

Wants TextOutput::text(std::size_t answer, std::string_view text) {
  head(answer);
  return out_.write(text) ? Wants::more : Wants::no_more;
}

void TextOutput::ended(std::size_t answer, const AnswerOutcome& /*outcome*/) {
  head(answer);
}

ExitStatus TextOutput::finish(ExitStatus status) {
  out_.finish();
  return status;
}

// The line that several answers can be told apart by.
void TextOutput::head(std::size_t answer) {
  if (n_answers_ < 2 || answer < n_headed_) return;
  out_.finish();
  out_.write(fmt::format("=== answer {} of {} ===\n", answer + 1, n_answers_));
  n_headed_ = answer + 1;
}

}  // namespace confab::app
