// SPDX-License-Identifier: MIT
// The decoder that runs on a graphics processor.
//
// Repeating a pass gives the same bits on the same device. All passes of 1 or 2 rows compute a row
// in the same way, and so do all passes of 3 to 8 rows. Other sizes, and other cuts of the
// positions, round differently.
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

// Tokens of one sequence. They take the positions after those it has, and it must have room for
// them.
struct GpuRun {
  const GpuSequence* sequence;
  std::span<const Token> tokens;
  LogitsOf logits;
  int n_top = 0;  // as in SequenceRun
  // rows of the residual stream, [n, n_embd], for a model without an embedding
  const float* x = nullptr;
};

// The forward pass on a graphics processor: takes tokens, returns rows of logits, and appends keys
// and values to pages.
//
// A pass of a given shape is recorded once as a list of commands and then replayed. The data
// that differ from pass to pass (tokens, positions, pages, angles) are in memory that both sides
// see. While a pass with logits runs, the next one is prepared on the assumption that each sequence
// continues with one token.
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

  // Takes 1 to n_batch tokens in total. Calls go_on(il) before some of the layers; if it returns
  // false, the pass ends and run() returns false. Throws GpuError.
  bool run(std::span<const GpuRun> runs, kernels::FunctionRef<bool(int il)> go_on);
  // The number of parts, as in Decoder. While one part of a pass runs, the next is already queued.
  static int n_parts(int n_layer) noexcept;
  // The same for a pass that is recorded with time stamps and used once.
  std::vector<ProgramRun> trace(std::span<const GpuRun> runs);
  // Results of the last run, as in Decoder.
  std::span<const float> logits(std::size_t i) const noexcept;
  std::span<const TopLogit> top(std::size_t i) const noexcept;
  std::span<const float> hidden(std::size_t i) const noexcept;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

class GpuDecoder final : public Decoder {
 public:
  struct Options {
    int n_ctx = 0;
    int n_pages = 0;  // for all sequences
    kernels::Dtype type_k = kernels::Dtype::Q8_0;
    kernels::Dtype type_v = kernels::Dtype::Q8_0;
    int n_batch = 512;
    int n_logits = 1;
  };
  // The Model behind `model` must outlive the object, and gpu_refusal() must accept it. Throws
  // GpuError, and ModelError as KvLayout does.
  GpuDecoder(const kernels::vulkan::GpuInfo& gpu, ModelView model, const Options& options,
             const UploadOptions& upload = {});

  int n_ctx() const noexcept override { return options_.n_ctx; }
  int n_batch() const noexcept override { return options_.n_batch; }
  int n_logits() const noexcept override { return options_.n_logits; }
  int n_layer() const noexcept override;
  int n_free_pages() const noexcept override { return pool_.n_free(); }
  int n_parts() const noexcept override { return GpuForward::n_parts(n_layer()); }
  bool is_made_of_blocks() const noexcept override { return true; }
  std::unique_ptr<Sequence> make_sequence() override {
    return std::make_unique<GpuSequence>(pool_);
  }
  RunEnd run(std::span<const SequenceRun> runs, kernels::FunctionRef<bool(int)> go_on) override;
  RunEnd trace(std::span<const SequenceRun> runs, std::vector<ProgramRun>& programs) override;
  // Runs a model without an embedding. x has the rows of the residual stream for each of `runs`,
  // [n, n_embd]. Call make_room() first.
  RunEnd run_from(std::span<const SequenceRun> runs, std::span<const float* const> x,
                  kernels::FunctionRef<bool(int il)> go_on);
  // Gives each sequence pages for its new tokens; run() does this first. Throws OutOfPages or
  // GpuError, and then leaves all sequences unchanged.
  static void make_room(std::span<const SequenceRun> runs);
  std::span<const float> logits(std::size_t i) const noexcept override {
    return forward_.logits(i);
  }
  std::span<const TopLogit> top(std::size_t i) const noexcept override { return forward_.top(i); }
  std::span<const float> hidden(std::size_t i) const noexcept override {
    return forward_.hidden(i);
  }
  void give_back() override {}
  // Does nothing: a file cannot be mapped in place of device memory.
  void replace(const WrittenBlock& /*written*/) override {}

  const GpuWeights& weights() const noexcept { return model_.weights; }

  // How much device memory a decoder needs.
  static std::uint64_t device_bytes(ModelView model, const Options& options);

 private:
  void take(std::span<const SequenceRun> runs, std::span<const float* const> x);
  static void append(std::span<const SequenceRun> runs);

  Options options_;
  kernels::vulkan::Gpu gpu_;
  GpuModel model_;
  GpuPagePool pool_;
  GpuForward forward_;
  std::vector<GpuRun> runs_;
};

}  // namespace confab::engine
