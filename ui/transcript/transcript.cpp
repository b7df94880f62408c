// SPDX-License-Identifier: MIT
#include "ui/transcript/transcript.h"

namespace confab::ui {

using Kind = TranscriptItem::Kind;

void Transcript::add_user(std::string_view text, MessageNumber number) {
  add(Kind::user, text, number);
  if (watcher_ != nullptr) watcher_->asked();
}
void Transcript::add_answer(std::string_view markdown, MessageNumber number) {
  add(Kind::answer, markdown, number);
}
void Transcript::add_reasoning(std::string_view text) {
  add(Kind::reasoning, text, {});
  reasoning_ = layout_.items.size() - 1;
}

// The tail is never finished, so a terminal that keeps the conversation in its scrollback does not
// take it.
void Transcript::set_tail(std::string_view text) {
  if (has_tail() && layout_.items.back().source() == text) return;
  drop_tail();
  if (text.empty()) return;
  begin(Kind::tail, text, {});
}

bool Transcript::has_tail() const {
  return !layout_.items.empty() && layout_.items.back().kind() == Kind::tail;
}

void Transcript::drop_tail() {
  if (!has_tail()) return;
  layout_.items.pop_back();
  if (watcher_ != nullptr) watcher_->shortened();
}

void Transcript::add(Kind kind, std::string_view text, MessageNumber number) {
  begin(kind, text, number);
  layout_.items.back().finish();
}

void Transcript::begin(Kind kind, std::string_view text, MessageNumber number) {
  drop_tail();
  layout_.items.emplace_back(kind, text, options_, number);
  prepare(layout_.items.back());
}

void Transcript::prepare(TranscriptItem& item) const {
  if (item.kind() == Kind::reasoning) item.fold(!reasoning_open_);
  item.show_raw(raw_);
}

void Transcript::begin_answer(MessageNumber number) {
  begin(Kind::answer, "", number);
  answering_ = layout_.items.size() - 1;
  reasoning_.reset();
}
void Transcript::append_reasoning(std::string_view text) {
  if (!answering_) return;
  if (!reasoning_) insert_reasoning();
  layout_.items[*reasoning_].append(text);
}
void Transcript::label_reasoning(std::string_view label) {
  if (reasoning_) layout_.items[*reasoning_].set_label(label);
}
void Transcript::append_answer(std::string_view text) {
  if (!answering_) return;
  layout_.items[*answering_].append(text);
  if (reasoning_) layout_.items[*reasoning_].finish();
}
void Transcript::take_back_answer() {
  if (!answering_ || answers() != nullptr) return;
  TranscriptItem& said = layout_.items[*answering_];
  const std::string text(said.source());
  said = TranscriptItem(Kind::answer, "", options_, said.number());
  prepare(said);
  append_reasoning(text);
}
void Transcript::end_answer() {
  if (answering_) layout_.items[*answering_].finish();
  if (reasoning_) layout_.items[*reasoning_].finish();
  answering_.reset();
}

void Transcript::begin_answers(std::size_t n_answers, MessageNumber number) {
  drop_tail();
  layout_.items.emplace_back(AnswerColumns(n_answers, options_), number);
  answering_ = layout_.items.size() - 1;
  reasoning_.reset();
}
AnswerColumns* Transcript::answers() {
  const bool several = answering_ && layout_.items[*answering_].kind() == Kind::answers;
  return several ? &layout_.items[*answering_].columns() : nullptr;
}
void Transcript::end_answers(std::string_view reasoning) {
  if (answers() == nullptr) return;
  const TranscriptItem& all = layout_.items[*answering_];
  TranscriptItem one(Kind::answer, all.source(), options_, all.number());
  prepare(one);
  layout_.items[*answering_] = std::move(one);
  if (!reasoning.empty()) append_reasoning(reasoning);
  end_answer();
}

void Transcript::insert_reasoning() {
  reasoning_ = (*answering_)++;
  const auto at = static_cast<std::ptrdiff_t>(*reasoning_);
  layout_.items.emplace(layout_.items.begin() + at, Kind::reasoning, "");
  prepare(layout_.items[*reasoning_]);
  if (watcher_ != nullptr) watcher_->inserted(*reasoning_);
}

void Transcript::label_messages(std::span<const std::string> labels) {
  for (TranscriptItem& item : layout_.items)
    if (item.number() && *item.number() < labels.size()) item.set_label(labels[*item.number()]);
}

void Transcript::clear() {
  if (watcher_ != nullptr) watcher_->clearing();
  layout_.items.clear();
  answering_.reset();
  reasoning_.reset();
}

void Transcript::open_reasoning(bool open) {
  reasoning_open_ = open;
  for (TranscriptItem& item : layout_.items)
    if (item.kind() == Kind::reasoning) item.fold(!open);
}

void Transcript::show_raw(bool raw) {
  raw_ = raw;
  for (TranscriptItem& item : layout_.items) item.show_raw(raw);
}

}  // namespace confab::ui
