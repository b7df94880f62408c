// SPDX-License-Identifier: MIT
// A model on two decoders, of which one reads faster and the other writes faster, for example a
// graphics processor and the processor whose memory it shares. The reader runs passes of many rows
// (prompts), and the writer passes of few rows. Before a pass, its decoder receives the keys and
// values that it lacks from the other. So a prompt's are handed over once, for its answer, and the
// answer's with the next long prompt.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "engine/cache/decoder.h"
#include "engine/cache/kv_layout.h"

namespace confab::engine {

class SidesDecoder final : public Decoder {
 public:
  // A pass with fewer rows goes to the writer. The limit is above the rows of any draft
  // (DraftLength::kMost + 1), so drafts do not go back and forth.
  static constexpr int kFewestRows = 32;
  // So does a pass that would hand over more positions than this per row. For the shape of Llama 1B
  // (17 KiB a position), this takes 2 ms on two cores and a software device; much more would cost
  // more than a row gains.
  static constexpr int kPositionsARow = 128;

  // Both must have the same model, cache types and sizes, and be made of blocks.
  SidesDecoder(std::unique_ptr<Decoder> reader, std::unique_ptr<Decoder> writer);
  ~SidesDecoder() override;

  int n_ctx() const noexcept override { return reader_->n_ctx(); }
  int n_batch() const noexcept override { return reader_->n_batch(); }
  int n_logits() const noexcept override { return reader_->n_logits(); }
  int n_layer() const noexcept override { return reader_->n_layer(); }
  int n_free_pages() const noexcept override;
  int n_parts() const noexcept override { return std::min(reader_->n_parts(), writer_->n_parts()); }
  bool is_made_of_blocks() const noexcept override { return true; }
  std::unique_ptr<Sequence> make_sequence() override;
  RunEnd run(std::span<const SequenceRun> runs, kernels::FunctionRef<bool(int)> go_on) override;
  RunEnd trace(std::span<const SequenceRun> runs, std::vector<ProgramRun>& programs) override;
  std::span<const float> logits(std::size_t i) const noexcept override { return last_->logits(i); }
  std::span<const TopLogit> top(std::size_t i) const noexcept override { return last_->top(i); }
  std::span<const float> hidden(std::size_t i) const noexcept override { return last_->hidden(i); }
  void give_back() override;
  // Blocks are copied into both decoders and never mapped: what one has from the other is already
  // in memory.
  void replace(const WrittenBlock& /*written*/) override {}

  // Totals so far. A block that the other decoder has in part is handed over from its start.
  struct HandedOver {
    std::int64_t n_positions = 0;
    std::uint64_t n_bytes = 0;
  };
  const HandedOver& handed_over() const noexcept { return handed_over_; }

 private:
  class Shared;
  bool is_for_reader(std::span<const SequenceRun> runs) const noexcept;
  void hand_over(std::span<const SequenceRun> runs, bool to_reader);
  RunEnd share(std::span<const SequenceRun> runs,
               kernels::FunctionRef<RunEnd(std::span<const SequenceRun>)> run_own);

  std::unique_ptr<Decoder> reader_, writer_;
  Decoder* last_;  // the one that ran the last pass
  std::vector<Shared*> sequences_;
  std::vector<SequenceRun> runs_;  // of the current pass
  HandedOver handed_over_;
};

}  // namespace confab::engine
