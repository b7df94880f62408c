// SPDX-License-Identifier: MIT
// A model that is pulled while something else goes on, on a thread of its own.
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
    std::string text = "asking which files there are";  // how far it is, or how it has ended
    std::string name = {};                              // of finished: what /model takes
  };

  // Begins to pull "ORG/NAME[:QUANT]". Throws as ModelPull.
  BackgroundPull(std::string model, const Paths& paths);
  // Stops it; what has come stays, and another pull of the same model goes on with it.
  ~BackgroundPull();
  BackgroundPull(const BackgroundPull&) = delete;
  BackgroundPull& operator=(const BackgroundPull&) = delete;

  const std::string& model() const noexcept { return model_; }
  const std::string& notice() const noexcept { return notice_; }  // as ModelPull's
  void stop() noexcept { thread_.request_stop(); }
  // How it is now. From a change to the next call of this wake_fd() is readable; there are a few
  // changes a second.
  State state();
  int wake_fd() const noexcept { return wake_.fd(); }

 private:
  void run(ModelPull& pull, const std::stop_token& stop);
  void tell(State state);

  const std::string model_;
  std::string notice_;
  engine::Locked<State> state_;
  engine::platform::WakeFd wake_;
  base::Thread thread_;  // last: it uses all of these
};

}  // namespace confab::app
