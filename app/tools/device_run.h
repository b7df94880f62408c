// SPDX-License-Identifier: MIT
// A model on a graphics processor, for `confab bench`: tokens of one sequence, timed.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/models/inference.h"
#include "engine/run/decoder_choice.h"

namespace confab::app {

class DeviceRun {
 public:
  // On what the options ask for, with room for n_sequences that are written together; nullptr: that
  // is the processor. How far its weights are copied is shown on a terminal. `inference` must
  // outlive it. Throws ModelError; Interrupted, by a signal that came meanwhile.
  static std::unique_ptr<DeviceRun> make(Inference& inference, const ModelOptions& options,
                                         int n_sequences);

  const std::string& name() const noexcept { return chosen_.device; }
  // As engine::ChosenDecoder has it.
  std::optional<int> whole_on() const noexcept { return chosen_.whole_on; }
  engine::Decoder& decoder() noexcept { return *chosen_.decoder; }
  // Goes back to the first n tokens.
  void truncate(int n) noexcept { sequence_->truncate(n); }
  // Runs tokens in pieces of at most n_piece. Throws ModelError when the device fails.
  void run(std::span<const engine::Token> tokens, int n_piece, engine::LogitsOf logits);
  // What the device runs in one pass of these tokens, with the logits of the last one; 1 to
  // n_batch(). Throws as run() does.
  std::vector<engine::ProgramRun> trace(std::span<const engine::Token> tokens);
  int n_batch() const noexcept { return plan_.n_batch; }

 private:
  DeviceRun(engine::ContextPlan plan) : plan_(std::move(plan)) {}

  engine::ContextPlan plan_;
  engine::ChosenDecoder chosen_;
  std::unique_ptr<engine::Sequence> sequence_;
};

}  // namespace confab::app
