// SPDX-License-Identifier: MIT
#include "app/screen/answer_view.h"

#include <algorithm>

#include "app/screen/answer_progress.h"

namespace confab::app {

void AnswerView::begin(std::size_t message, std::size_t n_answers) {
  if (n_answers > 1)
    transcript_.begin_answers(n_answers, message);
  else
    transcript_.begin_answer(message);
  attention_.begin(host_.now());
  progress_.assign(std::max<std::size_t>(n_answers, 1), {});
  for (AnswerProgress& progress : progress_) progress.begin(host_.now());
  ends_.assign(progress_.size(), {});
  shown_ = 0;
  answering_ = true;
  label();
}

void AnswerView::turn_to(std::size_t answer) {
  if (answer >= progress_.size() || answer == shown_) return;
  shown_ = answer;
  if (ui::AnswerColumns* columns = transcript_.answers()) columns->turn_to(answer);
  changed_ = true;
}

void AnswerView::end(const std::string& news, const std::string& reasoning) {
  for (AnswerProgress& progress : progress_) progress.end();
  answering_ = false;
  transcript_.end_answers(reasoning);
  label();
  transcript_.end_answer();
  if (!news.empty() && attention_.is_wanted(host_.now())) host_.notify("confab", news);
}

void AnswerView::progress(std::size_t answer, const AnswerWait& wait) {
  progress_[answer].take(wait, host_.now());
  label();
}

void AnswerView::reasoning(std::size_t answer, const engine::ReasoningDelta& delta) {
  progress_[answer].take(delta, host_.now());
  if (transcript_.answers() == nullptr) {
    if (delta.takes_back) transcript_.take_back_answer();
    transcript_.append_reasoning(delta.text);
  }
  label();
}

bool AnswerView::text(std::size_t answer, const engine::TextDelta& delta) {
  progress_[answer].take(delta, host_.now());
  if (ui::AnswerColumns* columns = transcript_.answers())
    columns->append(answer, delta.text);
  else
    transcript_.append_answer(delta.text);
  label();
  return true;
}

void AnswerView::ended(std::size_t answer, const AnswerOutcome& outcome) {
  progress_[answer].end();
  if (ui::AnswerColumns* columns = transcript_.answers()) columns->finish(answer);
  ends_[answer] = end_label(outcome.end, progress_[answer].n_generated());
  if (progress_.size() > 1) label();
}

double AnswerView::speed() const {
  double all = 0;
  for (std::size_t i = 0; i < progress_.size(); ++i)
    if (ends_[i].empty()) all += progress_[i].tokens_per_second(host_.now());
  return all;
}

void AnswerView::other(const engine::AnswerEvent& told) {
  if (engine::is_end(told.event)) scored_ = told;
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
  if (ui::AnswerColumns* columns = transcript_.answers()) return label_columns(*columns);
  if (const std::string label = so_far().reasoning_label(host_.now()); !label.empty())
    transcript_.label_reasoning(label);
  transcript_.set_tail(answering_ ? work_line(so_far(), host_.now()) : "");
}

void AnswerView::label_columns(ui::AnswerColumns& columns) {
  for (std::size_t i = 0; i < progress_.size(); ++i)
    columns.set_label(i, ends_[i].empty() ? count_label(progress_[i], host_.now()) : ends_[i]);
  transcript_.set_tail(work_line(progress_, speed(), host_.now()));
}

}  // namespace confab::app
