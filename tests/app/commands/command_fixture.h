// SPDX-License-Identifier: MIT
// A chat with a model that says what a test tells it to, and a console that records.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "app/commands/command.h"
#include "app/commands/commands.h"
#include "tests/app/commands/recording_console.h"
#include "tests/app/fake_model.h"

namespace confab::app {

class CommandFixture : public ::testing::Test {
 protected:
  void say(const std::string& question) {
    chat_.send(question);
    answer("Answer.");
  }
  // The running one, to its end.
  void answer(const std::string& text) {
    chat_.take(engine::TextDelta{text, 1, {1}});
    chat_.take(finished({1}));
  }
  void answer(const std::string& question, const std::string& text) {
    chat_.send(question);
    answer(text);
  }
  void run(const std::string& line) { run_command(context_, line); }
  std::string last_notice() const {
    return console_.notices.empty() ? "" : console_.notices.back();
  }
  std::string last_error() const { return console_.errors.empty() ? "" : console_.errors.back(); }
  std::vector<std::string> shown() const {
    std::vector<std::string> all;
    for (const sessions::Message& message : chat_.messages()) all.push_back(message.content);
    return all;
  }

  FakeModel model_;
  sessions::Store store_ = sessions::Store::in_memory();
  Chat chat_{model_, &store_, {}};
  RecordingConsole console_;
  CommandContext context_{chat_, &store_, console_};
};

}  // namespace confab::app
