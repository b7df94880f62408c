// SPDX-License-Identifier: MIT
// What was said in a conversation, told and thought: its entries in order, and the answer that
// grows.
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

// Remembers places among the entries, and so has to know what happens to them.
class TranscriptWatcher {
 public:
  virtual void asked() = 0;                     // what the person said was added
  virtual void inserted(std::size_t item) = 0;  // it is new there; what follows has moved by one
  virtual void shortened() = 0;                 // the last one has gone
  virtual void clearing() = 0;                  // all of them are about to go

 protected:
  ~TranscriptWatcher() = default;
};

class Transcript {
 public:
  using MessageNumber = TranscriptItem::MessageNumber;

  explicit Transcript(MarkdownOptions options = {}) : options_(options) {}
  Transcript(const Transcript&) = delete;
  Transcript& operator=(const Transcript&) = delete;

  // At most one; null: nobody. Borrowed.
  void watch(TranscriptWatcher* watcher) noexcept { watcher_ = watcher; }
  // Its entries; only the transcript adds to them and takes them away.
  TranscriptLayout& layout() noexcept { return layout_; }

  // All text is untrusted.
  void add_user(std::string_view text, MessageNumber number = {});
  void add_answer(std::string_view markdown, MessageNumber number = {});  // a finished one
  void add_reasoning(std::string_view text);  // what came before an answer
  // What stands below all else for as long as nothing is added: how the answer goes, or what can be
  // done about its end. Empty: nothing.
  void set_tail(std::string_view text);
  // An answer that grows: begin, append as often as text comes, end. Items added meanwhile come
  // behind it; the answer goes on growing where it is.
  void begin_answer(MessageNumber number = {});
  // The reasoning stands above the answer, and is plain text.
  void append_reasoning(std::string_view text);
  // What the folded reasoning of the last answer shows ("Thinking: 12 s").
  void label_reasoning(std::string_view label);
  void append_answer(std::string_view text);
  // The text of the answer so far becomes its reasoning.
  void take_back_answer();
  void end_answer();
  // Several that grow at once, in the same way. At their end the one that is turned to stands in
  // the place of all, below its reasoning.
  void begin_answers(std::size_t n_answers, MessageNumber number = {});
  AnswerColumns* answers();  // to be changed; null: there are none
  void end_answers(std::string_view reasoning);
  // A dim line above each message, by its number; empty: none.
  void label_messages(std::span<const std::string> labels);
  void clear();

  // Whether reasoning that is added from now on, and all there is, is open.
  void open_reasoning(bool open);
  bool reasoning_open() const noexcept { return reasoning_open_; }
  void show_raw(bool raw);  // the Markdown of all answers as it was written
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
  std::optional<std::size_t> reasoning_;  // the last one; of an answer that grows: its own
  bool reasoning_open_ = false;
  bool raw_ = false;
};

}  // namespace confab::ui
