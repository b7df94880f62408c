// SPDX-License-Identifier: MIT
// The ways in which `confab bench` runs a model, each timed: on a graphics processor, in several
// sequences at once, and along a given answer.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/models/inference.h"
#include "engine/api/events.h"
#include "engine/cpu/cpu_decoder.h"
#include "engine/run/decoder_choice.h"
#include "engine/run/drafting.h"

namespace confab::app {

// Tokens of one sequence on a graphics processor.
class DeviceRun {
 public:
  // Makes a run on the device that the options ask for, with room for n_sequences that are decoded
  // together. Returns nullptr if that is the processor. A terminal shows the progress of copying
  // the weights. `inference` must outlive the run. Throws ModelError, or Interrupted if a signal
  // came meanwhile.
  static std::unique_ptr<DeviceRun> make(Inference& inference, const ModelOptions& options,
                                         int n_sequences);

  const std::string& name() const noexcept { return chosen_.device; }
  // As in engine::ChosenDecoder.
  std::optional<int> whole_on() const noexcept { return chosen_.whole_on; }
  engine::Decoder& decoder() noexcept { return *chosen_.decoder; }
  // Keeps only the first n tokens.
  void truncate(int n) noexcept { sequence_->truncate(n); }
  // Runs tokens in pieces of at most n_piece. Throws ModelError if the device fails.
  void run(std::span<const engine::Token> tokens, int n_piece, engine::LogitsOf logits);
  // Records what the device runs in one pass of these tokens (1 to n_batch()), with the logits of
  // the last one. Throws as run() does.
  std::vector<engine::ProgramRun> trace(std::span<const engine::Token> tokens);
  int n_batch() const noexcept { return plan_.n_batch; }

 private:
  DeviceRun(engine::ContextPlan plan) : plan_(std::move(plan)) {}

  engine::ContextPlan plan_;
  engine::ChosenDecoder chosen_;
  std::unique_ptr<engine::Sequence> sequence_;
};

// Several sequences that continue one text and are written together: every pass decodes a token of
// each.
struct ParallelOptions {
  int n_depth = 0;      // tokens in the context before
  int n_gen = 0;        // tokens of each sequence
  int n_sequences = 1;  // maximum number of sequences
  bool exact = false;
};

class ParallelDecoding {
 public:
  // Reads the first n_depth of these tokens, which all sequences begin with. Runs on `device`, or
  // if that is nullptr on the processor, with the model, threads and cache types of `inference`.
  // Throws ModelError.
  ParallelDecoding(Inference& inference, std::span<const engine::Token> tokens,
                   const ParallelOptions& options, engine::Decoder* device = nullptr);
  // Generates n_gen tokens for each of n sequences.
  std::chrono::duration<double> run(int n);

 private:
  const engine::Model& model_;
  std::span<const engine::Token> tokens_;
  ParallelOptions options_;
  std::unique_ptr<engine::CpuDecoder> own_;  // nullptr: the device's decoder is used
  engine::Decoder& decoder_;
  std::unique_ptr<engine::Sequence> text_;
};

// A given answer, generated as if it had been sampled, with and without drafts. It shows what
// drafts gain on a real text, whatever the model itself would have said.
struct Replay {
  std::chrono::duration<double> time{0};       // time for the answer alone
  std::chrono::duration<double> processor{0};  // the same in processor time over all threads
  int n_passes = 0;
  engine::DraftCount by_lookup = {};
  engine::DraftCount by_model = {};
  engine::DraftCount by_heads = {};
};

// The tokens of a file's text. Throws UserError if it cannot be read or is empty.
std::vector<engine::Token> tokens_of_file(const engine::Model& model, const std::string& file);

// Reads the prompt, untimed, then generates the answer; both together must fit into the context.
// `forward` must give the logits of DraftLength::kMost + 1 rows. Each row is examined as sampling
// would.
Replay replay(Inference& inference, engine::Forward& forward, engine::Drafting& drafting,
              std::span<const engine::Token> prompt, std::span<const engine::Token> answer);

}  // namespace confab::app
