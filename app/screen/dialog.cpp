// SPDX-License-Identifier: MIT
#include "app/screen/dialog.h"

#include <utility>

namespace confab::app {
namespace {

std::string value_of(const ui::Picker& picker) {
  return picker.current() == nullptr ? std::string() : picker.current()->key;
}
std::string value_of(const ui::PromptLine& line) {
  return line.text();
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

std::optional<ScreenDialog::End> ScreenDialog::feed(const ui::Key& key) {
  std::optional<End> end = std::visit([&](auto& widget) { return feed(widget, key); }, widget_);
  if (!end) tell_change();
  return end;
}

std::optional<ScreenDialog::End> ScreenDialog::feed(ui::Picker& picker, const ui::Key& key) {
  switch (picker.feed(key)) {
    case ui::Picker::Outcome::chosen:
      return done_with(value_of(picker));
    case ui::Picker::Outcome::cancelled:
      return actions_.left ? actions_.left : [] {};
    case ui::Picker::Outcome::open:
      break;
  }
  return std::nullopt;
}

std::optional<ScreenDialog::End> ScreenDialog::feed(ui::PromptLine& line, const ui::Key& key) {
  const ui::PromptLine::Outcome outcome = line.feed(key);
  if (outcome == ui::PromptLine::Outcome::done) return done_with(line.text());
  if (outcome == ui::PromptLine::Outcome::cancelled) return actions_.left ? actions_.left : [] {};
  return std::nullopt;
}

ScreenDialog::End ScreenDialog::done_with(const std::string& value) const {
  return [done = actions_.done, value] {
    if (done) done(value);
  };
}

void ScreenDialog::paste(std::string_view text) {
  std::visit([text](auto& widget) { widget.paste(text); }, widget_);
  tell_change();
}

void ScreenDialog::tell_change() {
  std::string value = std::visit([](const auto& widget) { return value_of(widget); }, widget_);
  if (value == told_) return;
  told_ = std::move(value);
  if (actions_.changed) actions_.changed(told_);
}

void ScreenDialog::draw(ui::Frame& frame) {
  if (auto* picker = std::get_if<ui::Picker>(&widget_)) {
    frame = ui::Frame(frame.rows(), frame.cols());
    picker->draw(frame);
  } else {
    std::get<ui::PromptLine>(widget_).draw(frame, ui::Rows{frame.rows().value - 1});
  }
}

}  // namespace confab::app
