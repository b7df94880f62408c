// SPDX-License-Identifier: MIT
#include "engine/run/prompt_thread.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>

#include <cstdint>
#include <memory>
#include <string>

#include "engine/error.h"
#include "engine/gguf/gguf.h"
#include "tests/engine/allocations.h"
#include "tests/engine/tiny_model.h"

namespace confab::engine {
namespace {

// A template that has its work counted for a good while before it is refused.
constexpr std::string_view kSlowTemplate =
    "{% set b = 'x' * 1000000 %}{% for i in range(100000) %}{{ b.find('y') and '' }}{% endfor %}";

class PromptThreadTest : public testing::Test {
 protected:
  Counted next() {
    for (;;) {
      if (const auto event = events.pop()) return std::get<Counted>(event->event);
      pollfd entry{events.wake_fd(), POLLIN, 0};
      if (::poll(&entry, 1, 60000) != 1) throw std::runtime_error("no event came");
    }
  }

  const TinyModelFile file;
  const Gguf gguf{file.path()};
  const std::unique_ptr<const Tokenizer> tokenizer = Tokenizer::load(gguf);
  const PromptBuilder builder{*tokenizer, kTinyTemplate};
  const PromptBuilder slow{*tokenizer, kSlowTemplate};
  const PromptBuilder refusing{*tokenizer, "{{ raise_exception('no') }}"};
  const std::vector<Turn> turns{{{"user", "the end"}}};
  EventQueue events;
};

TEST_F(PromptThreadTest, CountsAndTellsThePrompt) {
  PromptThread thread(builder, events);
  EXPECT_EQ(thread.count(turns, {}), static_cast<int>(builder.build(turns).size()));
  EXPECT_EQ(thread.text(turns, {}), builder.text(turns));
  EXPECT_FALSE(events.pop());
}

TEST_F(PromptThreadTest, WhatTheTemplateRefusesIsThrownToWhoeverWaits) {
  PromptThread thread(refusing, events);
  EXPECT_THAT([&] { thread.count(turns, {}); },
              testing::ThrowsMessage<ModelError>(
                  "chat template: line 1: no; --chat-template gives the model another"));
  EXPECT_THROW(thread.text(turns, {}), ModelError);
  EXPECT_THROW(PromptThread(slow, events).count(turns, {}), ModelError);
}

TEST_F(PromptThreadTest, ACountIsAnEvent) {
  PromptThread thread(builder, events);
  thread.start_count({.number = 7, .turns = turns});
  const Counted counted = next();
  EXPECT_EQ(counted.number, 7U);
  EXPECT_EQ(counted.n_tokens, thread.count(turns, {}));
}

TEST_F(PromptThreadTest, ARefusedCountIsAnEventToo) {
  PromptThread thread(refusing, events);
  thread.start_count({.number = 8, .turns = turns});
  const Counted counted = next();
  EXPECT_EQ(counted.number, 8U);
  EXPECT_FALSE(counted.n_tokens);
}

TEST_F(PromptThreadTest, TheNewestRequestIsAlwaysCounted) {
  PromptThread thread(builder, events);
  for (std::uint64_t i = 1; i <= 100; ++i) thread.start_count({.number = i, .turns = turns});
  std::uint64_t last = 0;
  while (last < 100) {
    const Counted counted = next();
    EXPECT_GT(counted.number, last);
    last = counted.number;
  }
  EXPECT_FALSE(events.pop());
}

// What a template makes of its text is memory of the thread that renders it.
TEST_F(PromptThreadTest, NothingIsRenderedByWhoeverAsks) {
  const auto before = n_allocated_bytes_here();
  if (!before) GTEST_SKIP() << "a sanitizer has its own operator new";
  const PromptBuilder large(*tokenizer, "{{ ('x' * 1000000)[:1] }}");
  const std::size_t alone = *n_allocated_bytes_here();
  large.build(turns);
  ASSERT_GT(*n_allocated_bytes_here() - alone, 1'000'000U);
  PromptThread thread(large, events);
  const std::size_t begin = *n_allocated_bytes_here();
  thread.count(turns, {});
  thread.text(turns, {});
  thread.start_count({.number = 1, .turns = turns});
  next();
  EXPECT_LT(*n_allocated_bytes_here() - begin, 100'000U);
}

TEST_F(PromptThreadTest, CanBeDestroyedWhileItRenders) {
  PromptThread(slow, events).start_count({.number = 1, .turns = turns});
}

}  // namespace
}  // namespace confab::engine
