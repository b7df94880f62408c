// SPDX-License-Identifier: MIT
// A decoder on a device that may fail, with the processor taking over from then on. The contents of
// sequences are then lost, as memory can be, and the caller computes them again. While there are no
// sequences, the device's memory can be given back; the next sequence takes it again.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "engine/cache/decoder.h"

namespace confab::engine {

class FallbackDecoder final : public Decoder {
 public:
  struct Parts {
    std::unique_ptr<Decoder> device;  // made of blocks; throws GpuError when it has failed
    // Makes the device's decoder again. Throws GpuError, and what the progress throws.
    std::function<std::unique_ptr<Decoder>(const Progress&)> make_device;
    // Makes a decoder for as many tokens, rows and logits. Throws ModelError.
    std::function<std::unique_ptr<Decoder>()> make_processor;
    // Called once, in run(), make_sequence() or bring_back().
    std::function<void(const std::string& why)> on_failure;
  };
  explicit FallbackDecoder(Parts parts);
  ~FallbackDecoder() override;

  int n_ctx() const noexcept override { return n_ctx_; }
  int n_batch() const noexcept override { return n_batch_; }
  int n_logits() const noexcept override { return n_logits_; }
  int n_layer() const noexcept override { return n_layer_; }
  int n_free_pages() const noexcept override {
    return there() == nullptr ? n_pages_ : there()->n_free_pages();
  }
  int n_parts() const noexcept override { return n_parts_; }
  bool is_made_of_blocks() const noexcept override { return true; }
  std::unique_ptr<Sequence> make_sequence() override;
  RunEnd run(std::span<const SequenceRun> runs, kernels::FunctionRef<bool(int il)> go_on) override;
  RunEnd trace(std::span<const SequenceRun> runs, std::vector<ProgramRun>& programs) override;
  std::span<const float> logits(std::size_t i) const noexcept override {
    return there()->logits(i);
  }
  std::span<const TopLogit> top(std::size_t i) const noexcept override { return there()->top(i); }
  std::span<const float> hidden(std::size_t i) const noexcept override {
    return there()->hidden(i);
  }
  void give_back() override;
  void bring_back(const Progress& progress) override;
  // The processor cannot use blocks that the device computed.
  void replace(const WrittenBlock& written) override {
    if (parts_.device) parts_.device->replace(written);
  }

 private:
  class Relayed;
  // nullptr if the device's decoder has been given back.
  Decoder* there() const noexcept { return parts_.device ? parts_.device.get() : processor_.get(); }
  // Runs the same tokens on the current decoder's own sequences.
  RunEnd relay(std::span<const SequenceRun> runs,
               kernels::FunctionRef<RunEnd(std::span<const SequenceRun>)> run_own);
  void fall_back(const std::string& why);

  Parts parts_;
  int n_ctx_, n_batch_, n_logits_, n_parts_, n_layer_;  // the same for both decoders
  int n_pages_;                                         // of the device when all are free
  std::unique_ptr<Decoder> processor_;                  // set once there is no device
  std::vector<Relayed*> sequences_;
  std::vector<SequenceRun> runs_;  // of the current pass
};

}  // namespace confab::engine
