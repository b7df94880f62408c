// SPDX-License-Identifier: MIT
// A conversation on the screen: what was said, which part of it is in view, and how it is drawn.
//
// Only what is in view is laid out, so that a frame costs what it shows, not what was said. The
// place in view is held as an item and a line in it: text that grows below, and a new width, leave
// it where it is. Until somebody scrolls up, the view sticks to the end.
//
// One message, or a code block or link in it, may have the focus: keys then act on it. What is
// being looked for is marked wherever it comes into view.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ui/frame.h"
#include "ui/markdown/markdown.h"
#include "ui/transcript/taken_lines.h"
#include "ui/transcript/transcript_item.h"
#include "ui/transcript/transcript_layout.h"
#include "ui/transcript/transcript_search.h"

namespace confab::ui {

class TranscriptView {
 public:
  // What a caller knows a message by: its number in the conversation, from 0.
  using MessageNumber = std::optional<std::size_t>;

  explicit TranscriptView(MarkdownOptions options = {});
  TranscriptView(const TranscriptView&) = delete;
  TranscriptView& operator=(const TranscriptView&) = delete;

  // All text is untrusted. Adding what the person said goes to the end of the view.
  void add_user(std::string_view text, MessageNumber number = {});
  void add_answer(std::string_view markdown, MessageNumber number = {});  // a finished one
  void add_reasoning(std::string_view text);  // what came before an answer
  void add_notice(std::string_view text);
  void add_error(std::string_view text);
  // An answer that grows: begin, append as often as text comes, end. Items added meanwhile come
  // behind it; the answer goes on growing where it is.
  void begin_answer(MessageNumber number = {});
  // The reasoning stands above the answer, and is plain text.
  void append_reasoning(std::string_view text);
  // What the folded reasoning of the last answer shows ("Thinking: 12 s").
  void label_reasoning(std::string_view label);
  void append_answer(std::string_view text);
  void end_answer();
  bool answering() const noexcept;
  // A dim line above a message.
  void label_message(std::size_t number, std::string_view label);
  void clear();
  std::size_t n_items() const noexcept;
  // The Markdown source of the last answer, sanitised; empty: none.
  std::string_view last_answer() const noexcept;

  // Whether reasoning that is added from now on, and all there is, is open.
  void open_reasoning(bool open);
  bool reasoning_open() const noexcept;
  void show_raw(bool raw);  // the Markdown of all answers as it was written
  bool raw() const noexcept;

  // Positive: towards the end. Stops at both ends; sticks again when the end is reached.
  void scroll(int n_lines);
  void scroll_pages(int n_pages);  // of the height drawn last, less one line
  void scroll_half(int n_halves);  // pages
  void to_top();
  void to_bottom();
  bool at_bottom() const noexcept;
  // Lines that have come, by the last draw(), since the view left the end; 0 at the end.
  int n_new_lines() const noexcept;

  // The focus goes to the last message in view, whatever n_items is, when nothing has it; else to
  // one further down (up: negative), which it brings into view. Stops at both ends.
  void step(int n_items);
  // The next (1) or previous (-1) code block or link, also of another message. False: there is
  // none.
  bool step_part(int direction);
  void unfocus();
  TranscriptItem* focused() noexcept;  // null: nothing has the focus; valid until items are added
  std::optional<MarkdownPart> focused_part();  // nullopt: the message as a whole
  MessageNumber focused_number() const noexcept;
  void toggle_fold();  // of what has the focus

  // What is looked for; empty: nothing. Brings the nearest place into view: in what is shown or
  // above it, else below. False: it is nowhere.
  bool search(std::string_view words);
  // The next place below (1) or above (-1), around the ends.
  bool search_on(int direction);

  // For a terminal that keeps what was said itself: the lines that have settled since the last
  // call, each told once. After clear() all there is is new, behind what was not taken before.
  std::vector<Line> take_settled(Cols cols);
  // What has not been taken, at most its last n_lines lines.
  std::vector<Line> unsettled(Cols cols, int n_lines);
  // Do not tell the first n_items items, or of these only the last n_lines; or tell the last
  // question and what follows.
  void skip(std::size_t n_items);
  void skip_to_last(Cols cols, int n_lines, std::size_t n_items);
  void skip_to_question();

  // Draws into rows [top, top + height) of the frame, over its whole width. Short transcripts start
  // at the top.
  void draw(Frame& frame, Rows top, Rows height);

 private:
  struct LineSpan {
    int begin = 0, end = 0;
  };
  void add(TranscriptItem::Kind kind, std::string_view text, MessageNumber number);
  void begin(TranscriptItem::Kind kind, std::string_view text, MessageNumber number);
  void prepare(TranscriptItem& item) const;
  void insert_reasoning();
  Place bottom_top();
  Place first_place();
  void view_from(Place place);
  void bring_into_view(Place begin, Place end);
  void focus(std::size_t item, std::optional<std::size_t> part);
  LineSpan focused_lines();
  void show_found();
  void set_width(Cols width);
  void count_new_lines();
  void use_columns(int cols);
  Line line_at(Place place);
  void take_lines();

  MarkdownOptions options_;
  TranscriptLayout layout_;
  std::vector<MessageNumber> numbers_;  // by item
  std::optional<std::size_t> answering_;
  std::optional<std::size_t> reasoning_;  // the last one; of an answer that grows: its own
  bool reasoning_open_ = false;
  bool raw_ = false;
  int height_ = 24;  // of the last draw
  int gutter_ = 0;   // columns on its left
  TakenLines taken_;
  std::optional<std::vector<Line>> told_next_;  // before what taken_ has; nullopt: nobody takes
  std::optional<Place> top_;                    // nullopt: whatever shows the end
  Place seen_;  // the last item, and its height, when the view left the end
  int n_new_lines_ = 0;
  std::optional<std::size_t> focus_;       // an item
  std::optional<std::size_t> focus_part_;  // of its parts
  LineSpan marked_;                        // of the item, in the last draw
  TranscriptSearch search_;
  std::optional<TranscriptSearch::Found> found_;
};

}  // namespace confab::ui
