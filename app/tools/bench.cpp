// SPDX-License-Identifier: MIT
#include "app/tools/bench.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <iostream>
#include <limits>
#include <numeric>
#include <optional>

#include "app/error.h"
#include "app/figures.h"
#include "app/models/inference.h"
#include "app/progress_line.h"
#include "app/tools/bandwidth.h"
#include "app/tools/bench_runs.h"
#include "app/tools/bench_tables.h"
#include "engine/run/draft_loader.h"
#include "engine/run/token_bytes.h"
#include "kernels/vulkan/gpu.h"
#include "ui/text.h"

namespace confab::app {
namespace {

using engine::Token;

constexpr int kPassesOfARun = 10;

// The sources of drafts while an answer is replayed.
struct DraftKind {
  const char* test;
  bool lookup;
  bool guesses;
};

constexpr auto kDraftKinds = std::to_array<DraftKind>({
    {"replay-plain", false, false},
    {"replay", true, false},
    {"replay-draft", false, true},
    {"replay-both", true, true},
});

// Any ids will do, since a transformer's work does not depend on them.
std::vector<Token> some_tokens(int n, int n_vocab) {
  std::vector<Token> tokens(static_cast<std::size_t>(n));
  std::uint32_t state = 1;
  for (Token& token : tokens) {
    state = state * 1664525U + 1013904223U;  // Numerical Recipes' generator
    token = static_cast<Token>((state >> 8) % static_cast<std::uint32_t>(n_vocab));
  }
  return tokens;
}

class Bench {
 public:
  explicit Bench(const BenchOptions& options)
      : options_(options),
        inference_(sized(options), /*all_logits=*/false, head(options)),
        device_(DeviceRun::make(inference_, sized(options), most_parallel(options))) {
    if (device_ && !(options.passes.empty() && options.replay.empty()))
      throw UserError("--passes and --replay are measured on the processor: add --device cpu");
    if (options.kernels && !(device_ && device_->whole_on()))
      throw UserError(
          "--kernels tells what a graphics processor runs, which has to run all layers: add "
          "--device vulkan, without -ngl");
  }

  std::vector<BenchRow> run() {
    std::vector<BenchRow> rows;
    const std::string depth =
        options_.n_depth > 0 ? fmt::format("@d{}", options_.n_depth) : std::string();
    if (options_.n_prompt > 0)
      rows.push_back(
          measure(fmt::format("pp{}{}", options_.n_prompt, depth), options_.n_prompt, 0));
    if (options_.n_gen > 0)
      rows.push_back(measure(fmt::format("tg{}{}", options_.n_gen, depth), 0, options_.n_gen));
    if (!options_.passes.empty()) measure_passes(depth, rows);
    if (!options_.parallel.empty()) measure_parallel(depth, rows);
    if (!options_.replay.empty()) measure_replay(rows);
    return rows;
  }

  // Returns 0 if some layers run on the processor and some on the device.
  double read_gbs() {
    if (!device_)
      return measure_read_gbs(inference_.pool(), inference_.table(), bytes_beyond_caches());
    const std::optional<int> index = device_->whole_on();
    for (const kernels::vulkan::GpuInfo& gpu : kernels::vulkan::list_gpus())
      if (gpu.index == index) return measure_device_gbs(gpu);
    return 0;
  }
  Inference& inference() noexcept { return inference_; }
  // nullptr: runs on the processor.
  const DeviceRun* device() const noexcept { return device_.get(); }

 private:
  // Keeps the model's own head if drafts come from it.
  static engine::NextnHead head(const BenchOptions& options) {
    const ModelOptions& model = options.model;
    const bool drafts = !options.replay.empty() && model.drafts && model.draft.path.empty();
    return drafts ? engine::NextnHead::kept : engine::NextnHead::left_out;
  }

  static int most_parallel(const BenchOptions& options) {
    return options.parallel.empty() ? 1 : std::ranges::max(options.parallel);
  }

  static ModelOptions sized(const BenchOptions& options) {
    ModelOptions model = options.model;
    const int longest = std::ranges::max(options.passes.empty() ? std::vector{0} : options.passes);
    const int needed = options.n_depth + std::max({options.n_prompt, options.n_gen, longest});
    if (model.n_ctx == 0 && options.replay.empty()) model.n_ctx = std::max(needed, 1);
    if (model.n_ctx != 0 && model.n_ctx < needed)
      throw UserError(
          fmt::format("-c {}: too small: depth and test need {} tokens", model.n_ctx, needed));
    return model;
  }

  // The seconds of one run, starting at the requested depth.
  double once(int n_prompt, int n_gen) {
    if (device_)
      device_->truncate(options_.n_depth);
    else
      inference_.cache().truncate(options_.n_depth);
    const int n_vocab = inference_.model().hparams.n_vocab;
    const std::vector<Token> tokens = some_tokens(std::max(n_prompt, n_gen), n_vocab);
    const auto start = std::chrono::steady_clock::now();
    if (device_)
      device_->run(tokens, n_prompt > 0 ? n_prompt : 1, engine::LogitsOf::last_token);
    else if (n_prompt > 0)
      inference_.prefill(tokens, engine::LogitsOf::last_token, [](std::span<const float>) {});
    else
      for (const Token token : tokens) inference_.decode(token);
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }

  void fill_to_depth() {
    if (device_) {
      device_->truncate(0);
      return device_->run(some_tokens(options_.n_depth, inference_.model().hparams.n_vocab),
                          inference_.n_batch(), engine::LogitsOf::none);
    }
    engine::KvCache& cache = inference_.cache();
    cache.truncate(0);
    inference_.prefill(some_tokens(options_.n_depth, inference_.model().hparams.n_vocab),
                       engine::LogitsOf::none, [](std::span<const float>) {});
    if (options_.n_depth > 0) cache.recurrent().checkpoint();
  }

  BenchRow measure(const std::string& test, int n_prompt, int n_gen) {
    fill_to_depth();
    once(n_prompt, std::min(n_gen, 8));  // warms up caches and threads
    std::vector<double> speeds;
    for (int r = 0; r < options_.repetitions; ++r) {
      progress_.show(fmt::format("{}: run {} of {}", test, r + 1, options_.repetitions));
      speeds.push_back(std::max(n_prompt, n_gen) / once(n_prompt, n_gen));
    }
    progress_.clear();
    BenchRow row = summarise(test, n_prompt, n_gen, std::move(speeds));
    if (options_.kernels) add_kernels(row, n_prompt > 0 ? n_prompt : 1);
    return row;
  }

  // Takes the fastest of as many passes as are measured; each is recorded separately.
  void add_kernels(BenchRow& row, int n_tokens) {
    row.n_kernel_tokens = std::min(n_tokens, device_->n_batch());
    const auto tokens = some_tokens(row.n_kernel_tokens, inference_.model().hparams.n_vocab);
    double least = std::numeric_limits<double>::infinity();
    for (int r = 0; r < options_.repetitions; ++r) {
      device_->truncate(options_.n_depth);
      const auto pass = device_->trace(tokens);
      double all = 0;
      for (const engine::ProgramRun& run : pass) all += run.nanoseconds;
      if (all >= least) continue;
      least = all;
      row.kernels = kernel_rows(pass);
    }
  }

  // Passes of all sizes take turns, so that a drifting machine slows each of them equally.
  void measure_passes(const std::string& depth, std::vector<BenchRow>& rows) {
    const std::vector<int>& passes = options_.passes;
    const engine::Model& model = inference_.model();
    const int longest = std::ranges::max(passes);
    engine::Forward forward(
        model, inference_.table(), inference_.pool(), inference_.cache().n_ctx(),
        {.n_batch = longest, .exact = options_.model.exact, .n_logits = longest});
    const std::vector<Token> tokens = some_tokens(longest, model.hparams.n_vocab);
    fill_to_depth();
    std::vector<std::vector<double>> speeds(passes.size());
    progress_.show(fmt::format("passes: {} of each", options_.repetitions * kPassesOfARun));
    for (int run = -1; run < options_.repetitions * kPassesOfARun; ++run) {
      for (std::size_t i = 0; i < passes.size(); ++i) {
        const auto pass = std::span(tokens).first(static_cast<std::size_t>(passes[i]));
        inference_.cache().truncate(options_.n_depth);
        const auto start = std::chrono::steady_clock::now();
        forward.run(inference_.cache(), pass, engine::LogitsOf::all_tokens);
        const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
        if (run >= 0) speeds[i].push_back(passes[i] / time.count());
      }
    }
    progress_.clear();
    model.gguf.check();
    for (std::size_t i = 0; i < passes.size(); ++i) {
      rows.push_back(
          summarise(fmt::format("pass{}{}", passes[i], depth), passes[i], 0, std::move(speeds[i])));
      rows.back().pass = true;
    }
  }

  // Loads the draft model that the options name, or that of the bundled model.
  void load_draft() {
    const engine::LoadOptions load = load_options(options_.model);
    engine::ContextPlan plan = engine::plan_context(inference_.model(), load);
    draft_file_ = engine::load_draft(inference_.model(), plan, load);
    draft_ = engine::make_draft(draft_file_, inference_.table(), inference_.pool(), nullptr);
  }

  Replay replay_once(const DraftKind& kind, engine::Forward& forward, std::span<const Token> prompt,
                     std::span<const Token> answer) {
    if (draft_ != nullptr) draft_->clear();
    engine::DraftSources sources{.lookup = kind.lookup,
                                 .model = kind.guesses ? draft_.get() : nullptr,
                                 .head = kind.guesses && draft_ == nullptr ? &head_ : nullptr,
                                 .model_most = options_.model.draft.most};
    engine::Drafting drafting(static_cast<int>(prompt.size() + answer.size()), sources);
    return replay(inference_, forward, drafting, prompt, answer);
  }

  // The numbers of sequences take turns, as passes do.
  void measure_parallel(const std::string& depth, std::vector<BenchRow>& rows) {
    const std::vector<int>& numbers = options_.parallel;
    const int n_gen = std::max(1, options_.n_gen);
    const std::vector<Token> tokens =
        some_tokens(std::max(options_.n_depth, n_gen), inference_.model().hparams.n_vocab);
    ParallelDecoding decoding(inference_, tokens,
                              {.n_depth = options_.n_depth,
                               .n_gen = n_gen,
                               .n_sequences = std::ranges::max(numbers),
                               .exact = options_.model.exact},
                              device_ ? &device_->decoder() : nullptr);
    std::vector<std::vector<double>> speeds(numbers.size());
    for (int run = 0; run < options_.repetitions; ++run) {
      for (std::size_t i = 0; i < numbers.size(); ++i) {
        progress_.show(
            fmt::format("{} at once: run {} of {}", numbers[i], run + 1, options_.repetitions));
        speeds[i].push_back(numbers[i] * n_gen / decoding.run(numbers[i]).count());
      }
    }
    progress_.clear();
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      rows.push_back(summarise(fmt::format("tg{}x{}{}", n_gen, numbers[i], depth), 0, n_gen,
                               std::move(speeds[i])));
      rows.back().n_parallel = numbers[i];
      rows.back().bytes_per_token /= numbers[i];  // the weights, which make up most of it
    }
  }

  // Runs without and with drafts take turns.
  void measure_replay(std::vector<BenchRow>& rows) {
    const auto prompt = tokens_of_file(inference_.model(), options_.replay[0]);
    const auto answer = tokens_of_file(inference_.model(), options_.replay[1]);
    const int n_prompt = static_cast<int>(prompt.size());
    const int n_answer = static_cast<int>(answer.size());
    if (n_prompt + n_answer > inference_.cache().n_ctx())
      throw UserError(fmt::format("--replay: prompt and answer have {} tokens: use -c {}",
                                  n_prompt + n_answer, n_prompt + n_answer));
    constexpr int kRows = engine::DraftLength::kMost + 1;
    engine::Forward forward(inference_.model(), inference_.table(), inference_.pool(),
                            inference_.cache().n_ctx(),
                            {.n_batch = kRows, .exact = options_.model.exact, .n_logits = kRows});
    load_draft();
    const bool guesses = draft_ != nullptr || inference_.model().hparams.has_nextn_head();
    const auto kinds = std::span(kDraftKinds).first(guesses ? 4 : 2);
    std::array<std::vector<double>, kDraftKinds.size()> speeds;
    std::array<std::vector<Replay>, kDraftKinds.size()> replays;
    for (int run = 0; run < options_.repetitions; ++run) {
      progress_.show(fmt::format("replay: run {} of {}", run + 1, options_.repetitions));
      for (std::size_t i = 0; i < kinds.size(); ++i) {
        replays[i].push_back(replay_once(kinds[i], forward, prompt, answer));
        speeds[i].push_back(n_answer / replays[i].back().time.count());
      }
    }
    progress_.clear();
    for (std::size_t i = 0; i < kinds.size(); ++i) {
      rows.push_back(summarise(kinds[i].test, 0, n_answer, std::move(speeds[i])));
      rows.back().n_prompt = n_prompt;
      const auto middle = replays[i].begin() + static_cast<std::ptrdiff_t>(replays[i].size() / 2);
      std::ranges::nth_element(replays[i], middle, {}, &Replay::processor);
      rows.back().replay = *middle;
    }
  }

  BenchRow summarise(const std::string& test, int n_prompt, int n_gen, std::vector<double> speeds) {
    std::ranges::sort(speeds);
    const auto n = static_cast<double>(speeds.size());
    const double mean = std::accumulate(speeds.begin(), speeds.end(), 0.0) / n;
    double square = 0;
    for (const double s : speeds) square += (s - mean) * (s - mean);
    const std::size_t middle = speeds.size() / 2;
    const double median =
        speeds.size() % 2 == 1 ? speeds[middle] : (speeds[middle - 1] + speeds[middle]) / 2;
    const int n_tokens = std::max(n_prompt, n_gen);
    const int n_chunk = n_prompt > 0 ? std::min(n_prompt, inference_.n_batch()) : 1;
    const double mean_depth = options_.n_depth + n_tokens / 2.0;
    const double bytes =
        engine::weight_bytes_of_run(inference_.model(), n_chunk) +
        engine::memory_bytes_of_token(inference_.model(), inference_.cache().layout(), mean_depth);
    return {.test = test,
            .n_prompt = n_prompt,
            .n_gen = n_gen,
            .n_depth = options_.n_depth,
            .avg_ts = mean,
            .median_ts = median,
            .stddev_ts = speeds.size() > 1 ? std::sqrt(square / (n - 1)) : 0,
            .bytes_per_token = bytes / n_chunk,
            .memory = engine::platform::memory_use()};
  }

  const BenchOptions& options_;
  ProgressLine progress_;
  Inference inference_;
  std::unique_ptr<DeviceRun> device_;  // nullptr: runs on the processor
  engine::LoadedDraft draft_file_;
  std::unique_ptr<engine::DraftModel> draft_;  // nullptr: no draft model
  engine::LikelyToken head_{*inference_.model().tokenizer, inference_.table(),
                            engine::draft_rule(inference_.model(), options_.model.draft)};
};

// Counts the joins of the team in one decoding step: each is a barrier that costs time.
void print_barriers(Inference& inference, std::ostream& out) {
  inference.cache().truncate(0);
  inference.decode(0);
  const std::int64_t before = inference.pool().n_joins();
  inference.decode(0);
  const auto joins = static_cast<double>(inference.pool().n_joins() - before);
  out << fmt::format("barriers per decoded token: {:.0f}, {:.2f} per layer\n", joins,
                     joins / inference.model().hparams.n_layer);
}

}  // namespace

int run_bench(const BenchOptions& options, std::ostream& out, std::ostream& err) {
  Bench bench(options);
  const engine::Model& model = bench.inference().model();
  err << fmt::format("{}: {}{}, {}\n", model.gguf.path(),
                     bench.device() ? ui::one_line(bench.device()->name()) + ", beside it " : "",
                     counted(bench.inference().pool().n_threads(), "thread"),
                     kernels::name(bench.inference().table().isa));
  const std::vector<BenchRow> rows = bench.run();
  // A pass of several tokens reads the weights once, so there is no share of bandwidth to report.
  const bool replays_alone =
      std::ranges::all_of(rows, [](const BenchRow& row) { return row.replay.has_value(); });
  const double read_gbs = replays_alone ? 0 : bench.read_gbs();
  if (options.json)
    print_bench_json(rows, read_gbs, out);
  else
    print_bench_markdown(rows, read_gbs, out);
  if (options.verbose && !bench.device())
    print_barriers(bench.inference(), options.json ? err : out);
  return 0;
}

}  // namespace confab::app
