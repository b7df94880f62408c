// SPDX-License-Identifier: MIT
// A front end that only remembers what it was told.
#pragma once

#include <string>
#include <vector>

#include "app/commands.h"

namespace confab::app {

class RecordingConsole : public Console {
 public:
  void notice(const std::string& text) override { notices.push_back(text); }
  void error(const std::string& text) override { errors.push_back(text); }
  void show_conversation() override { ++n_shown; }
  void show_answer() override { ++n_answers_shown; }
  void quit() override { quitted = true; }
  std::vector<std::string> notices, errors;
  int n_shown = 0;
  int n_answers_shown = 0;
  bool quitted = false;
};

}  // namespace confab::app
