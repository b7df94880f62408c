// SPDX-License-Identifier: MIT
#include "engine/gpu/split_decoder.h"

#include "engine/model/model.h"

namespace confab::engine {
namespace {

// All rows go on to the device.
CpuDecoder::Options of_first(CpuDecoder::Options options) {
  options.forward.n_logits = options.forward.n_batch;
  return options;
}

SplitSequence& own(const SequenceRun& run) {
  return static_cast<SplitSequence&>(*run.sequence);
}

}  // namespace

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
