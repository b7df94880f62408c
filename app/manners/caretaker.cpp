// SPDX-License-Identifier: MIT
#include "app/manners/caretaker.h"

#include <algorithm>
#include <utility>

#include "app/pump.h"

namespace confab::app {

using std::chrono::milliseconds;

Caretaker::Caretaker(Backend& backend, const std::filesystem::path& log, Machine machine)
    : machine_(std::move(machine)), sparing_(backend, log, machine_.power->poll_interval()) {}

void Caretaker::tell(std::string_view done) {
  if (done.empty()) return;
  if (!news_.empty()) news_ += '\n';
  news_ += done;
}

void Caretaker::ask(Clock::time_point now) {
  look(true, now);
  tell(sparing_.ask());
}

// If nothing wakes the program, the source is polled from time to time.
bool Caretaker::asks_pressure(bool busy, Clock::time_point now) const {
  if (!busy || !asked_) return true;
  if (const auto due = sparing_.memory_due(); due && *due <= now) return true;
  if (fd() >= 0) return is_readable(fd());
  const auto interval = machine_.pressure->poll_interval();
  return interval && now - *asked_ >= *interval;
}

void Caretaker::look(bool busy, Clock::time_point now) {
  if (asks_pressure(busy, now)) {
    asked_ = now;
    tell(sparing_.take(machine_.pressure->take(), busy, now));
  }
  if (sparing_.asks_power(now)) tell(sparing_.take(machine_.power->take(now), now));
}

std::optional<milliseconds> Caretaker::timeout(Clock::time_point now) const {
  std::optional<Clock::time_point> first = sparing_.power_due(true);
  const auto until = [&first](Clock::time_point due) {
    first = std::min(first.value_or(due), due);
  };
  if (const auto due = sparing_.memory_due()) until(*due);
  if (const auto interval = machine_.pressure->poll_interval(); interval && asked_)
    until(*asked_ + *interval);
  if (!first) return std::nullopt;
  return std::max(milliseconds(0), std::chrono::ceil<milliseconds>(*first - now));
}

std::string Caretaker::take_news() {
  return std::exchange(news_, {});
}

}  // namespace confab::app
