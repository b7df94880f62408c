// SPDX-License-Identifier: MIT
#include "ui/terminal/link_support.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>

namespace confab::ui {
namespace {

// Where names begin, in XTVERSION. xterm has no links, tmux hands them to a terminal that nobody
// has asked.
constexpr std::array<std::string_view, 13> kNames = {
    "Alacritty", "contour", "DomTerm", "foot", "ghostty", "iTerm2",  "kitty",
    "Konsole",   "mintty",  "Rio",     "VTE(", "WezTerm", "xterm.js"};
// The same in TERM and in TERM_PROGRAM.
constexpr std::array<std::string_view, 8> kTerms = {
    "alacritty", "contour", "foot", "mintty", "rio", "wezterm", "xterm-ghostty", "xterm-kitty"};
constexpr std::array<std::string_view, 6> kPrograms = {"ghostty", "Hyper",  "iTerm.app",
                                                       "rio",     "vscode", "WezTerm"};
// The first versions that have them.
constexpr int kVte = 5000;
constexpr int kKonsole = 201200;

std::string_view variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

int number(const char* name) {
  const std::string_view text = variable(name);
  int value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

template <std::size_t N>
bool begins_with_any(std::string_view text, const std::array<std::string_view, N>& beginnings) {
  return std::ranges::any_of(beginnings,
                             [text](std::string_view b) { return text.starts_with(b); });
}

}  // namespace

bool follows_links(std::string_view name) {
  return begins_with_any(name, kNames);
}

bool environment_follows_links() {
  if (!variable("TMUX").empty() || !variable("STY").empty()) return false;
  return begins_with_any(variable("TERM"), kTerms) ||
         begins_with_any(variable("TERM_PROGRAM"), kPrograms) || number("VTE_VERSION") >= kVte ||
         number("KONSOLE_VERSION") >= kKonsole || !variable("WT_SESSION").empty();
}

}  // namespace confab::ui
