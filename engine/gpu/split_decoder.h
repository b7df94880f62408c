// SPDX-License-Identifier: MIT
// A model of which the processor runs the first layers, and a graphics processor the last ones with
// the output: the rows of the stream cross once a pass.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "engine/cpu/cpu_decoder.h"
#include "engine/gpu/gpu_decoder.h"
#include "engine/gpu/split_sequence.h"

namespace confab::engine {

class SplitDecoder final : public Decoder {
 public:
  struct Processor {
    const kernels::KernelTable& table;
    kernels::ThreadPool& pool;
    CpuDecoder::Options options;
  };
  struct Device {
    const kernels::vulkan::GpuInfo& gpu;
    GpuDecoder::Options options;
    UploadOptions upload = {};
  };
  // n_device: layers of the device, fewer than the model has; can_part() says which. The rest as
  // the two decoders have it; the processor's n_logits is the device's.
  SplitDecoder(const Model& model, int n_device, const Processor& processor, const Device& device);

  int n_ctx() const noexcept override { return last_.n_ctx(); }
  int n_batch() const noexcept override { return last_.n_batch(); }
  int n_logits() const noexcept override { return last_.n_logits(); }
  int n_layer() const noexcept override { return first_.n_layer() + last_.n_layer(); }
  int n_free_pages() const noexcept override {
    return std::min(first_.n_free_pages(), last_.n_free_pages());
  }
  // Once the processor has run its layers, the sequences of those have changed.
  int n_parts() const noexcept override { return first_.n_parts(); }
  bool is_made_of_blocks() const noexcept override { return true; }
  std::unique_ptr<Sequence> make_sequence() override;
  RunEnd run(std::span<const SequenceRun> runs, kernels::FunctionRef<bool(int)> go_on) override;
  std::span<const float> logits(std::size_t i) const noexcept override { return last_.logits(i); }
  std::span<const TopLogit> top(std::size_t i) const noexcept override { return last_.top(i); }
  std::span<const float> hidden(std::size_t i) const noexcept override { return last_.hidden(i); }
  void give_back() override { first_.give_back(); }
  // Blocks of both are no file that could take the place of the processor's pages.
  void replace(const WrittenBlock& /*written*/) override {}

 private:
  ModelPart first_part_, last_part_;
  CpuDecoder first_;
  GpuDecoder last_;
  std::vector<SplitSequence*> sequences_;
  std::vector<SequenceRun> runs_of_first_, runs_of_last_;  // of a pass
  std::vector<const float*> rows_;
};

}  // namespace confab::engine
