// SPDX-License-Identifier: MIT
// Questions and commands typed while an answer was being written, in their order.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sessions/conversations/attachment.h"

namespace confab::app {

struct WaitingQuestion {
  std::string text;
  std::vector<sessions::Attachment> files = {};  // attached when it was typed
};

class WaitingQuestions {
 public:
  void add(WaitingQuestion question) { questions_.push_back(std::move(question)); }
  std::size_t size() const noexcept { return questions_.size(); }
  const std::deque<WaitingQuestion>& all() const noexcept { return questions_; }
  void clear() noexcept { questions_.clear(); }

  std::optional<WaitingQuestion> next();       // removes and returns the first
  std::optional<WaitingQuestion> take_last();  // removes and returns the last, to be edited
  // Removes all of them and returns their texts, followed by `draft`, as one text to edit, with all
  // their files.
  WaitingQuestion take_back(std::string_view draft);

 private:
  std::deque<WaitingQuestion> questions_;
};

}  // namespace confab::app
