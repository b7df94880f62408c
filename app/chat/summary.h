// SPDX-License-Identifier: MIT
// A request for a summary of a conversation. It is separate from the conversation, so that nothing
// in it looks as if the person had said it. If the context cannot hold the whole conversation and
// the summary, only the most recent part is summarised.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "engine/api/turn.h"

namespace confab::app {

class SummaryRequest {
 public:
  // said: the whole conversation, not empty. It is known to use n_tokens of a context of n_ctx.
  SummaryRequest(std::vector<engine::Turn> said, int n_tokens, int n_ctx);

  // The prompt: the system prompt, the most recent part of what was said, and the instruction.
  std::vector<engine::Turn> turns() const;
  // The request did not fit: leaves out more. Returns false if too little would remain.
  bool shorten();
  // Returns true if something has been left out.
  bool is_partial() const noexcept { return max_bytes_ < n_bytes_; }

  void add(std::string_view text) { text_ += text; }
  void restart() { text_.clear(); }
  const std::string& text() const noexcept { return text_; }

 private:
  std::vector<engine::Turn> said_;
  std::size_t n_bytes_ = 0;  // bytes of said_, without the system prompt
  std::size_t max_bytes_;
  std::string text_ = {};  // the summary so far
};

// The system prompt of the conversation that continues from a summary.
std::string system_with_summary(const std::string& system, const std::string& summary);

}  // namespace confab::app
