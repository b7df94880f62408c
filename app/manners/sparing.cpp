// SPDX-License-Identifier: MIT
#include "app/manners/sparing.h"

#include "app/chat/backend.h"

namespace confab::app {

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

}  // namespace confab::app
