// SPDX-License-Identifier: MIT
#include "ui/terminal/terminal_facts.h"

#include <array>
#include <charconv>
#include <cstddef>
#include <cstdlib>

#include "ui/color.h"

namespace confab::ui {
namespace {

using Kind = TerminalReply::Kind;

constexpr int kSynchronizedOutput = 2026;

// A component of n digits, scaled to 0 to 1.
std::optional<double> component(std::string_view digits) {
  unsigned value = 0;
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
  if (digits.empty() || digits.size() > 4 || error != std::errc{} ||
      end != digits.data() + digits.size())
    return std::nullopt;
  return value / static_cast<double>((1u << (4 * digits.size())) - 1);
}

// Rec. 709 luma.
Background by_luma(double red, double green, double blue) {
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.5 ? Background::light : Background::dark;
}

}  // namespace

std::string terminal_questions(Rows rows, Surface surface) {
  std::string questions = "\x1b]11;?\x1b\\\x1b[?2026$p\x1b[?u\x1b[>0q";
  if (rows > Rows{1}) {
    questions += surface == Surface::screen ? "\x1b[2H" : "\r\n";
    questions += "\u00b7\x1b[6n\r\x1b[K";
  }
  return questions + "\x1b[c";
}

void learn(const TerminalReply& reply, TerminalFacts& facts, Capabilities& can) {
  switch (reply.kind) {
    case Kind::attributes:
      facts.answered = true;
      break;
    case Kind::name:
      facts.name = sanitize(reply.text);
      break;
    case Kind::mode: {  // 0: not known, 1: set, 2: reset, 3 and 4: for ever (DEC STD 070)
      if (reply.first != kSynchronizedOutput) break;
      can.synchronized_known = reply.second >= 1 && reply.second <= 3;
      can.synchronized = can.synchronized_known;
      break;
    }
    case Kind::keyboard:
      facts.keyboard = true;
      break;
    case Kind::background:
      if (const auto found = background_of(reply.text)) {
        facts.background = found;
        facts.tells_background = true;
      }
      break;
    case Kind::scheme:
      facts.background = reply.first == 2 ? Background::light : Background::dark;
      break;
    case Kind::cursor:
      can.ambiguous_is_narrow = reply.second == 2;
      break;
  }
}

std::optional<Background> background_of(std::string_view color) {
  if (color.starts_with('#')) {
    const std::optional<Color> parsed = parse_color(color);
    if (!parsed) return std::nullopt;
    return by_luma(parsed->red / 255.0, parsed->green / 255.0, parsed->blue / 255.0);
  }
  for (const std::string_view form : {"rgb:", "rgba:"}) {
    if (!color.starts_with(form)) continue;
    color.remove_prefix(form.size());
    std::array<double, 3> values{};
    for (double& value : values) {
      const std::size_t end = color.find('/');
      const std::optional<double> part = component(color.substr(0, end));
      if (!part) return std::nullopt;
      value = *part;
      color.remove_prefix(end == std::string_view::npos ? color.size() : end + 1);
    }
    return by_luma(values[0], values[1], values[2]);
  }
  return std::nullopt;
}

std::optional<Background> background_of_environment() {
  const char* value = std::getenv("COLORFGBG");
  if (value == nullptr) return std::nullopt;
  std::string_view last = value;
  last.remove_prefix(last.rfind(';') + 1);
  int index = -1;
  const auto [end, error] = std::from_chars(last.data(), last.data() + last.size(), index);
  if (error != std::errc{} || end != last.data() + last.size() || index < 0 || index > 15)
    return std::nullopt;
  return index == 7 || index > 8 ? Background::light : Background::dark;
}

}  // namespace confab::ui
