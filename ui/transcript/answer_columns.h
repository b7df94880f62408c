// SPDX-License-Identifier: MIT
// Several answers to one question that grow at once: side by side where each has room, else one of
// them with the others counted. All text is untrusted.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "ui/markdown/markdown.h"
#include "ui/style.h"
#include "ui/text.h"

namespace confab::ui {

class AnswerColumns {
 public:
  static constexpr Cols kLeast{36};  // of each, to be side by side

  explicit AnswerColumns(std::size_t n_answers, MarkdownOptions options = {});

  std::size_t size() const noexcept { return columns_.size(); }
  void append(std::size_t answer, std::string_view text);
  void finish(std::size_t answer);  // no text follows
  // How it goes, "120 tokens".
  void set_label(std::size_t answer, std::string_view label);
  // The one that is shown where there is no room for all, and marked where there is.
  void turn_to(std::size_t answer) noexcept { shown_ = answer; }
  std::size_t shown() const noexcept { return shown_; }
  const std::string& source() const noexcept { return columns_[shown_].text.source(); }  // of it

  std::vector<Line> lines(Cols width);

 private:
  struct Column {
    MarkdownView text;
    std::string label = {};
  };
  std::vector<Line> side_by_side(Cols width);
  std::vector<Line> one_of_them(Cols width);
  std::string named(const std::string& name, std::size_t answer) const;

  std::vector<Column> columns_;
  std::size_t shown_ = 0;
};

}  // namespace confab::ui
