// SPDX-License-Identifier: MIT
#include "ui/terminal/terminal_input.h"

#include <poll.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "ui/terminal/terminal_device.h"

namespace confab::ui {

using std::chrono::milliseconds;

namespace {

// The same arrow at least three times: the wheel, which goes three lines at a time.
std::vector<Event> wheel_of_arrows(std::string_view bytes) {
  constexpr std::size_t kArrow = 3, kFewest = 3, kLines = 3;
  const std::size_t n = bytes.size() / kArrow;
  if (bytes.size() % kArrow != 0 || n < kFewest) return {};
  const std::string_view arrow = bytes.substr(0, kArrow);
  const bool up = arrow == "\x1b[A" || arrow == "\x1bOA";
  if (!up && arrow != "\x1b[B" && arrow != "\x1bOB") return {};
  for (std::size_t i = 0; i < n; ++i)
    if (bytes.substr(i * kArrow, kArrow) != arrow) return {};
  return {(n + kLines - 1) / kLines, Key{.code = up ? Key::Code::wheel_up : Key::Code::wheel_down}};
}

}  // namespace

std::vector<Event> TerminalInput::read_events() {
  std::vector<Event> events = std::exchange(early_, {});
  std::string bytes;
  const bool alive = read_available(fd_, bytes, KeyDecoder::kMaxPasteBytes);
  std::ranges::move(decode(bytes, true), std::back_inserter(events));
  if (!alive && !hung_up_) events.emplace_back(HangUp{});
  hung_up_ = hung_up_ || !alive;
  return events;
}

std::optional<milliseconds> TerminalInput::timeout() const {
  if (!early_.empty()) return milliseconds(0);
  const auto deadline = decoder_.deadline();
  if (!deadline) return std::nullopt;
  return std::max(std::chrono::ceil<milliseconds>(*deadline - Clock::now()), milliseconds(0));
}

void TerminalInput::await(const std::function<bool()>& done, milliseconds limit) {
  const auto end = Clock::now() + limit;
  for (bool alive = true; alive && !done();) {
    const auto left = std::chrono::ceil<milliseconds>(end - Clock::now());
    pollfd wait{.fd = fd_, .events = POLLIN, .revents = 0};
    if (left.count() <= 0 || poll(&wait, 1, static_cast<int>(left.count())) == 0) return;
    std::string bytes;
    alive = read_available(fd_, bytes, KeyDecoder::kMaxPasteBytes);
    std::ranges::move(decode(bytes, false), std::back_inserter(early_));
  }
  if (done()) decoder_.replies_complete();
}

std::vector<Event> TerminalInput::decode(std::string_view bytes, bool tells_answers) {
  if (wheel_as_arrows_ && !decoder_.deadline())
    if (std::vector<Event> wheel = wheel_of_arrows(bytes); !wheel.empty()) return wheel;
  const auto now = Clock::now();
  std::vector<Event> events = bytes.empty() ? decoder_.expire(now) : decoder_.feed(bytes, now);
  std::vector<Event> told;
  for (Event& event : events) {
    const auto* reply = std::get_if<TerminalReply>(&event);
    if (reply == nullptr) {
      told.push_back(std::move(event));
    } else if (auto news = answered_(*reply); news && tells_answers) {
      told.push_back(*std::move(news));
    }
  }
  return told;
}

}  // namespace confab::ui
