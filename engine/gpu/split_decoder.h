// SPDX-License-Identifier: MIT
// A model whose first layers run on the processor, and whose last layers and output run on a
// graphics processor. The rows of the residual stream cross over once per pass.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "engine/cache/decoder.h"
#include "engine/cpu/cpu_decoder.h"
#include "engine/gpu/gpu_decoder.h"

namespace confab::engine {

// A sequence that is shared by two decoders, one for the first layers and one for the last. A block
// consists of the first decoder's block followed by the last one's.
class SplitSequence final : public Sequence {
 public:
  // `first` and `last` must hold the same tokens. `all` lists all sequences of a decoder and must
  // outlive them.
  SplitSequence(std::vector<SplitSequence*>& all, std::unique_ptr<Sequence> first,
                std::unique_ptr<Sequence> last);
  ~SplitSequence() override;

  Sequence& first() const noexcept { return *first_; }
  Sequence& last() const noexcept { return *last_; }
  void append(std::span<const Token> tokens) {
    tokens_.insert(tokens_.end(), tokens.begin(), tokens.end());
  }
  // Forgets the tokens that the first sequence has lost.
  void follow_first() noexcept { truncate(first_->n_tokens()); }

  int n_left(int n) const noexcept override { return last_->n_left(first_->n_left(n)); }
  void checkpoint() noexcept override {
    first_->checkpoint();
    last_->checkpoint();
  }
  std::unique_ptr<Sequence> fork(int n) const override;
  // The last sequence alone decides: blocks of both are always stored together.
  bool is_stored(int i) const noexcept override { return last_->is_stored(i); }
  bool is_whole(int i) const noexcept override { return first_->is_whole(i) && last_->is_whole(i); }
  BlockPayload block(int i) const override;
  std::vector<std::byte> packed_rows(int i, int n) const override;
  std::vector<std::uint64_t> segments(int n) const override;

 protected:
  int truncate_state(int n) noexcept override;
  std::optional<std::size_t> restore_state(StoredBlock& stored,
                                           std::span<const Token> tokens) override;

 private:
  std::vector<SplitSequence*>& all_;
  std::unique_ptr<Sequence> first_, last_;
};

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
  // n_device is the number of layers on the device, fewer than the model has; can_part() says which
  // models allow it. The rest is as for the two decoders, except that n_logits is taken from the
  // device's options.
  SplitDecoder(const Model& model, int n_device, const Processor& processor, const Device& device);

  int n_ctx() const noexcept override { return last_.n_ctx(); }
  int n_batch() const noexcept override { return last_.n_batch(); }
  int n_logits() const noexcept override { return last_.n_logits(); }
  int n_layer() const noexcept override { return first_.n_layer() + last_.n_layer(); }
  int n_free_pages() const noexcept override {
    return std::min(first_.n_free_pages(), last_.n_free_pages());
  }
  // A pass cannot stop after the processor's part, because its sequences have changed by then.
  int n_parts() const noexcept override { return first_.n_parts(); }
  bool is_made_of_blocks() const noexcept override { return true; }
  std::unique_ptr<Sequence> make_sequence() override;
  RunEnd run(std::span<const SequenceRun> runs, kernels::FunctionRef<bool(int)> go_on) override;
  std::span<const float> logits(std::size_t i) const noexcept override { return last_.logits(i); }
  std::span<const TopLogit> top(std::size_t i) const noexcept override { return last_.top(i); }
  std::span<const float> hidden(std::size_t i) const noexcept override { return last_.hidden(i); }
  void give_back() override { first_.give_back(); }
  // Does nothing: a stored block holds both halves, so the file cannot replace a page of the
  // processor.
  void replace(const WrittenBlock& /*written*/) override {}

 private:
  ModelPart first_part_, last_part_;
  CpuDecoder first_;
  GpuDecoder last_;
  std::vector<SplitSequence*> sequences_;
  std::vector<SequenceRun> runs_of_first_, runs_of_last_;  // of the current pass
  std::vector<const float*> rows_;
};

}  // namespace confab::engine
