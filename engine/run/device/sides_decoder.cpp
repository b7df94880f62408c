// SPDX-License-Identifier: MIT
#include "engine/run/device/sides_decoder.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "engine/cache/block_store.h"
#include "engine/error.h"

namespace confab::engine {

// A sequence on both decoders. At least one of the two has all tokens, and the other has the first
// ones.
//
// With windowed layers, rows that the next token no longer reads may be gone (kv_layout.h); in rows
// that were handed over after that, they are garbage. The sequence that lost them reports it
// through is_whole() and n_left(). n_left() of this class only allows lengths after which both can
// also go back to the start of their last block.
class SidesDecoder::Shared final : public Sequence {
 public:
  Shared(std::vector<Shared*>& all, std::unique_ptr<Sequence> reader,
         std::unique_ptr<Sequence> writer)
      : Sequence(std::max(reader->tokens(), writer->tokens(), is_shorter)),
        all_(all),
        reader_(std::move(reader)),
        writer_(std::move(writer)) {
    all_.push_back(this);
  }
  ~Shared() override { std::erase(all_, this); }

  Sequence& own(bool of_reader) const noexcept { return of_reader ? *reader_ : *writer_; }
  // How many positions would have to be handed over to the reader.
  int n_lacking() const noexcept {
    const int n = reader_->n_tokens();
    return n == n_tokens() ? 0 : n_tokens() - n / kBlockTokens * kBlockTokens;
  }
  // Hands over what one of them lacks. Throws OutOfPages, and what reading throws; some tokens may
  // have been handed over by then.
  void hand_over(bool to_reader, HandedOver& count) const;
  void append(std::span<const Token> tokens) {
    tokens_.insert(tokens_.end(), tokens.begin(), tokens.end());
  }
  // If one of them has lost tokens, the other's copies of these may have come from it.
  void follow() noexcept { truncate(std::min(reader_->n_tokens(), writer_->n_tokens())); }

  int n_left(int n) const noexcept override {
    for (;;) {
      const int n_before = std::exchange(n, n_left_of(*writer_, n_left_of(*reader_, n)));
      if (n == n_before) return n;
    }
  }
  void checkpoint() noexcept override {}
  std::unique_ptr<Sequence> fork(int n) const override {
    n = n_left(n);
    return std::make_unique<Shared>(all_, reader_->fork(std::min(n, reader_->n_tokens())),
                                    writer_->fork(std::min(n, writer_->n_tokens())));
  }
  // The store recognises a block that is offered twice.
  bool is_stored(int /*i*/) const noexcept override { return false; }
  bool is_whole(int i) const noexcept override {
    const auto is_gone = [i](const Sequence& sequence) {
      return sequence.n_tokens() >= (i + 1) * kBlockTokens && !sequence.is_whole(i);
    };
    return !is_gone(*reader_) && !is_gone(*writer_);
  }
  BlockPayload block(int i) const override { return with(i, kBlockTokens).block(i); }
  std::vector<std::byte> packed_rows(int i, int n) const override {
    return with(i, n).packed_rows(i, n);
  }
  std::vector<std::uint64_t> segments(int n) const override { return writer_->segments(n); }

 protected:
  int truncate_state(int n) noexcept override {
    n = n_left(n);
    for (Sequence* sequence : {reader_.get(), writer_.get()})
      if (sequence->n_tokens() > n) sequence->truncate(n);
    return n;
  }
  std::optional<std::size_t> restore_state(StoredBlock& stored,
                                           std::span<const Token> tokens) override {
    BorrowedBlock copied(stored.payload(), stored.n_stored(), stored.n_tokens());
    return with(0, n_tokens()).restore(copied, tokens);
  }

 private:
  static bool is_shorter(std::span<const Token> a, std::span<const Token> b) noexcept {
    return a.size() < b.size();
  }
  static int n_left_of(const Sequence& sequence, int n) noexcept {
    if (n >= sequence.n_tokens()) return n;
    const int begin = n / kBlockTokens * kBlockTokens, n_begin = sequence.n_left(begin);
    return n_begin == begin ? sequence.n_left(n) : n_begin;
  }
  // The sequence that has the first n rows of block i and all before; the writer, if both have.
  Sequence& with(int i, int n) const noexcept {
    return own(writer_->n_tokens() < i * kBlockTokens + n);
  }

  std::vector<Shared*>& all_;
  std::unique_ptr<Sequence> reader_, writer_;
};

void SidesDecoder::Shared::hand_over(bool to_reader, HandedOver& count) const {
  const Sequence& from = own(!to_reader);
  Sequence& to = own(to_reader);
  if (to.n_tokens() == n_tokens()) return;
  const int n_kept = to.n_tokens() / kBlockTokens * kBlockTokens;
  [[maybe_unused]] const int n_left = to.truncate(n_kept);
  assert(n_left == n_kept);
  for (int i = n_kept / kBlockTokens; to.n_tokens() < n_tokens(); ++i) {
    const int n = std::min(kBlockTokens, n_tokens() - i * kBlockTokens);
    BlockPayload whole;
    std::vector<std::byte> rows;
    if (n == kBlockTokens)
      whole = from.block(i);
    else
      rows = from.packed_rows(i, n);
    BorrowedBlock block(n == kBlockTokens ? whole.bytes : std::span<const std::byte>(rows), n, n);
    const auto tokens = tokens_.data() + i * kBlockTokens;
    if (!to.restore(block, {tokens, static_cast<std::size_t>(n)}))
      throw ModelError("KV cache: a block of another size");
    count.n_positions += n;
    count.n_bytes += block.payload().size();
  }
}

SidesDecoder::SidesDecoder(std::unique_ptr<Decoder> reader, std::unique_ptr<Decoder> writer)
    : reader_(std::move(reader)), writer_(std::move(writer)), last_(writer_.get()) {
  assert(reader_->n_ctx() == writer_->n_ctx() && reader_->n_batch() == writer_->n_batch());
  assert(reader_->is_made_of_blocks() && writer_->is_made_of_blocks());
}

SidesDecoder::~SidesDecoder() {
  assert(sequences_.empty());
}

int SidesDecoder::n_free_pages() const noexcept {
  return std::min(reader_->n_free_pages(), writer_->n_free_pages());
}

std::unique_ptr<Sequence> SidesDecoder::make_sequence() {
  return std::make_unique<Shared>(sequences_, reader_->make_sequence(), writer_->make_sequence());
}

bool SidesDecoder::is_for_reader(std::span<const SequenceRun> runs) const noexcept {
  std::int64_t n_rows = 0, n_lacking = 0;
  for (const SequenceRun& run : runs) {
    n_rows += static_cast<std::int64_t>(run.tokens.size());
    n_lacking += static_cast<const Shared&>(*run.sequence).n_lacking();
  }
  return n_rows >= kFewestRows && n_lacking <= n_rows * kPositionsARow;
}

void SidesDecoder::hand_over(std::span<const SequenceRun> runs, bool to_reader) {
  for (const SequenceRun& run : runs)
    static_cast<const Shared&>(*run.sequence).hand_over(to_reader, handed_over_);
}

RunEnd SidesDecoder::run(std::span<const SequenceRun> runs, kernels::FunctionRef<bool(int)> go_on) {
  return share(runs, [&](std::span<const SequenceRun> own) { return last_->run(own, go_on); });
}

RunEnd SidesDecoder::trace(std::span<const SequenceRun> runs, std::vector<ProgramRun>& programs) {
  return share(runs, [&](std::span<const SequenceRun> own) { return last_->trace(own, programs); });
}

RunEnd SidesDecoder::share(std::span<const SequenceRun> runs,
                           kernels::FunctionRef<RunEnd(std::span<const SequenceRun>)> run_own) {
  const bool reads = is_for_reader(runs);
  hand_over(runs, reads);
  runs_.clear();
  for (const SequenceRun& run : runs)
    runs_.push_back(
        {&static_cast<Shared&>(*run.sequence).own(reads), run.tokens, run.logits, run.n_top});
  last_ = reads ? reader_.get() : writer_.get();
  const RunEnd end = run_own(runs_);
  if (end == RunEnd::done)
    for (const SequenceRun& run : runs) static_cast<Shared&>(*run.sequence).append(run.tokens);
  if (end == RunEnd::lost)
    for (Shared* sequence : sequences_) sequence->follow();
  return end;
}

void SidesDecoder::give_back() {
  reader_->give_back();
  writer_->give_back();
}

}  // namespace confab::engine
