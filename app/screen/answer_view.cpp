// SPDX-License-Identifier: MIT
#include "app/screen/answer_view.h"

#include "app/screen/work_line.h"

namespace confab::app {

void AnswerView::begin(std::size_t message) {
  transcript_.begin_answer(message);
  attention_.begin(host_.now());
  progress_.begin(host_.now());
  answering_ = true;
  label();
}

void AnswerView::end(const std::string& news) {
  progress_.end();
  answering_ = false;
  label();
  transcript_.end_answer();
  if (!news.empty() && attention_.is_wanted(host_.now())) host_.notify("confab", news);
}

void AnswerView::progress(std::size_t /*answer*/, const AnswerWait& wait) {
  progress_.take(wait, host_.now());
  label();
}

void AnswerView::reasoning(std::size_t /*answer*/, const engine::ReasoningDelta& delta) {
  progress_.take(delta, host_.now());
  transcript_.append_reasoning(delta.text);
  label();
}

bool AnswerView::text(std::size_t /*answer*/, const engine::TextDelta& delta) {
  progress_.take(delta, host_.now());
  transcript_.append_answer(delta.text);
  label();
  return true;
}

void AnswerView::counted(const engine::Counted& counted) {
  counted_ = counted;
  changed_ = true;
}

std::optional<ScreenHost::Clock::time_point> AnswerView::due() const {
  if (!answering_) return std::nullopt;
  return labelled_ + std::chrono::seconds(1);
}

void AnswerView::label() {
  changed_ = true;
  labelled_ = host_.now();
  if (const std::string label = progress_.reasoning_label(host_.now()); !label.empty())
    transcript_.label_reasoning(label);
  transcript_.set_tail(answering_ ? work_line(progress_, host_.now()) : "");
}

}  // namespace confab::app
