// SPDX-License-Identifier: MIT
// Models that a chat has left, so that coming back to one costs no loading: unloaded, they take
// little more than their vocabulary.
#pragma once

#include <deque>
#include <memory>
#include <string>

#include "app/options.h"
#include "engine/api/chat_model.h"

namespace confab::app {

struct LoadedModel {
  std::unique_ptr<engine::ChatModel> model;  // nullptr: none
  ModelOptions options;                      // that it was loaded with
};

class KeptModels {
 public:
  // Those that were left last stay; the one that was left first goes.
  static constexpr std::size_t kMost = 3;

  // It is unloaded. No answer is being written.
  void add(LoadedModel left);
  // The model of this file, or of what it was loaded as, which is not kept any more; none where
  // there is none, or where another file has that name since. Events of what was asked of it before
  // are gone.
  LoadedModel take(const std::string& path);
  void clear() noexcept { kept_.clear(); }

 private:
  struct Kept {
    LoadedModel left;
    std::string file;  // what tells it from another one of that name
  };
  std::deque<Kept> kept_;  // the one that was left last is the first
};

}  // namespace confab::app
