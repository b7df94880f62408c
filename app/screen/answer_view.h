// SPDX-License-Identifier: MIT
// The running answer on a screen: its text goes to the transcript, how it goes to the status line,
// and who has looked elsewhere is told of its end.
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

// Whether somebody who waits for an answer has looked elsewhere meanwhile. Time is passed in.
class Attention {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::seconds kLong{10};  // from here on people look elsewhere

  void look(bool here) noexcept { here_ = here; }  // the window got or lost the keyboard
  void begin(Clock::time_point now) noexcept { begun_ = now; }
  // A long answer is done that nobody has looked at.
  bool is_wanted(Clock::time_point now) const noexcept { return !here_ && now - begun_ >= kLong; }

 private:
  bool here_ = true;  // or nobody tells
  Clock::time_point begun_{};
};

class AnswerView : public AnswerSink {
 public:
  // Both must outlive the object.
  AnswerView(ui::Transcript& transcript, ScreenHost& host) : transcript_(transcript), host_(host) {}

  // message: the answer's number in the conversation; of several that are written at once, that of
  // each.
  void begin(std::size_t message, std::size_t n_answers = 1);
  // Of several, the one that is shown, or stands out, and is left at the end.
  void turn_to(std::size_t answer);
  // news: what is told of a long answer to who looks elsewhere; empty: nothing. reasoning: of the
  // answer that is left of several.
  void end(const std::string& news, const std::string& reasoning = {});
  // Tells the time that has passed; when it is to be called next, while an answer runs.
  void tick() { label(); }
  std::optional<ScreenHost::Clock::time_point> due() const;
  void look(bool here) noexcept { attention_.look(here); }  // the window got or lost the keyboard

  std::size_t n_answers() const noexcept { return progress_.size(); }
  const AnswerProgress& so_far() const noexcept { return progress_[shown_]; }
  // Of all that are being written, in tokens a second; 0: not known.
  double speed() const;
  // The last count that has come since the last call.
  std::optional<engine::Counted> take_count() noexcept { return std::exchange(counted_, {}); }
  // The end of a scoring that has come since the last call.
  std::optional<engine::AnswerEvent> take_scored() noexcept {
    return std::exchange(scored_, std::nullopt);
  }
  bool take_noted() noexcept { return std::exchange(noted_, false); }
  // Whether something has come since the last call.
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
  std::vector<std::string> ends_{1};         // how it has ended; empty: it has not
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
