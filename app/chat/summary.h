// SPDX-License-Identifier: MIT
// The request for a summary of a conversation: one of its own, beside the conversation, so that
// nothing of it stands there as if the person had said it. Where the context does not hold all that
// was said and the summary as well, it is of the most recent part.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "engine/api/turn.h"

namespace confab::app {

class SummaryRequest {
 public:
  // said: the whole conversation, not empty, of which n_tokens are known to be used in a context of
  // n_ctx.
  SummaryRequest(std::vector<engine::Turn> said, int n_tokens, int n_ctx);

  // What the model is told: the system prompt, what was said last, and what to do.
  std::vector<engine::Turn> turns() const;
  // It did not fit after all. False: there is nothing more to leave out.
  bool shorten();
  // Whether something has been left out.
  bool is_partial() const noexcept { return max_bytes_ < n_bytes_; }

  void add(std::string_view text) { text_ += text; }
  void restart() { text_.clear(); }
  const std::string& text() const noexcept { return text_; }

 private:
  std::vector<engine::Turn> said_;
  std::size_t n_bytes_ = 0;  // of said_, without the system prompt
  std::size_t max_bytes_;
  std::string text_ = {};  // of the summary, as far as it has come
};

// The system prompt of the conversation that goes on from a summary.
std::string system_with_summary(const std::string& system, const std::string& summary);

}  // namespace confab::app
