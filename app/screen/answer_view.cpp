// SPDX-License-Identifier: MIT
#include "app/screen/answer_view.h"

namespace confab::app {

void AnswerView::begin(std::size_t message) {
  transcript_.begin_answer(message);
  attention_.begin(host_.now());
  progress_.begin(host_.now());
}

void AnswerView::end(const std::string& news) {
  progress_.end();
  label();
  transcript_.end_answer();
  if (!news.empty() && attention_.is_wanted(host_.now())) host_.notify("confab", news);
}

void AnswerView::progress(const AnswerWait& wait) {
  progress_.take(wait, host_.now());
  label();
}

void AnswerView::reasoning(const engine::ReasoningDelta& delta) {
  progress_.take(delta, host_.now());
  transcript_.append_reasoning(delta.text);
  label();
}

bool AnswerView::text(const engine::TextDelta& delta) {
  progress_.take(delta, host_.now());
  transcript_.append_answer(delta.text);
  label();
  return true;
}

void AnswerView::counted(const engine::Counted& counted) {
  counted_ = counted;
  changed_ = true;
}

void AnswerView::label() {
  changed_ = true;
  if (const std::string label = progress_.reasoning_label(host_.now()); !label.empty())
    transcript_.label_reasoning(label);
}

}  // namespace confab::app
