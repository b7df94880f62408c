// SPDX-License-Identifier: MIT
// A model that two decoders have, one that is the faster reader and one that is the faster writer,
// such as a graphics processor and the processor whose memory it shares. A pass of many rows, of a
// prompt, is run by the reader, one of few rows by the writer. Before a pass, the keys and values
// that its decoder lacks are handed over to it from the other one: a prompt's once, for its answer;
// the answer's with the next long prompt.
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
  // A pass of fewer rows is the writer's: more than a draft ever has (DraftLength::kMost + 1),
  // which would go to and fro.
  static constexpr int kFewestRows = 32;
  // So is one for which more positions than these would be handed over for each row: of Llama 1B's
  // shape (17 KiB a position) that takes 2 ms at two cores and a software device, and more is soon
  // more than a row gains.
  static constexpr int kPositionsARow = 128;

  // Of the same model, cache types and sizes, and made of blocks.
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
  // Blocks are copied into both, and never mapped: what one of them has from the other was there.
  void replace(const WrittenBlock& /*written*/) override {}

  // So far. A block that the other one has in part is handed over from its start.
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
  Decoder* last_;  // that ran a pass
  std::vector<Shared*> sequences_;
  std::vector<SequenceRun> runs_;  // of a pass
  HandedOver handed_over_;
};

}  // namespace confab::engine
