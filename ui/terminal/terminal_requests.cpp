// SPDX-License-Identifier: MIT
#include "ui/terminal/terminal_requests.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include "ui/base64.h"
#include "ui/text.h"

namespace confab::ui {
namespace {

constexpr Cols kMaxNotice{200};
// GNU screen's buffer for a control string has 768 bytes; older ones have 256.
constexpr std::size_t kScreenPiece = 240;

std::string parameter(std::string_view text) {
  std::string line = one_line(text);
  std::ranges::replace(line, ';', ' ');
  return ellipsize(line, kMaxNotice);
}

bool prefers_777(std::string_view terminal) {
  return std::ranges::any_of(
      std::array<std::string_view, 4>{"VTE", "foot", "rxvt-unicode", "urxvt"},
      [terminal](std::string_view name) { return terminal.starts_with(name); });
}

}  // namespace

std::string notification(std::string_view terminal, std::string_view title, std::string_view body) {
  const std::string what = parameter(title), more = parameter(body);
  if (prefers_777(terminal)) return fmt::format("\x1b]777;notify;{};{}\x1b\\", what, more);
  return fmt::format("\x1b]9;{}{}{}\x1b\\", what, what.empty() || more.empty() ? "" : ": ", more);
}

std::optional<std::string> clipboard(std::string_view text, bool in_gnu_screen) {
  if (text.size() > kMaxClipboardBytes) return std::nullopt;
  const std::string whole = fmt::format("\x1b]52;c;{}", to_base64(text));
  if (!in_gnu_screen) return whole + "\x1b\\";
  std::string pieces;
  for (std::size_t i = 0; i < whole.size(); i += kScreenPiece)
    pieces += fmt::format("\x1bP{}\x1b\\", whole.substr(i, kScreenPiece));
  return pieces + "\x1bP\a\x1b\\";
}

}  // namespace confab::ui
