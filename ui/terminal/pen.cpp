// SPDX-License-Identifier: MIT
#include "ui/terminal/pen.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include "ui/link_target.h"

namespace confab::ui {
namespace {

struct Attribute {
  bool Look::*member;
  bool Capabilities::*needs;
  std::string_view on;
  std::string_view off;
};
// Bold and dim are turned off by the same number.
constexpr std::array<Attribute, 6> kAttributes = {{
    {&Look::bold, &Capabilities::bold, "1", "22"},
    {&Look::dim, &Capabilities::dim, "2", "22"},
    {&Look::italic, &Capabilities::italic, "3", "23"},
    {&Look::underline, &Capabilities::underline, "4", "24"},
    {&Look::reverse, &Capabilities::reverse, "7", "27"},
    {&Look::strike, &Capabilities::strike, "9", "29"},
}};

constexpr int kForeground = 30;
constexpr int kBackground = 40;
constexpr int kToBright = 60;  // from 30 to 90

void add(std::string& numbers, std::string_view number) {
  if (!numbers.empty()) numbers += ';';
  numbers += number;
}

// `base` is kForeground or kBackground.
std::string color_numbers(const Color& color, int base) {
  switch (color.kind) {
    case Color::Kind::terminal:
      return fmt::format("{}", base + 9);
    case Color::Kind::rgb:
      return fmt::format("{};2;{};{};{}", base + 8, color.red, color.green, color.blue);
    case Color::Kind::indexed:
      break;
  }
  if (color.index < 8) return fmt::format("{}", base + color.index);
  if (color.index < 16) return fmt::format("{}", base + kToBright + color.index - 8);
  return fmt::format("{};5;{}", base + 8, color.index);
}

std::string from_plain(const Look& to) {
  std::string numbers;
  for (const Attribute& attribute : kAttributes)
    if (to.*attribute.member) add(numbers, attribute.on);
  if (to.fg != Color{}) add(numbers, color_numbers(to.fg, kForeground));
  if (to.bg != Color{}) add(numbers, color_numbers(to.bg, kBackground));
  return numbers;
}

std::string by_changes(const Look& from, const Look& to) {
  std::string numbers;
  const bool weight_off = (from.bold && !to.bold) || (from.dim && !to.dim);
  if (weight_off) add(numbers, "22");
  for (const Attribute& attribute : kAttributes) {
    const bool is_weight = attribute.off == "22";
    const bool was = from.*attribute.member && !(is_weight && weight_off);
    const bool is = to.*attribute.member;
    if (is && !was) add(numbers, attribute.on);
    if (was && !is) add(numbers, attribute.off);
  }
  if (from.fg != to.fg) add(numbers, color_numbers(to.fg, kForeground));
  if (from.bg != to.bg) add(numbers, color_numbers(to.bg, kBackground));
  return numbers;
}

bool only_adds(const Look& from, const Look& to) {
  return std::ranges::none_of(kAttributes, [&](const Attribute& attribute) {
    return from.*attribute.member && !(to.*attribute.member);
  });
}

// On a palette of eight colours, the bright ones are shown in bold.
void dim_colors(Look& look) {
  if (look.fg.kind == Color::Kind::indexed && look.fg.index >= 8 && look.fg.index < 16) {
    look.fg.index = static_cast<std::uint8_t>(look.fg.index - 8);
    look.bold = true;
  }
  if (look.bg.kind == Color::Kind::indexed && look.bg.index >= 8 && look.bg.index < 16)
    look.bg.index = static_cast<std::uint8_t>(look.bg.index - 8);
}

// FNV-1a. The same target has the same id in every run of cells, so the terminal recognises a link
// that is wrapped or drawn piece by piece as one.
std::uint32_t link_id(std::string_view target) {
  std::uint32_t hash = 2166136261u;
  for (const char c : target) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
  return hash;
}

}  // namespace

std::string rendition(const Look& from, const Look& to, const Capabilities& can) {
  if (from == to) return {};
  const std::string plain = from_plain(to);
  // Resets first with "0;". A reset alone needs no number.
  std::string best = plain.empty() ? "\x1b[m" : fmt::format("\x1b[0;{}m", plain);
  if (can.attributes_off || only_adds(from, to)) {
    const std::string changes = fmt::format("\x1b[{}m", by_changes(from, to));
    if (changes.size() < best.size()) best = changes;
  }
  return best;
}

Pen::Pen(const Capabilities& can, const Theme& theme)
    : can_(can), theme_(theme), looks_(kRoleCount * 16) {}

const Look& Pen::look(const Style& style) {
  const std::size_t index = static_cast<std::size_t>(style.role) * 16 + style.bold * 8u +
                            style.italic * 4u + style.underline * 2u + style.strike;
  std::optional<Look>& known = looks_.at(index);
  if (!known) {
    Look made = theme_.look(style, can_.depth);
    if (!can_.bright_colors) dim_colors(made);
    for (const Attribute& attribute : kAttributes)
      made.*attribute.member = made.*attribute.member && can_.*attribute.needs;
    known = made;
  }
  return *known;
}

void Pen::set(const Look& look, std::string& out) {
  out += rendition(look_, look, can_);
  look_ = look;
}

void Pen::set_link(const std::string& link, std::string& out) {
  if (!can_.links || link == link_) return;
  const std::string target = link_target(link);
  const bool was_open = !link_target(link_).empty();
  if (!target.empty())
    out += fmt::format("\x1b]8;id={:x};{}\x1b\\", link_id(target), target);
  else if (was_open)
    out += "\x1b]8;;\x1b\\";
  link_ = link;
}

}  // namespace confab::ui
