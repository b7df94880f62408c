// SPDX-License-Identifier: MIT
// The entries of a conversation in order: questions, answers, reasoning and messages, including an
// answer that is growing.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "ui/markdown/markdown.h"
#include "ui/transcript/transcript_item.h"
#include "ui/transcript/transcript_layout.h"

namespace confab::ui {

// Remembers positions among the entries and must be informed about changes to them.
class TranscriptWatcher {
 public:
  virtual void asked() = 0;                     // a question was added
  virtual void inserted(std::size_t item) = 0;  // later items moved by one
  virtual void shortened() = 0;                 // the last item was removed
  virtual void clearing() = 0;                  // all items are about to be removed

 protected:
  ~TranscriptWatcher() = default;
};

class Transcript {
 public:
  using MessageNumber = TranscriptItem::MessageNumber;

  explicit Transcript(MarkdownOptions options = {}) : options_(options) {}
  Transcript(const Transcript&) = delete;
  Transcript& operator=(const Transcript&) = delete;

  // Sets the only watcher; null removes it. Borrowed.
  void watch(TranscriptWatcher* watcher) noexcept { watcher_ = watcher; }
  // The entries. Only the transcript may add or remove any.
  TranscriptLayout& layout() noexcept { return layout_; }

  // All text is untrusted.
  void add_user(std::string_view text, MessageNumber number = {});
  void add_answer(std::string_view markdown, MessageNumber number = {});  // a finished answer
  void add_reasoning(std::string_view text);  // reasoning that came before an answer
  // Sets the tail: a text below everything else until something is added. It describes how the
  // answer is going or what can be done about its end. Empty: no tail.
  void set_tail(std::string_view text);
  // An answer that grows: call begin, then append as text comes, then end. Items added meanwhile go
  // below it, and the answer keeps growing where it is.
  void begin_answer(MessageNumber number = {});
  // Reasoning stands above the answer and is plain text.
  void append_reasoning(std::string_view text);
  // Sets what the folded reasoning of the last answer shows ("Thinking: 12 s").
  void label_reasoning(std::string_view label);
  void append_answer(std::string_view text);
  // Turns the text of the answer so far into its reasoning.
  void take_back_answer();
  void end_answer();
  // Several answers that grow at once, in the same way. At the end the selected one replaces all of
  // them, below its reasoning.
  void begin_answers(std::size_t n_answers, MessageNumber number = {});
  AnswerColumns* answers();  // null if there are none
  void end_answers(std::string_view reasoning);
  // Sets a dim line above each message, indexed by its number. Empty: no line.
  void label_messages(std::span<const std::string> labels);
  void clear();

  // Unfolds or folds all reasoning, including reasoning added later.
  void open_reasoning(bool open);
  bool reasoning_open() const noexcept { return reasoning_open_; }
  void show_raw(bool raw);  // shows the Markdown of all answers as it was written
  bool raw() const noexcept { return raw_; }

 private:
  void add(TranscriptItem::Kind kind, std::string_view text, MessageNumber number);
  bool has_tail() const;
  void drop_tail();
  void begin(TranscriptItem::Kind kind, std::string_view text, MessageNumber number);
  void prepare(TranscriptItem& item) const;
  void insert_reasoning();

  MarkdownOptions options_;
  TranscriptLayout layout_;
  TranscriptWatcher* watcher_ = nullptr;
  std::optional<std::size_t> answering_;
  std::optional<std::size_t> reasoning_;  // the last one; while an answer grows, that of the answer
  bool reasoning_open_ = false;
  bool raw_ = false;
};

}  // namespace confab::ui
