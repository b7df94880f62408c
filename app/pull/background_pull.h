// SPDX-License-Identifier: MIT
// Pulls a model on a separate thread while something else goes on.
#pragma once

#include <string>

#include "app/paths.h"
#include "base/thread.h"
#include "engine/locked.h"
#include "engine/platform/wake_fd.h"

namespace confab::app {

class ModelPull;

class BackgroundPull {
 public:
  enum class Step { runs, finished, stopped, failed };
  struct State {
    Step step = Step::runs;
    int percent = 0;
    std::string text = "asking which files there are";  // the progress, or how it ended
    std::string name = {};                              // when finished: the name for /model
  };

  // Starts pulling "ORG/NAME[:QUANT]". Throws as ModelPull does.
  BackgroundPull(std::string model, const Paths& paths);
  // Stops the pull. What has arrived stays, and another pull of the same model resumes there.
  ~BackgroundPull();
  BackgroundPull(const BackgroundPull&) = delete;
  BackgroundPull& operator=(const BackgroundPull&) = delete;

  const std::string& model() const noexcept { return model_; }
  const std::string& notice() const noexcept { return notice_; }  // as in ModelPull
  void stop() noexcept { thread_.request_stop(); }
  // The current state. After a change, wake_fd() is readable until the next call of this; there are
  // a few changes per second.
  State state();
  int wake_fd() const noexcept { return wake_.fd(); }

 private:
  void run(ModelPull& pull, const std::stop_token& stop);
  void tell(State state);

  const std::string model_;
  std::string notice_;
  engine::Locked<State> state_;
  engine::platform::WakeFd wake_;
  base::Thread thread_;  // last: the thread uses all other members
};

}  // namespace confab::app
