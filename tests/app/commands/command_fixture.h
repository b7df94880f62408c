// SPDX-License-Identifier: MIT
// A chat with a model that says what a test tells it to, and a console that records.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "app/commands/commands.h"
#include "tests/app/commands/recording_console.h"
#include "tests/app/fake_model.h"

namespace confab::app {

class CommandFixture : public ::testing::Test {
 protected:
  void say(const std::string& question) {
    chat_.send(question);
    chat_.take(engine::TextDelta{"Answer.", 1});
    chat_.take(finished({1}));
  }
  FakeModel model_;
  sessions::Store store_ = sessions::Store::in_memory();
  Chat chat_{model_, &store_, {}};
  RecordingConsole console_;
  CommandContext context_{chat_, &store_, console_};
};

}  // namespace confab::app
