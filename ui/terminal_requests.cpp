// SPDX-License-Identifier: MIT
#include "ui/terminal_requests.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include "ui/text.h"

namespace confab::ui {
namespace {

constexpr Cols kMaxNotice{200};
// GNU screen's buffer for a control string has 768 bytes; older ones have 256.
constexpr std::size_t kScreenPiece = 240;

std::string one_line(std::string_view text) {
  std::string line = sanitize(text);
  for (char& c : line)
    if (c == '\n' || c == '\t' || c == ';') c = ' ';
  return ellipsize(line, kMaxNotice);
}

bool prefers_777(std::string_view terminal) {
  return std::ranges::any_of(
      std::array<std::string_view, 4>{"VTE", "foot", "rxvt-unicode", "urxvt"},
      [terminal](std::string_view name) { return terminal.starts_with(name); });
}

// RFC 4648, 4.
std::string base64(std::string_view bytes) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::string_view group = bytes.substr(i, 3);
    std::uint32_t bits = 0;
    for (std::size_t j = 0; j < 3; ++j)
      bits = bits << 8 | (j < group.size() ? static_cast<unsigned char>(group[j]) : 0u);
    for (std::size_t j = 0; j < 4; ++j)
      out += j <= group.size() ? kDigits[bits >> (18 - 6 * j) & 63] : '=';
  }
  return out;
}

}  // namespace

std::string notification(std::string_view terminal, std::string_view title, std::string_view body) {
  const std::string what = one_line(title), more = one_line(body);
  if (prefers_777(terminal)) return fmt::format("\x1b]777;notify;{};{}\x1b\\", what, more);
  return fmt::format("\x1b]9;{}{}{}\x1b\\", what, what.empty() || more.empty() ? "" : ": ", more);
}

std::optional<std::string> clipboard(std::string_view text, bool in_gnu_screen) {
  if (text.size() > kMaxClipboardBytes) return std::nullopt;
  const std::string whole = fmt::format("\x1b]52;c;{}", base64(text));
  if (!in_gnu_screen) return whole + "\x1b\\";
  std::string pieces;
  for (std::size_t i = 0; i < whole.size(); i += kScreenPiece)
    pieces += fmt::format("\x1bP{}\x1b\\", whole.substr(i, kScreenPiece));
  return pieces + "\x1bP\a\x1b\\";
}

}  // namespace confab::ui
