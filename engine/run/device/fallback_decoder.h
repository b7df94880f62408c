// SPDX-License-Identifier: MIT
// A decoder of a device that may fail, and the processor's in its place from then on: what
// sequences remembered is lost, as memory can be, and whoever runs them computes it again. While
// nobody has a sequence, the device's memory can be given back, and is taken again for the next
// one.
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
    // The same once more. Throws GpuError, and what the progress throws.
    std::function<std::unique_ptr<Decoder>(const Progress&)> make_device;
    // For as many tokens, rows and logits. Throws ModelError.
    std::function<std::unique_ptr<Decoder>()> make_processor;
    // Once, in run(), make_sequence() or bring_back().
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
  // Blocks that the device had are of no use to the processor.
  void replace(const WrittenBlock& written) override {
    if (parts_.device) parts_.device->replace(written);
  }

 private:
  class Relayed;
  // nullptr: it has been given back.
  Decoder* there() const noexcept { return parts_.device ? parts_.device.get() : processor_.get(); }
  // Whatever there is runs the same tokens of its own sequences.
  RunEnd relay(std::span<const SequenceRun> runs,
               kernels::FunctionRef<RunEnd(std::span<const SequenceRun>)> run_own);
  void fall_back(const std::string& why);

  Parts parts_;
  int n_ctx_, n_batch_, n_logits_, n_parts_, n_layer_;  // of both
  int n_pages_;                                         // of the device, all free
  std::unique_ptr<Decoder> processor_;                  // once there is no device
  std::vector<Relayed*> sequences_;
  std::vector<SequenceRun> runs_;  // of a pass
};

}  // namespace confab::engine
