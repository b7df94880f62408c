// SPDX-License-Identifier: MIT
#include "engine/run/prompt_thread.h"

#include <exception>
#include <future>
#include <memory>
#include <utility>

namespace confab::engine {

PromptThread::PromptThread(const PromptBuilder& prompts, EventQueue& events)
    : prompts_(prompts),
      events_(events),
      thread_(base::stack::kLanguages, [this](const std::stop_token&) { run(); }) {}

PromptThread::~PromptThread() {
  stop_.request_stop();
  inbox_.with([](Inbox& inbox) { return inbox.leave = true; });
}

// Lets the thread do the work, and returns or throws its result.
template <class Result>
Result PromptThread::wait_for(std::function<Result()> work) {
  const auto task = std::make_shared<std::packaged_task<Result()>>(std::move(work));
  std::future<Result> result = task->get_future();
  inbox_.with([&task](Inbox& inbox) {
    inbox.call = [task] { (*task)(); };
    return true;
  });
  return result.get();
}

int PromptThread::n_tokens(const std::vector<Turn>& turns, const TemplateSettings& settings) const {
  try {
    return static_cast<int>(prompts_.build(turns, settings, stop_.get_token()).size());
  } catch (const PromptTooLong& too_long) {
    return too_long.n_tokens();
  }
}

int PromptThread::count(const std::vector<Turn>& turns, const TemplateSettings& settings) {
  return wait_for<int>([&] { return n_tokens(turns, settings); });
}

std::string PromptThread::text(const std::vector<Turn>& turns, const TemplateSettings& settings) {
  return wait_for<std::string>([&] { return prompts_.text(turns, settings, stop_.get_token()); });
}

void PromptThread::start_count(CountRequest request) {
  inbox_.with([&request](Inbox& inbox) {
    inbox.request = std::move(request);
    return true;
  });
}

// Callers that wait come first.
void PromptThread::run() {
  const auto has_work = [](const Inbox& inbox) {
    return inbox.call || inbox.request || inbox.leave;
  };
  const auto take = [](Inbox& inbox) {
    Inbox next{std::exchange(inbox.call, nullptr), {}, inbox.leave};
    if (!next.call) next.request = std::exchange(inbox.request, {});
    return next;
  };
  for (;;) {
    const Inbox next = inbox_.wait(has_work, take);
    if (next.leave) return;
    if (next.call) next.call();
    if (next.request) run(*next.request);
  }
}

void PromptThread::run(const CountRequest& request) {
  Counted counted{request.number, std::nullopt};
  try {
    counted.n_tokens = n_tokens(request.turns, request.settings);
  } catch (const std::exception&) {  // a real request will report it
  }
  events_.push(AnswerId::none, counted);
}

}  // namespace confab::engine
