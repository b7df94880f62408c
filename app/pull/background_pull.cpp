// SPDX-License-Identifier: MIT
#include "app/pull/background_pull.h"

#include <chrono>
#include <memory>
#include <stdexcept>
#include <utility>

#include "app/pull/model_pull.h"

namespace confab::app {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds kTold{250};  // between two reports

}  // namespace

BackgroundPull::BackgroundPull(std::string model, const Paths& paths) : model_(std::move(model)) {
  const auto pull = std::make_shared<ModelPull>(model_, paths);
  notice_ = pull->notice();
  thread_ = base::Thread(base::stack::kUsual,
                         [this, pull](const std::stop_token& stop) { run(*pull, stop); });
}

BackgroundPull::~BackgroundPull() = default;

BackgroundPull::State BackgroundPull::state() {
  wake_.clear();  // before the state is read, so that a later change wakes again
  return state_.with([](const State& state) { return state; });
}

void BackgroundPull::tell(State state) {
  state_.with([&](State& now) { return now = std::move(state), true; });
  wake_.set();
}

void BackgroundPull::run(ModelPull& pull, const std::stop_token& stop) {
  const std::stop_callback on_stop(stop, [&pull] { pull.stop(); });
  State end{.step = Step::stopped, .text = {}};
  try {
    pull.find_files();
    Clock::time_point told;
    const auto pulled = pull.run([&](int percent, const std::string& text) {
      if (const auto now = Clock::now(); now - told >= kTold) {
        told = now;
        tell({.percent = percent, .text = text});
      }
      return !stop.stop_requested();
    });
    if (pulled) end = {.step = Step::finished, .text = pulled->text, .name = pulled->name};
  } catch (const std::runtime_error& fault) {  // ModelError, UserError
    if (!stop.stop_requested()) end = {.step = Step::failed, .text = fault.what()};
  }
  tell(std::move(end));
}

}  // namespace confab::app
