// SPDX-License-Identifier: MIT
// A conversation on the screen: what was said, which part of it is in view, and how it is drawn.
//
// Each item keeps its lines for the last width it was seen at, and only what is in view is laid
// out, so that a frame costs what it shows, not what was said. The place in view is held as an item
// and a line in it: text that grows below, and a new width, leave it where it is. Until somebody
// scrolls up, the view sticks to the end.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "ui/frame.h"
#include "ui/markdown.h"

namespace confab::ui {

class TranscriptView {
 public:
  explicit TranscriptView(MarkdownOptions options = {});
  ~TranscriptView();
  TranscriptView(const TranscriptView&) = delete;
  TranscriptView& operator=(const TranscriptView&) = delete;

  // All text is untrusted. Adding what the person said goes to the end of the view.
  void add_user(std::string_view text);
  void add_answer(std::string_view markdown);  // a finished one
  void add_reasoning(std::string_view text);   // what came before an answer
  void add_notice(std::string_view text);
  void add_error(std::string_view text);
  // An answer that grows: begin, append as often as text comes, end. Items added meanwhile come
  // behind it; the answer goes on growing where it is.
  void begin_answer();
  // The reasoning stands above the answer, and is plain text.
  void append_reasoning(std::string_view text);
  void append_answer(std::string_view text);
  void end_answer();
  bool answering() const noexcept;
  void clear();
  std::size_t n_items() const noexcept;
  // The Markdown source of the last answer, sanitised; empty: none.
  std::string_view last_answer() const noexcept;

  // Positive: towards the end. Stops at both ends; sticks again when the end is reached.
  void scroll(int n_lines);
  void scroll_pages(int n_pages);  // of the height drawn last, less one line
  void to_top();
  void to_bottom();
  bool at_bottom() const noexcept;
  // Lines that have come, by the last draw(), since the view left the end; 0 at the end.
  int n_new_lines() const noexcept;

  // Draws into rows [top, top + height) of the frame, over its whole width. Short transcripts start
  // at the top.
  void draw(Frame& frame, Rows top, Rows height);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace confab::ui
