// SPDX-License-Identifier: MIT
// A decoder of a device that may fail, and the processor's in its place from then on: what
// sequences remembered is lost, as memory can be, and whoever runs them computes it again.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "engine/cache/decoder.h"

namespace confab::engine {

class FallbackDecoder final : public Decoder {
 public:
  struct Parts {
    std::unique_ptr<Decoder> device;  // made of blocks; tells by GpuError that it has failed
    // For as many tokens, rows and logits. Throws ModelError.
    std::function<std::unique_ptr<Decoder>()> make_processor;
    std::function<void(const std::string& why)> on_failure;  // once, in a run()
  };
  explicit FallbackDecoder(Parts parts) : parts_(std::move(parts)) {}
  ~FallbackDecoder() override;

  int n_ctx() const noexcept override { return decoder().n_ctx(); }
  int n_batch() const noexcept override { return decoder().n_batch(); }
  int n_logits() const noexcept override { return decoder().n_logits(); }
  int n_layer() const noexcept override { return decoder().n_layer(); }
  int n_free_pages() const noexcept override { return decoder().n_free_pages(); }
  bool can_stop() const noexcept override { return decoder().can_stop(); }
  bool is_made_of_blocks() const noexcept override { return true; }
  std::unique_ptr<Sequence> make_sequence() override;
  RunEnd run(std::span<const SequenceRun> runs, kernels::FunctionRef<bool(int il)> go_on) override;
  std::span<const float> logits(std::size_t i) const noexcept override {
    return decoder().logits(i);
  }
  std::span<const TopLogit> top(std::size_t i) const noexcept override { return decoder().top(i); }
  std::span<const float> hidden(std::size_t i) const noexcept override {
    return decoder().hidden(i);
  }
  void give_back() override { decoder().give_back(); }
  // Blocks that the device had are of no use to the processor.
  void replace(const WrittenBlock& written) override {
    if (parts_.device) parts_.device->replace(written);
  }

 private:
  class Relayed;
  Decoder& decoder() const noexcept { return parts_.device ? *parts_.device : *processor_; }
  void fall_back(const std::string& why);

  Parts parts_;
  std::unique_ptr<Decoder> processor_;  // once there is no device
  std::vector<Relayed*> sequences_;
  std::vector<SequenceRun> runs_;  // of a pass
};

}  // namespace confab::engine
