// SPDX-License-Identifier: MIT
// Reads files that may never answer, as on a dead network mount, and lets a person cancel the wait.
#pragma once

#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <stop_token>
#include <string>
#include <type_traits>

#include "app/error.h"
#include "base/thread.h"

namespace confab::app {

class ReadingStopped : public UserError {
 public:
  explicit ReadingStopped(const std::string& what) : UserError(what + ": stopped, not read") {}
};

// Called ten times a second during the wait, which ends if this throws.
using WhileReading = std::function<void()>;

// Runs `read` on its own thread and returns what it returns, or throws what it throws. No thread
// can be killed while the system holds it: if `look` throws, the thread runs on until its call
// returns, so `read` must own all that it uses.
template <typename Read>
std::invoke_result_t<Read> read_beside(Read read, const WhileReading& look) {
  constexpr std::chrono::milliseconds kInterval{100};
  const auto task = std::make_shared<std::packaged_task<std::invoke_result_t<Read>()>>(read);
  auto result = task->get_future();
  base::Thread(base::stack::kLanguages, [task](const std::stop_token&) { (*task)(); }).detach();
  while (result.wait_for(kInterval) == std::future_status::timeout) look();
  return result.get();
}

}  // namespace confab::app
