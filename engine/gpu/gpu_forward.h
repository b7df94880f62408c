// SPDX-License-Identifier: MIT
// The forward pass on a graphics processor: tokens in, rows of logits out, keys and values appended
// to pages. A pass of a shape is recorded once, as one list of commands, and replayed: what differs
// from pass to pass (tokens, positions, pages, angles) is in memory that both sides see. While a
// pass runs that logits are wanted of, the next one is prepared, as if each sequence went on with a
// token.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "engine/api/token.h"
#include "engine/cache/decoder.h"
#include "engine/cpu/rope.h"
#include "engine/gpu/gpu_model.h"
#include "engine/gpu/gpu_pages.h"
#include "kernels/thread_pool.h"

namespace confab::engine {

// Tokens of one sequence, at the positions after those that it has, for which it has room.
struct GpuRun {
  const GpuSequence* sequence;
  std::span<const Token> tokens;
  LogitsOf logits;
  int n_top = 0;             // as SequenceRun has it
  const float* x = nullptr;  // rows of the stream, [n, n_embd], where the model has no embedding
};

class GpuForward {
 public:
  struct Options {
    int n_ctx = 0;
    int n_batch = 512;
    int n_logits = 1;
  };
  // The references must outlive the object. Throws GpuError.
  GpuForward(kernels::vulkan::Gpu& gpu, ModelView model, const GpuModel& on_device,
             const GpuPagePool& pool, const Options& options);
  ~GpuForward();

  // All together 1 to n_batch tokens. Asks go_on(il) now and then before a layer; false: it was to
  // end, and has. Throws GpuError.
  bool run(std::span<const GpuRun> runs, kernels::FunctionRef<bool(int il)> go_on);
  // As Decoder's: when one part is to be the last, the next one is on its way.
  static int n_parts(int n_layer) noexcept;
  // The same, recorded for this once with time stamps.
  std::vector<ProgramRun> trace(std::span<const GpuRun> runs);
  // As Decoder's, of the last run.
  std::span<const float> logits(std::size_t i) const noexcept;
  std::span<const TopLogit> top(std::size_t i) const noexcept;
  std::span<const float> hidden(std::size_t i) const noexcept;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace confab::engine
