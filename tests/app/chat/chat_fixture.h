// SPDX-License-Identifier: MIT
// A model that says what a test tells it to, and a database in memory.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "app/chat/chat.h"
#include "sessions/conversations/store.h"
#include "tests/app/fake_model.h"

namespace confab::app {

class ChatTest : public ::testing::Test {
 protected:
  // One question and its answer.
  void exchange(Chat& chat, const std::string& question, const std::string& answer,
                std::vector<engine::Token> tokens) {
    chat.send(question);
    chat.take(engine::TextDelta{answer, static_cast<int>(tokens.size())});
    chat.take(finished(std::move(tokens)));
  }
  FakeModel model_;
  sessions::Store store_ = sessions::Store::in_memory();
};

}  // namespace confab::app
