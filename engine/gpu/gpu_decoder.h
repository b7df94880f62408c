// SPDX-License-Identifier: MIT
// The decoder of a graphics processor.
//
// A pass that is run again gives the same bits on the same device. Rows of passes of 1 or 2 rows
// are computed alike, and so are those of passes of 3 to 8; others, and other cuts of the
// positions, round otherwise.
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

// The forward pass on a graphics processor: tokens in, rows of logits out, keys and values appended
// to pages. A pass of a shape is recorded once, as one list of commands, and replayed: what differs
// from pass to pass (tokens, positions, pages, angles) is in memory that both sides see. While a
// pass runs that logits are wanted of, the next one is prepared, as if each sequence went on with a
// token.
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

class GpuDecoder final : public Decoder {
 public:
  struct Options {
    int n_ctx = 0;
    int n_pages = 0;  // of all sequences
    kernels::Dtype type_k = kernels::Dtype::Q8_0;
    kernels::Dtype type_v = kernels::Dtype::Q8_0;
    int n_batch = 512;
    int n_logits = 1;
  };
  // What model is of must outlive the object, and gpu_refusal() have nothing against it. Throws
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
  // Of a model without an embedding: x are the rows of the stream of each of `runs`, [n, n_embd].
  // Pages are there already: make_room().
  RunEnd run_from(std::span<const SequenceRun> runs, std::span<const float* const> x,
                  kernels::FunctionRef<bool(int il)> go_on);
  // As run() does before anything else. Throws OutOfPages, GpuError; no sequence has changed then.
  static void make_room(std::span<const SequenceRun> runs);
  std::span<const float> logits(std::size_t i) const noexcept override {
    return forward_.logits(i);
  }
  std::span<const TopLogit> top(std::size_t i) const noexcept override { return forward_.top(i); }
  std::span<const float> hidden(std::size_t i) const noexcept override {
    return forward_.hidden(i);
  }
  void give_back() override {}
  // The device's memory stays as it is: there is nothing to be mapped in its place.
  void replace(const WrittenBlock& /*written*/) override {}

  const GpuWeights& weights() const noexcept { return model_.weights; }

  // What a decoder takes of the device's memory.
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
