// SPDX-License-Identifier: MIT
// The decoder of a graphics processor.
//
// A pass that is run again gives the same bits on the same device. Rows of passes of 1 or 2 rows
// are computed alike, and so are those of passes of 3 to 8; others, and other cuts of the
// positions, round otherwise.
#pragma once

#include <memory>
#include <vector>

#include "engine/cache/decoder.h"
#include "engine/gpu/gpu_forward.h"

namespace confab::engine {

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
