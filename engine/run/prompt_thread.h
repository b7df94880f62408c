// SPDX-License-Identifier: MIT
// The thread that renders the chat template and tokenises for the user interface, also while the
// generation thread writes an answer.
//
// A template is the model file's program: it is refused when it takes too long (see ChatTemplate),
// and it never runs on the thread of whoever asks. For one asking thread.
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
  // Stops what is being rendered.
  ~PromptThread();
  PromptThread(const PromptThread&) = delete;
  PromptThread& operator=(const PromptThread&) = delete;

  // Wait for the thread. Throw ModelError when the template refuses the turns or takes too long.
  int count(const std::vector<Turn>& turns, const TemplateSettings& settings);
  std::string text(const std::vector<Turn>& turns, const TemplateSettings& settings);

  // Counted follows as an event, unless another request comes before this one is begun.
  void start_count(CountRequest request);

 private:
  struct Inbox {
    std::function<void()> call = {};  // whose caller waits
    std::optional<CountRequest> request = {};
    bool leave = false;
  };
  template <class Result>
  Result wait_for(std::function<Result()> work);
  // Of the prompt. Throws as count() does.
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
