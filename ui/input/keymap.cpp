// SPDX-License-Identifier: MIT
#include "ui/input/keymap.h"

#include <algorithm>
#include <array>
#include <utility>

#include "ui/text.h"

namespace confab::ui {
namespace {

constexpr auto kBindings = std::to_array<KeyBinding>({
    {"Ctrl+C", Command::interrupt, "stop the answer, or clear the input; twice: leave"},
    {"Esc", Command::cancel, "stop the answer; twice: edit the last question"},
    {"Ctrl+Z", Command::suspend, "suspend the program"},
    {"Ctrl+L", Command::redraw, "redraw the screen"},
    {"PgUp", Command::page_up, "scroll up a page"},
    {"PgDn", Command::page_down, "scroll down a page"},
    {"Shift+Up", Command::line_up, "scroll up a line"},
    {"Shift+Down", Command::line_down, "scroll down a line"},
    {"Ctrl+Home", Command::to_top, "scroll to the beginning"},
    {"Ctrl+End", Command::to_bottom, "scroll to the end"},
    {"WheelUp", Command::wheel_up, "scroll up (with --mouse)"},
    {"WheelDown", Command::wheel_down, "scroll down (with --mouse)"},
    {"Ctrl+Up", Command::focus, "select a message: copy, search, fold (also Tab)"},
    {"Ctrl+O", Command::open, "show or fold the reasoning, or a folded paste"},
    {"Alt+M", Command::raw, "show answers as Markdown source"},
    {"Ctrl+T", Command::think, "turn reasoning on or off"},
});

constexpr std::array<std::pair<Key::Code, std::string_view>, 16> kNames = {{
    {Key::Code::enter, "Enter"},
    {Key::Code::tab, "Tab"},
    {Key::Code::backspace, "Backspace"},
    {Key::Code::escape, "Esc"},
    {Key::Code::up, "Up"},
    {Key::Code::down, "Down"},
    {Key::Code::left, "Left"},
    {Key::Code::right, "Right"},
    {Key::Code::home, "Home"},
    {Key::Code::end, "End"},
    {Key::Code::page_up, "PgUp"},
    {Key::Code::page_down, "PgDn"},
    {Key::Code::insert, "Insert"},
    {Key::Code::del, "Delete"},
    {Key::Code::wheel_up, "WheelUp"},
    {Key::Code::wheel_down, "WheelDown"},
}};

char32_t upper(char32_t c) {
  return c >= U'a' && c <= U'z' ? c - U'a' + U'A' : c;
}

// The name without modifiers. Letters with a modifier are written as capitals; Shift makes no
// difference for them.
std::string bare_name(const Key& key) {
  if (key.code == Key::Code::character) {
    if (key.character == U' ') return "Space";
    return to_utf8(key.ctrl || key.alt ? upper(key.character) : key.character);
  }
  if (key.code >= Key::Code::f1 && key.code <= Key::Code::f12)
    return "F" + std::to_string(static_cast<int>(key.code) - static_cast<int>(Key::Code::f1) + 1);
  const auto found = std::ranges::find(kNames, key.code, &decltype(kNames)::value_type::first);
  return found == kNames.end() ? std::string() : std::string(found->second);
}

}  // namespace

std::span<const KeyBinding> key_bindings() noexcept {
  return kBindings;
}

std::optional<Command> command_for(const Key& key) {
  const auto found = std::ranges::find(kBindings, key_name(key), &KeyBinding::key);
  return found == kBindings.end() ? std::nullopt : std::optional(found->command);
}

std::string key_name(const Key& key) {
  const std::string name = bare_name(key);
  if (name.empty()) return {};
  return (key.ctrl ? "Ctrl+" : "") + std::string(key.alt ? "Alt+" : "") +
         (key.shift ? "Shift+" : "") + name;
}

}  // namespace confab::ui
