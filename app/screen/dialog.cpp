// SPDX-License-Identifier: MIT
#include "app/screen/dialog.h"

#include <algorithm>
#include <utility>

#include "ui/text.h"

namespace confab::app {
namespace {

std::string value_of(const ui::Picker& picker) {
  return picker.current() == nullptr ? std::string() : picker.current()->key;
}
std::string value_of(const ui::PromptLine& line) {
  return line.text();
}
std::string value_of(const ui::YesNo&) {
  return {};
}
std::string value_of(const ui::Overlay&) {
  return {};
}

}  // namespace

ScreenDialog::ScreenDialog(ui::Picker picker, Actions actions)
    : widget_(std::move(picker)), actions_(std::move(actions)) {
  told_ = value_of(std::get<ui::Picker>(widget_));
}

ScreenDialog::ScreenDialog(ui::PromptLine line, Actions actions)
    : widget_(std::move(line)), actions_(std::move(actions)) {
  told_ = value_of(std::get<ui::PromptLine>(widget_));
}

ScreenDialog::ScreenDialog(ui::YesNo question, Actions actions)
    : widget_(std::move(question)), actions_(std::move(actions)) {}

ScreenDialog::ScreenDialog(ui::Overlay text, Actions actions)
    : widget_(std::move(text)), actions_(std::move(actions)) {}

std::optional<ScreenDialog::End> ScreenDialog::feed(const ui::Key& key) {
  std::optional<End> end = std::visit([&](auto& widget) { return feed(widget, key); }, widget_);
  if (!end) tell_change();
  return end;
}

std::optional<ScreenDialog::End> ScreenDialog::feed(const ui::Click& click) {
  auto* picker = std::get_if<ui::Picker>(&widget_);
  if (picker == nullptr) return std::nullopt;
  std::optional<End> end = after(*picker, picker->feed(click));
  if (!end) tell_change();
  return end;
}

std::optional<ScreenDialog::End> ScreenDialog::feed(ui::Picker& picker, const ui::Key& key) {
  return after(picker, picker.feed(key));
}

std::optional<ScreenDialog::End> ScreenDialog::after(ui::Picker& picker,
                                                     ui::Picker::Outcome outcome) {
  switch (outcome) {
    case ui::Picker::Outcome::chosen:
      return done_with(value_of(picker));
    case ui::Picker::Outcome::cancelled:
      return left();
    case ui::Picker::Outcome::open:
      break;
  }
  return std::nullopt;
}

std::optional<ScreenDialog::End> ScreenDialog::feed(ui::PromptLine& line, const ui::Key& key) {
  const ui::PromptLine::Outcome outcome = line.feed(key);
  if (outcome == ui::PromptLine::Outcome::done) return done_with(line.text());
  if (outcome == ui::PromptLine::Outcome::cancelled) return left();
  return std::nullopt;
}

std::optional<ScreenDialog::End> ScreenDialog::feed(ui::YesNo& question, const ui::Key& key) {
  const ui::YesNo::Outcome outcome = question.feed(key);
  if (outcome == ui::YesNo::Outcome::yes) return done_with("");
  if (outcome == ui::YesNo::Outcome::no) return left();
  return std::nullopt;
}

std::optional<ScreenDialog::End> ScreenDialog::feed(ui::Overlay& text, const ui::Key& key) {
  if (text.feed(key) == ui::Overlay::Outcome::left) return left();
  return std::nullopt;
}

ScreenDialog::End ScreenDialog::left() const {
  return actions_.left ? actions_.left : [] {};
}

ScreenDialog::End ScreenDialog::done_with(const std::string& value) const {
  return [done = actions_.done, value] {
    if (done) done(value);
  };
}

void ScreenDialog::paste(std::string_view text) {
  if (auto* picker = std::get_if<ui::Picker>(&widget_)) picker->paste(text);
  if (auto* line = std::get_if<ui::PromptLine>(&widget_)) line->paste(text);
  if (auto* shown = std::get_if<ui::Overlay>(&widget_)) shown->paste(text);
  tell_change();
}

void ScreenDialog::tell_change() {
  std::string value = std::visit([](const auto& widget) { return value_of(widget); }, widget_);
  if (value == told_) return;
  told_ = std::move(value);
  if (actions_.changed) actions_.changed(told_);
}

void ScreenDialog::draw(ui::Frame& frame) {
  const ui::Rows last{frame.rows().value - 1};
  if (auto* picker = std::get_if<ui::Picker>(&widget_)) {
    frame = ui::Frame(frame.rows(), frame.cols());
    picker->draw(frame);
  } else if (auto* text = std::get_if<ui::Overlay>(&widget_)) {
    text->draw(frame);
  } else if (const auto* line = std::get_if<ui::PromptLine>(&widget_)) {
    line->draw(frame, last);
  } else {
    std::get<ui::YesNo>(widget_).draw(frame, last);
  }
}

}  // namespace confab::app
