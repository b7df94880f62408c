// SPDX-License-Identifier: MIT
// A front end that only remembers what it was told.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/commands/commands.h"

namespace confab::app {

class RecordingConsole : public Console {
 public:
  void notice(const std::string& text) override { notices.push_back(text); }
  void error(const std::string& text) override { errors.push_back(text); }
  void show_conversation() override { ++n_shown; }
  void show_answer() override { ++n_answers_shown; }
  void quit() override { quitted = true; }
  WhileReading watch_reading(const std::string& what) override {
    return [this, what] {
      if (stops_reading) throw ReadingStopped(what);
    };
  }
  void copy(const std::string& text, const std::string&) override { copied.push_back(text); }
  void confirm(const std::string& question, std::function<void()> yes, const std::string&,
               std::function<void()> no) override {
    confirmations.push_back(question);
    if (const auto& answer = says_yes(reply) ? yes : no) answer();
  }
  void edit_question(std::size_t message) override { edited = message; }
  void take_back(const std::string& question) override { taken_back.push_back(question); }
  bool set_theme(const ui::Theme& new_theme) override {
    theme = new_theme.name;
    return has_colours;
  }
  void open_reasoning(bool open) override { reasoning_open = open; }
  std::vector<std::string> notices, errors, copied, taken_back;
  std::vector<std::string> confirmations;
  std::string reply = "n";  // to them
  std::string theme;
  bool has_colours = true;
  bool stops_reading = false;  // whatever takes a moment
  std::optional<std::size_t> edited;
  bool reasoning_open = false;
  int n_shown = 0;
  int n_answers_shown = 0;
  bool quitted = false;
};

}  // namespace confab::app
