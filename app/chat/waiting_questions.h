// SPDX-License-Identifier: MIT
// Questions and commands that were typed while an answer was being written, in their order.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace confab::app {

class WaitingQuestions {
 public:
  void add(std::string question) { questions_.push_back(std::move(question)); }
  std::size_t size() const noexcept { return questions_.size(); }
  const std::deque<std::string>& all() const noexcept { return questions_; }
  void clear() noexcept { questions_.clear(); }

  std::optional<std::string> next();       // which no longer waits
  std::optional<std::string> take_last();  // to be edited
  // All of them as text to be edited, above what is being written; none waits any more.
  std::string take_back(std::string_view draft);

 private:
  std::deque<std::string> questions_;
};

}  // namespace confab::app
