// SPDX-License-Identifier: MIT
// Reading what may never answer, such as a file on a network that has gone, while a person can
// still end that.
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

// Called ten times a second. What it throws ends the wait.
using WhileReading = std::function<void()>;

// What `read` returns or throws; it runs on a thread of its own. That thread cannot be ended by
// force: where `look` throws it goes on until the system lets go of it, so `read` owns what it
// uses.
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
