// SPDX-License-Identifier: MIT
// A thread that renders the chat template and tokenises for the user interface, even while the
// generation thread writes an answer.
//
// A template is a program from the model file. It is refused if it takes too long (see
// ChatTemplate), and it never runs on the caller's thread. All calls must come from one thread.
#pragma once

#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/thread.h"
#include "engine/api/requests.h"
#include "engine/events/event_queue.h"
#include "engine/locked.h"
#include "engine/prompt/prompt.h"

namespace confab::engine {

class PromptThread {
 public:
  // Both must outlive the object.
  PromptThread(const PromptBuilder& prompts, EventQueue& events);
  // Stops any rendering in progress.
  ~PromptThread();
  PromptThread(const PromptThread&) = delete;
  PromptThread& operator=(const PromptThread&) = delete;

  // Both wait for the thread. Throw ModelError if the template refuses the turns or takes too long.
  int count(const std::vector<Turn>& turns, const TemplateSettings& settings);
  std::string text(const std::vector<Turn>& turns, const TemplateSettings& settings);

  // Returns at once. A Counted event follows, unless another request arrives before this one has
  // begun.
  void start_count(CountRequest request);

 private:
  struct Inbox {
    std::function<void()> call = {};  // its caller waits
    std::optional<CountRequest> request = {};
    bool leave = false;
  };
  template <class Result>
  Result wait_for(std::function<Result()> work);
  // Number of tokens in the prompt. Throws as count() does.
  int n_tokens(const std::vector<Turn>& turns, const TemplateSettings& settings) const;
  void run();
  void run(const CountRequest& request);

  const PromptBuilder& prompts_;
  EventQueue& events_;
  std::stop_source stop_;
  Locked<Inbox> inbox_;
  base::Thread thread_;  // last: it uses all the others
};

}  // namespace confab::engine
