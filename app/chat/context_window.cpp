// SPDX-License-Identifier: MIT
#include "app/chat/context_window.h"

#include <algorithm>

namespace confab::app {
namespace {

using sessions::Memory;
using sessions::Message;
using sessions::Reading;
using sessions::Role;

bool is_usual(const TurnSize& turn) {
  return turn.reading == Reading::usual;
}

bool is_read_in(const TurnSize& turn, std::size_t i, const WindowChoice& choice) {
  if (turn.reading == Reading::dropped) return false;
  return !is_usual(turn) || i < choice.n_kept || i >= choice.first;
}

std::size_t n_kept_turns(std::span<const TurnSize> turns, int n_keep) {
  if (n_keep < 0) return std::min<std::size_t>(1, turns.size());
  std::size_t n = 0;
  for (int before = 0; n < turns.size() && before < n_keep; ++n) before += turns[n].n_tokens;
  return n;
}

}  // namespace

std::vector<TurnSpan> turns_in(std::span<const Message> said) {
  std::vector<TurnSpan> turns;
  for (std::size_t i = 0; i < said.size(); ++i) {
    if (turns.empty() || said[i].role == Role::user) turns.push_back({i, i});
    turns.back().end = i + 1;
  }
  return turns;
}

std::size_t memory_place(std::span<const Message> said) {
  for (std::size_t i = said.size(); i-- > 0;)
    if (said[i].memory) return i;
  return said.size();
}

// Clamps the values, because a file or database may contain anything.
Memory memory_of(std::span<const Message> said) {
  const std::size_t place = memory_place(said);
  if (place == said.size()) return {};
  Memory memory = *said[place].memory;
  const int n = static_cast<int>(said.size());
  memory.begin = std::clamp(memory.begin, 0, n);
  memory.n_kept = std::clamp(memory.n_kept, 0, memory.begin);
  memory.n_noted = std::clamp(memory.n_noted, 0, memory.begin);
  return memory;
}

std::vector<bool> is_read(std::span<const Message> said) {
  const Memory memory = memory_of(said);
  std::vector<bool> read(said.size());
  for (const TurnSpan& turn : turns_in(said)) {
    const Message& first = said[turn.begin];
    const bool awaits = turn.end == said.size() && said.back().role == Role::user;
    const int at = static_cast<int>(turn.begin);
    const bool usual = at < memory.n_kept || at >= memory.begin;
    const bool reads =
        awaits || (first.reading == Reading::usual ? usual : first.reading == Reading::pinned);
    std::fill(read.begin() + at, read.begin() + static_cast<std::ptrdiff_t>(turn.end), reads);
  }
  return read;
}

int n_read(std::span<const TurnSize> turns, const WindowChoice& choice,
           const WindowLimits& limits) {
  int n = limits.n_fixed;
  for (std::size_t i = 0; i < turns.size(); ++i)
    if (is_read_in(turns[i], i, choice)) n += turns[i].n_tokens;
  return n;
}

WindowChoice next_step(std::span<const TurnSize> turns, std::size_t first,
                       const WindowLimits& limits) {
  WindowChoice choice{n_kept_turns(turns, limits.n_keep), first};
  const int before = n_read(turns, choice, limits);
  const int step = limits.n_ctx / 4;
  std::size_t last_gone = first;
  for (int now = before; choice.first + 1 < turns.size();) {
    if (before - now >= step && now + limits.n_room <= limits.n_ctx) break;
    ++choice.first;
    const int left = n_read(turns, choice, limits);
    if (left < now) last_gone = choice.first;
    now = left;
  }
  choice.first = last_gone;
  return choice;
}

}  // namespace confab::app
