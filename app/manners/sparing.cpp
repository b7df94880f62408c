// SPDX-License-Identifier: MIT
#include "app/manners/sparing.h"

#include <utility>

#include "app/chat/backend.h"

namespace confab::app {

std::optional<MemoryStep> PressureLadder::go_to(MemoryStep step) noexcept {
  if (step == step_) return std::nullopt;
  return step_ = step;
}

std::optional<MemoryStep> PressureLadder::take(Pressure pressure, bool busy,
                                               Clock::time_point now) noexcept {
  if (pressure != Pressure::none) {
    since_ = now;
    was_full_ = was_full_ || pressure == Pressure::full;
    if (step_ == MemoryStep::all) return go_to(MemoryStep::spare);
  } else if (step_ != MemoryStep::all && now - since_ >= kCalm) {
    since_ = now;
    was_full_ = false;
    return go_to(step_ == MemoryStep::unloaded ? MemoryStep::spare : MemoryStep::all);
  }
  return was_full_ && !busy ? go_to(MemoryStep::unloaded) : std::nullopt;
}

std::optional<MemoryStep> PressureLadder::ask() noexcept {
  if (step_ != MemoryStep::unloaded) return std::nullopt;
  was_full_ = false;
  return go_to(MemoryStep::spare);
}

std::optional<PressureLadder::Clock::time_point> PressureLadder::due() const noexcept {
  if (step_ == MemoryStep::all) return std::nullopt;
  return since_ + kCalm;
}

std::string_view status_text(MemoryStep step) noexcept {
  switch (step) {
    case MemoryStep::all:
      return {};
    case MemoryStep::spare:
      return "low memory: drafts off";
    case MemoryStep::unloaded:
      return "low memory: model unloaded";
  }
  return {};
}

std::string_view log_text(MemoryStep before, MemoryStep step) noexcept {
  switch (step) {
    case MemoryStep::all:
      return "memory is free again: drafts and reading ahead are on";
    case MemoryStep::spare:
      return before == MemoryStep::all
                 ? "memory is short: other conversations gave theirs back, drafts and reading "
                   "ahead are off"
                 : "the model may come back, without drafts and reading ahead";
    case MemoryStep::unloaded:
      return "memory is very short: the model is unloaded until the next question";
  }
  return {};
}

using engine::platform::PowerReason;

bool PowerWatch::is_due(Clock::time_point now) const noexcept {
  return interval_ && (!asked_ || now - *asked_ >= *interval_);
}

std::optional<PowerReason> PowerWatch::take(Reason reason, Clock::time_point now) noexcept {
  asked_ = now;
  if (std::exchange(reason_, reason) == reason) return std::nullopt;
  return reason;
}

std::optional<PowerWatch::Clock::time_point> PowerWatch::due(bool busy) const noexcept {
  if (!busy || !interval_ || !asked_) return std::nullopt;
  return *asked_ + *interval_;
}

std::string_view status_text(PowerReason reason) noexcept {
  switch (reason) {
    case PowerReason::none:
      return {};
    case PowerReason::battery_saver:
      return "power saver: half the threads";
    case PowerReason::low_battery:
      return "battery low: half the threads";
    case PowerReason::heat:
      return "too hot: half the threads";
  }
  return {};
}

std::string_view log_text(PowerReason reason) noexcept {
  switch (reason) {
    case PowerReason::none:
      return "all threads and drafts are on again";
    case PowerReason::battery_saver:
      return "the machine is to save power: half the threads, no drafts, fewer frames";
    case PowerReason::low_battery:
      return "the battery is low: half the threads, no drafts, fewer frames";
    case PowerReason::heat:
      return "the machine is too hot: half the threads, no drafts, fewer frames";
  }
  return {};
}

std::string_view Sparing::take(Pressure pressure, bool busy, Clock::time_point now) {
  const MemoryStep before = ladder_.step();
  return go_to(before, ladder_.take(pressure, busy, now));
}

std::string_view Sparing::ask() {
  return go_to(MemoryStep::unloaded, ladder_.ask());
}

std::string_view Sparing::go_to(MemoryStep before, std::optional<MemoryStep> step) {
  if (!step) return {};
  backend_.spares_memory = *step != MemoryStep::all;
  backend_.model->spare_memory(backend_.spares_memory);
  if (*step == MemoryStep::unloaded) backend_.model->unload();
  const std::string_view told = log_text(before, *step);
  log_.add(told);
  return told;
}

std::string_view Sparing::take(Reason reason, Clock::time_point now) {
  const auto changed = power_.take(reason, now);
  if (!changed) return {};
  backend_.spares_power = spares_power();
  backend_.model->spare_power(backend_.spares_power);
  const std::string_view told = log_text(*changed);
  log_.add(told);
  return told;
}

std::string_view Sparing::text() const noexcept {
  return memory() == MemoryStep::all ? status_text(power_.reason()) : status_text(memory());
}

bool Rest::wake(Clock::time_point now) noexcept {
  since_ = now;
  return std::exchange(is_unloaded_, false);
}

bool Rest::begin(Clock::time_point now) noexcept {
  const auto end = due();
  if (!end || now < *end) return false;
  return is_unloaded_ = true;
}

std::optional<Rest::Clock::time_point> Rest::due() const noexcept {
  if (after_ == after_.zero() || !since_ || is_unloaded_) return std::nullopt;
  return *since_ + after_;
}

}  // namespace confab::app
