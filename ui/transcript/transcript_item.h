// SPDX-License-Identifier: MIT
// One entry of a conversation as it shows: something said, thought, answered or told.
//
// Keeps its lines for the last width it was seen at. All text is untrusted.
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

// Several answers to one question that grow at once: side by side where each has room, else one of
// them with the others counted. All text is untrusted.
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

class TranscriptItem {
 public:
  enum class Kind : std::uint8_t { user, reasoning, answer, answers, tail };

  // What a caller knows a message by: its number in the conversation, from 0.
  using MessageNumber = std::optional<std::size_t>;

  // An answer may grow, and so may reasoning, until finish().
  TranscriptItem(Kind kind, std::string_view text, MarkdownOptions options = {},
                 MessageNumber number = {});

  // Several answers that grow at once.
  TranscriptItem(AnswerColumns answers, MessageNumber number)
      : kind_(Kind::answers), number_(number), columns_(std::move(answers)) {}

  Kind kind() const noexcept { return kind_; }
  MessageNumber number() const noexcept { return number_; }
  // Another one whenever its lines may be others.
  std::size_t revision() const noexcept { return revision_; }
  void append(std::string_view text);
  AnswerColumns& columns() noexcept;  // of several answers: to be changed
  void finish();
  bool finished() const noexcept { return finished_; }

  // What it was made from, safe for copying.
  std::string_view source() const noexcept;
  // A dim line above it ("2/3"); of reasoning, what is said of it in the line that can be opened.
  void set_label(std::string_view label);
  bool labelled() const noexcept { return !label_.empty(); }

  // Folded: its first line, or of reasoning the label alone. Raw: an answer's Markdown as written.
  bool folded() const noexcept { return folded_; }
  void fold(bool folded);
  bool raw() const noexcept { return raw_; }
  void show_raw(bool raw);

  // Valid until the next call that is not const. An answer that nothing has come of is "…".
  const std::vector<Line>& lines(Cols width);
  // Code blocks and links in those lines; none while it is folded or raw.
  std::vector<MarkdownPart> parts(Cols width);
  // How many of the first lines stay as they are while text is appended.
  std::size_t settled() const noexcept;
  // Those stand somewhere else now. From here on they hold the same text at every width.
  void keep_settled();
  // How many of the first lines hold what is kept, in the way that it is shown now.
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
  std::string text_;                       // safe for copying; not of answers
  Sanitizer sanitizer_{SafeFor::copying};  // of text that grows
  std::optional<MarkdownView> markdown_;   // of an answer
  std::optional<AnswerColumns> columns_;   // of several
  std::string label_;
  bool finished_ = false;
  bool folded_ = false;
  bool raw_ = false;
  std::vector<Line> lines_;  // as laid out, unless markdown_'s own are shown
  bool shows_markdown_ = false;
  int width_ = 0;  // of the lines; 0: none
};

}  // namespace confab::ui
