// SPDX-License-Identifier: MIT
#include "engine/gpu/split_decoder.h"

#include <algorithm>
#include <cassert>
#include <numeric>
#include <utility>

#include "engine/cache/block_store.h"
#include "engine/cache/kv_layout.h"
#include "engine/model/model.h"

namespace confab::engine {
namespace {

std::size_t sum(const std::vector<std::uint64_t>& sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), std::size_t{0});
}

// All rows go on to the device.
CpuDecoder::Options of_first(CpuDecoder::Options options) {
  options.forward.n_logits = options.forward.n_batch;
  return options;
}

SplitSequence& own(const SequenceRun& run) {
  return static_cast<SplitSequence&>(*run.sequence);
}

}  // namespace

SplitSequence::SplitSequence(std::vector<SplitSequence*>& all, std::unique_ptr<Sequence> first,
                             std::unique_ptr<Sequence> last)
    : Sequence(first->tokens()), all_(all), first_(std::move(first)), last_(std::move(last)) {
  assert(std::ranges::equal(first_->tokens(), last_->tokens()));
  all_.push_back(this);
}

SplitSequence::~SplitSequence() {
  std::erase(all_, this);
}

std::unique_ptr<Sequence> SplitSequence::fork(int n) const {
  std::unique_ptr<Sequence> first = first_->fork(n);
  std::unique_ptr<Sequence> last = last_->fork(first->n_tokens());
  return std::make_unique<SplitSequence>(all_, std::move(first), std::move(last));
}

BlockPayload SplitSequence::block(int i) const {
  const BlockPayload first = first_->block(i), last = last_->block(i);
  if (first.bytes.empty() || last.bytes.empty()) return {};
  auto bytes = std::make_shared<std::vector<std::byte>>(first.bytes.begin(), first.bytes.end());
  bytes->insert(bytes->end(), last.bytes.begin(), last.bytes.end());
  return {*bytes, segments(kBlockTokens), bytes};
}

std::vector<std::byte> SplitSequence::packed_rows(int i, int n) const {
  std::vector<std::byte> rows = first_->packed_rows(i, n);
  const std::vector<std::byte> last = last_->packed_rows(i, n);
  if (rows.empty() || last.empty()) return {};
  rows.insert(rows.end(), last.begin(), last.end());
  return rows;
}

std::vector<std::uint64_t> SplitSequence::segments(int n) const {
  std::vector<std::uint64_t> sizes = first_->segments(n);
  const std::vector<std::uint64_t> last = last_->segments(n);
  sizes.insert(sizes.end(), last.begin(), last.end());
  return sizes;
}

int SplitSequence::truncate_state(int n) noexcept {
  return last_->truncate(first_->truncate(n));
}

std::optional<std::size_t> SplitSequence::restore_state(StoredBlock& stored,
                                                        std::span<const Token> tokens) {
  const std::size_t n_first = sum(first_->segments(stored.n_stored()));
  const std::size_t n_all = n_first + sum(last_->segments(stored.n_stored()));
  if (stored.payload().size() != n_all) return std::nullopt;
  const int n_before = n_tokens();
  const auto part = [&](std::span<const std::byte> bytes) {
    return BorrowedBlock(bytes, stored.n_stored(), stored.n_tokens());
  };
  BorrowedBlock of_first = part(stored.payload().first(n_first));
  BorrowedBlock of_last = part(stored.payload().subspan(n_first));
  const auto copied = first_->restore(of_first, tokens);
  if (!copied) return std::nullopt;
  try {
    const auto also = last_->restore(of_last, tokens);
    if (also) return *copied + *also;
  } catch (...) {
    first_->truncate(n_before);
    throw;
  }
  first_->truncate(n_before);
  return std::nullopt;
}

SplitDecoder::SplitDecoder(const Model& model, int n_device, const Processor& processor,
                           const Device& device)
    : first_part_(first_layers(model, model.hparams.n_layer - n_device)),
      last_part_(last_layers(model, n_device)),
      first_(first_part_, processor.table, processor.pool, of_first(processor.options)),
      last_(device.gpu, last_part_, device.options, device.upload) {}

std::unique_ptr<Sequence> SplitDecoder::make_sequence() {
  return std::make_unique<SplitSequence>(sequences_, first_.make_sequence(), last_.make_sequence());
}

RunEnd SplitDecoder::run(std::span<const SequenceRun> runs, kernels::FunctionRef<bool(int)> go_on) {
  runs_of_first_.clear();
  runs_of_last_.clear();
  for (const SequenceRun& run : runs) {
    runs_of_first_.push_back({&own(run).first(), run.tokens, LogitsOf::all_tokens});
    runs_of_last_.push_back({&own(run).last(), run.tokens, run.logits, run.n_top});
  }
  GpuDecoder::make_room(runs_of_last_);
  const RunEnd end = first_.run(runs_of_first_, go_on);
  if (end == RunEnd::lost)
    for (SplitSequence* sequence : sequences_) sequence->follow_first();
  if (end != RunEnd::done) return end;
  rows_.clear();
  for (std::size_t i = 0; i < runs.size(); ++i) rows_.push_back(first_.hidden(i).data());
  last_.run_from(runs_of_last_, rows_, [](int) { return true; });
  for (const SequenceRun& run : runs) own(run).append(run.tokens);
  return RunEnd::done;
}

}  // namespace confab::engine
