// SPDX-License-Identifier: MIT
#include "engine/run/device/fallback_decoder.h"

#include <cassert>

#include "kernels/vulkan/gpu.h"

namespace confab::engine {

using kernels::vulkan::GpuError;

// A sequence on the current decoder. Blocks that can no longer be read are returned empty; the next
// run reports why.
class FallbackDecoder::Relayed final : public Sequence {
 public:
  Relayed(FallbackDecoder& all, std::unique_ptr<Sequence> own)
      : Sequence(own->tokens()), all_(all), own_(std::move(own)) {
    all_.sequences_.push_back(this);
  }
  ~Relayed() override { std::erase(all_.sequences_, this); }

  Sequence& own() const noexcept { return *own_; }
  void replace(std::unique_ptr<Sequence> own) {
    own_ = std::move(own);
    follow();
  }
  // Takes over the tokens that are left.
  void follow() { tokens_.assign(own_->tokens().begin(), own_->tokens().end()); }
  void append(std::span<const Token> tokens) {
    tokens_.insert(tokens_.end(), tokens.begin(), tokens.end());
  }

  int n_left(int n) const noexcept override { return own_->n_left(n); }
  void checkpoint() noexcept override { own_->checkpoint(); }
  std::unique_ptr<Sequence> fork(int n) const override {
    return std::make_unique<Relayed>(all_, own_->fork(n));
  }
  bool is_stored(int i) const noexcept override { return own_->is_stored(i); }
  bool is_whole(int i) const noexcept override { return own_->is_whole(i); }
  BlockPayload block(int i) const override {
    try {
      return own_->block(i);
    } catch (const GpuError&) {
      return {};
    }
  }
  std::vector<std::byte> packed_rows(int i, int n) const override {
    try {
      return own_->packed_rows(i, n);
    } catch (const GpuError&) {
      return {};
    }
  }
  std::vector<std::uint64_t> segments(int n) const override { return own_->segments(n); }

 protected:
  int truncate_state(int n) noexcept override { return own_->truncate(n); }
  std::optional<std::size_t> restore_state(StoredBlock& stored,
                                           std::span<const Token> tokens) override {
    try {
      return own_->restore(stored, tokens);
    } catch (const GpuError&) {
      return std::nullopt;
    }
  }

 private:
  FallbackDecoder& all_;
  std::unique_ptr<Sequence> own_;
};

FallbackDecoder::FallbackDecoder(Parts parts)
    : parts_(std::move(parts)),
      n_ctx_(parts_.device->n_ctx()),
      n_batch_(parts_.device->n_batch()),
      n_logits_(parts_.device->n_logits()),
      n_parts_(parts_.device->n_parts()),
      n_layer_(parts_.device->n_layer()),
      n_pages_(parts_.device->n_free_pages()) {}

FallbackDecoder::~FallbackDecoder() {
  assert(sequences_.empty());
}

std::unique_ptr<Sequence> FallbackDecoder::make_sequence() {
  bring_back({});
  return std::make_unique<Relayed>(*this, there()->make_sequence());
}

void FallbackDecoder::give_back() {
  if (parts_.device && sequences_.empty())
    parts_.device.reset();
  else if (there() != nullptr)
    there()->give_back();
}

void FallbackDecoder::bring_back(const Progress& progress) {
  if (there() != nullptr) return;
  try {
    parts_.device = parts_.make_device(progress);
  } catch (const GpuError& error) {
    fall_back(error.what());
  }
}

RunEnd FallbackDecoder::run(std::span<const SequenceRun> runs,
                            kernels::FunctionRef<bool(int il)> go_on) {
  return relay(runs, [&](std::span<const SequenceRun> own) { return there()->run(own, go_on); });
}

RunEnd FallbackDecoder::trace(std::span<const SequenceRun> runs,
                              std::vector<ProgramRun>& programs) {
  programs.clear();  // in case the device fails
  return relay(runs,
               [&](std::span<const SequenceRun> own) { return there()->trace(own, programs); });
}

RunEnd FallbackDecoder::relay(std::span<const SequenceRun> runs,
                              kernels::FunctionRef<RunEnd(std::span<const SequenceRun>)> run_own) {
  const auto relayed = [](const SequenceRun& run) -> Relayed& {
    return static_cast<Relayed&>(*run.sequence);
  };
  runs_.clear();
  for (const SequenceRun& run : runs)
    runs_.push_back({&relayed(run).own(), run.tokens, run.logits, run.n_top});
  RunEnd end{};
  try {
    end = run_own(runs_);
  } catch (const GpuError& error) {
    fall_back(error.what());
    return RunEnd::lost;
  }
  if (end == RunEnd::done)
    for (const SequenceRun& run : runs) relayed(run).append(run.tokens);
  if (end == RunEnd::lost)
    for (Relayed* sequence : sequences_) sequence->follow();
  return end;
}

void FallbackDecoder::fall_back(const std::string& why) {
  processor_ = parts_.make_processor();
  for (Relayed* sequence : sequences_) sequence->replace(processor_->make_sequence());
  parts_.device.reset();
  parts_.on_failure(why);
}

}  // namespace confab::engine
