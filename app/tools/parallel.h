// SPDX-License-Identifier: MIT
// Several sequences that go on from one text, written together: a token of each in every pass.
#pragma once

#include <chrono>
#include <memory>
#include <span>

#include "app/models/inference.h"
#include "engine/cpu/cpu_decoder.h"

namespace confab::app {

struct ParallelOptions {
  int n_depth = 0;      // tokens before
  int n_gen = 0;        // of each sequence
  int n_sequences = 1;  // at most
  bool exact = false;
};

class ParallelDecoding {
 public:
  // Reads the first n_depth of these tokens, which all sequences begin with. The model that
  // `inference` has, its team and its types of cache are used; where there is a device (nullptr:
  // none), that instead. Throws ModelError.
  ParallelDecoding(Inference& inference, std::span<const engine::Token> tokens,
                   const ParallelOptions& options, engine::Decoder* device = nullptr);
  // Writes n_gen tokens of each of n sequences.
  std::chrono::duration<double> run(int n);

 private:
  const engine::Model& model_;
  std::span<const engine::Token> tokens_;
  ParallelOptions options_;
  std::unique_ptr<engine::CpuDecoder> own_;  // nullptr: a device's is used
  engine::Decoder& decoder_;
  std::unique_ptr<engine::Sequence> text_;
};

}  // namespace confab::app
