// SPDX-License-Identifier: MIT
// The running answer on the screen. Its text goes to the transcript, its progress to the status
// line, and a person who looks elsewhere is notified of its end.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/chat/answer_loop.h"
#include "app/screen/answer_progress.h"
#include "app/screen/host.h"
#include "engine/api/events.h"
#include "ui/transcript/transcript.h"

namespace confab::app {

// Whether a person who waits for an answer has switched to another window. The caller passes the
// time.
class Attention {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::seconds kLong{10};  // people look elsewhere after this time

  void look(bool here) noexcept { here_ = here; }  // the window gained or lost focus
  void begin(Clock::time_point now) noexcept { begun_ = now; }
  // A long answer has ended while the window was out of focus.
  bool is_wanted(Clock::time_point now) const noexcept { return !here_ && now - begun_ >= kLong; }

 private:
  bool here_ = true;  // also if the terminal does not report focus
  Clock::time_point begun_{};
};

class AnswerView : public AnswerSink {
 public:
  // Both must outlive this object.
  AnswerView(ui::Transcript& transcript, ScreenHost& host) : transcript_(transcript), host_(host) {}

  // `message` is the answer's index in the conversation; several answers written at once share it.
  void begin(std::size_t message, std::size_t n_answers = 1);
  // Selects one of several answers. It is shown or highlighted, and remains at the end.
  void turn_to(std::size_t answer);
  // `news` is the notification about a long answer, if the person looks elsewhere; "" for none.
  // `reasoning` belongs to the remaining one of several answers.
  void end(const std::string& news, const std::string& reasoning = {});
  // Updates the elapsed time. due() says when to call it again; nullopt while no answer runs.
  void tick() { label(); }
  std::optional<ScreenHost::Clock::time_point> due() const;
  void look(bool here) noexcept { attention_.look(here); }  // the window gained or lost focus

  std::size_t n_answers() const noexcept { return progress_.size(); }
  const AnswerProgress& so_far() const noexcept { return progress_[shown_]; }
  // Tokens per second of all answers in progress; 0 if unknown.
  double speed() const;
  // The latest count since the last call.
  std::optional<engine::Counted> take_count() noexcept { return std::exchange(counted_, {}); }
  // The end of a scoring since the last call.
  std::optional<engine::AnswerEvent> take_scored() noexcept {
    return std::exchange(scored_, std::nullopt);
  }
  bool take_noted() noexcept { return std::exchange(noted_, false); }
  // Returns true if something has changed since the last call.
  bool take_change() noexcept { return std::exchange(changed_, false); }

  void progress(std::size_t answer, const AnswerWait& wait) override;
  void reasoning(std::size_t answer, const engine::ReasoningDelta& delta) override;
  bool text(std::size_t answer, const engine::TextDelta& delta) override;
  void ended(std::size_t answer, const AnswerOutcome& outcome) override;
  void noted() override { noted_ = true; }
  void other(const engine::AnswerEvent& told) override;
  void counted(const engine::Counted& counted) override;

 private:
  void label();
  void label_columns(ui::AnswerColumns& columns);

  ui::Transcript& transcript_;
  ScreenHost& host_;
  std::vector<AnswerProgress> progress_{1};  // of each answer
  std::vector<std::string> ends_{1};         // how each ended; "" while it runs
  std::size_t shown_ = 0;
  Attention attention_;
  std::optional<engine::Counted> counted_;
  std::optional<engine::AnswerEvent> scored_;
  bool noted_ = false;
  bool answering_ = false;
  ScreenHost::Clock::time_point labelled_{};
  bool changed_ = false;
};

}  // namespace confab::app
