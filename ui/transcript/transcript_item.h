// SPDX-License-Identifier: MIT
// One entry of a conversation as it is shown: a question, reasoning, an answer or several, or the
// tail.
//
// It caches its lines for the last width. All text is untrusted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ui/markdown/markdown.h"
#include "ui/style.h"
#include "ui/text.h"

namespace confab::ui {

// Several answers to one question that grow at once. They stand side by side if each has enough
// room. Otherwise only the selected one is shown, with a summary of the others. All text is
// untrusted.
class AnswerColumns {
 public:
  static constexpr Cols kLeast{36};  // minimum width of each answer side by side

  explicit AnswerColumns(std::size_t n_answers, MarkdownOptions options = {});

  std::size_t size() const noexcept { return columns_.size(); }
  void append(std::size_t answer, std::string_view text);
  void finish(std::size_t answer);  // ends the text
  // Describes the progress, for example "120 tokens".
  void set_label(std::size_t answer, std::string_view label);
  // Selects the answer that is shown if there is no room for all, and marked otherwise.
  void turn_to(std::size_t answer) noexcept { shown_ = answer; }
  std::size_t shown() const noexcept { return shown_; }  // the selected one
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

class TranscriptItem {
 public:
  enum class Kind : std::uint8_t { user, reasoning, answer, answers, tail };

  // Identifies a message for the caller: its number in the conversation, from 0.
  using MessageNumber = std::optional<std::size_t>;

  // Answers and reasoning may grow until finish().
  TranscriptItem(Kind kind, std::string_view text, MarkdownOptions options = {},
                 MessageNumber number = {});

  // Several answers that grow at once.
  TranscriptItem(AnswerColumns answers, MessageNumber number)
      : kind_(Kind::answers), number_(number), columns_(std::move(answers)) {}

  Kind kind() const noexcept { return kind_; }
  MessageNumber number() const noexcept { return number_; }
  // Changes whenever the lines may have changed.
  std::size_t revision() const noexcept { return revision_; }
  void append(std::string_view text);
  AnswerColumns& columns() noexcept;  // for changing several answers
  void finish();
  bool finished() const noexcept { return finished_; }

  // The text it was made from, safe for copying.
  std::string_view source() const noexcept;
  // A dim line above it ("2/3"). For reasoning, the text of the line that opens it.
  void set_label(std::string_view label);
  bool labelled() const noexcept { return !label_.empty(); }

  // Folded, only the first line shows; of reasoning, only the label. Raw, an answer shows its
  // Markdown as it was written.
  bool folded() const noexcept { return folded_; }
  void fold(bool folded);
  bool raw() const noexcept { return raw_; }
  void show_raw(bool raw);

  // The result is valid until the next call of a non-const function. An answer without text shows
  // "…".
  const std::vector<Line>& lines(Cols width);
  // The code blocks, tables and links in those lines. Empty while it is folded or raw.
  std::vector<MarkdownPart> parts(Cols width);
  // How many of the first lines will not change while text is appended.
  std::size_t settled() const noexcept;
  // Freezes the settled lines, because the caller has put them elsewhere. They hold the same text
  // at every width from now on.
  void keep_settled();
  // How many of the first lines hold frozen text, in the form that is shown now.
  std::size_t n_kept(Cols width);

 private:
  void changed() noexcept;
  void lay_out(Cols width);
  void lay_out_reasoning(Cols width);
  void lay_out_answer(Cols width);
  void fold_lines(Cols width);
  void append_label(Cols width);
  std::size_t n_kept_raw(Cols width) const;

  Kind kind_;
  MarkdownOptions options_;
  MessageNumber number_;
  std::size_t revision_ = 0;
  std::string text_;                       // safe for copying; unused for answers
  Sanitizer sanitizer_{SafeFor::copying};  // for growing text
  std::optional<MarkdownView> markdown_;   // set for an answer
  std::optional<AnswerColumns> columns_;   // set for several answers
  std::string label_;
  bool finished_ = false;
  bool folded_ = false;
  bool raw_ = false;
  std::vector<Line> lines_;  // the lines, unless markdown_'s own lines are shown
  bool shows_markdown_ = false;
  int width_ = 0;  // width of the lines; 0: not laid out
};

}  // namespace confab::ui
