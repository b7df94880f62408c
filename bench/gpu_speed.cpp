// SPDX-License-Identifier: MIT
// The speed of a model on a graphics processor: a prompt, rows that are decoded together, and one
// by one; with --times, of one more pass of each, where its time goes, program by program, what
// each reads of weights and cache, and how many instructions it has.
//   gpu_speed MODEL [--device N] [--times] [--prompt TOKENS] [--depth TOKENS] [--top K]
// With --top, no more than the K best logits of each row come back, as for most answers.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <string>
#include <vector>

#include "engine/gpu/gpu_decoder.h"
#include "engine/model/model.h"
#include "kernels/thread_pool.h"

namespace confab::engine {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kPiece = 512;  // of what comes before
constexpr int kMostRows = 16;

struct Options {
  std::string model;
  int device = 0;
  int n_prompt = kPiece;
  int depth = 0;
  int n_top = 0;
  bool times = false;
};

class Bench {
 public:
  Bench(GpuDecoder& decoder, const Options& options) : decoder_(decoder), options_(options) {}

  // A device that was idle takes seconds until its clocks are up.
  void warm_up() {
    std::vector<std::unique_ptr<Sequence>> sequences;
    sequences.push_back(decoder_.make_sequence());
    for (const auto end = Clock::now() + std::chrono::seconds(3); Clock::now() < end;) {
      pass(sequences, 0, kPiece);
      sequences.front()->truncate(0);
    }
  }

  // Each of n sequences goes on by n_tokens, `repetitions` times.
  void measure(const std::string& what, int n_sequences, int n_tokens, int repetitions, int depth) {
    std::vector<std::unique_ptr<Sequence>> sequences;
    for (int i = 0; i < n_sequences; ++i) {
      sequences.push_back(decoder_.make_sequence());
      for (int n = depth; n > 0; n -= kPiece) pass(sequences, i, std::min(n, kPiece));
    }
    std::vector<double> seconds;
    for (int i = 0; i <= repetitions; ++i) {
      const auto begin = Clock::now();
      pass(sequences, -1, n_tokens);
      const std::chrono::duration<double> took = Clock::now() - begin;
      if (i > 0) seconds.push_back(took.count());  // the first one records
      if (n_tokens > 1)
        for (auto& sequence : sequences) sequence->truncate(depth);
    }
    std::ranges::sort(seconds);
    const double median = seconds[seconds.size() / 2];
    fmt::print("{:>12}: {:10.1f} tokens/s  {:8.3f} ms (least {:.3f})\n", what,
               n_sequences * n_tokens / median, median * 1e3, seconds.front() * 1e3);
    if (options_.times) print_programs(sequences, n_tokens);
  }

 private:
  std::vector<SequenceRun> runs(const std::vector<std::unique_ptr<Sequence>>& sequences, int only,
                                int n_tokens) {
    tokens_.assign(static_cast<std::size_t>(n_tokens), 0);
    for (Token& token : tokens_)
      token = static_cast<Token>(next_ = (next_ * 75 + 74) % 65537) % 997;
    std::vector<SequenceRun> runs;
    for (std::size_t i = 0; i < sequences.size(); ++i)
      if (only < 0 || i == static_cast<std::size_t>(only))
        runs.push_back({sequences[i].get(), tokens_, LogitsOf::last_token, options_.n_top});
    return runs;
  }

  void pass(const std::vector<std::unique_ptr<Sequence>>& sequences, int only, int n_tokens) {
    decoder_.run(runs(sequences, only, n_tokens), [](int) { return true; });
  }

  std::vector<ProgramRun> trace(const std::vector<std::unique_ptr<Sequence>>& sequences,
                                int n_tokens) {
    std::vector<ProgramRun> programs;
    decoder_.trace(runs(sequences, -1, n_tokens), programs);
    return programs;
  }

  // The pass once more, with time stamps.
  void print_programs(const std::vector<std::unique_ptr<Sequence>>& sequences, int n_tokens) {
    struct Sum {
      int n = 0, n_instructions = 0;
      std::uint64_t weight_bytes = 0, cache_bytes = 0;
      double nanoseconds = 0;
    };
    std::map<std::pair<std::string, std::uint64_t>, Sum> sums;  // by what a run reads of weights
    double all = 0;
    for (const ProgramRun& run : trace(sequences, n_tokens)) {
      Sum& sum = sums[{run.program, run.weight_bytes}];
      ++sum.n;
      sum.n_instructions = std::max(sum.n_instructions, run.n_instructions);
      sum.weight_bytes += run.weight_bytes;
      sum.cache_bytes += run.cache_bytes;
      sum.nanoseconds += run.nanoseconds;
      all += run.nanoseconds;
    }
    for (const auto& [key, sum] : sums)
      fmt::print(
          "{:>28} {:5} x {:8.2f} us = {:9.1f} us {:5.1f} %, {:9.3f} MB of weights, {:8.3f} "
          "of the cache, {:5} instructions\n",
          key.first, sum.n, sum.nanoseconds / sum.n / 1e3, sum.nanoseconds / 1e3,
          100 * sum.nanoseconds / all, static_cast<double>(sum.weight_bytes) / 1e6,
          static_cast<double>(sum.cache_bytes) / 1e6, sum.n_instructions);
  }

  GpuDecoder& decoder_;
  const Options& options_;
  std::uint32_t next_ = 1;
  std::vector<Token> tokens_;
};

void run(const Options& options) {
  const auto gpus = kernels::vulkan::list_gpus();
  const auto& gpu = gpus.at(static_cast<std::size_t>(options.device));
  Gguf gguf(options.model);
  Hparams hparams = Hparams::load(gguf);
  Weights weights = Weights::load(gguf, hparams);
  const Model model{std::move(gguf), std::move(hparams), std::move(weights), nullptr};
  const int n_ctx = options.depth + std::max(options.n_prompt, kPiece) + 256;
  kernels::ThreadPool team(kernels::usable_cores());
  const auto begin = Clock::now();
  GpuDecoder decoder(gpu, model,
                     {.n_ctx = n_ctx,
                      .n_pages = kMostRows * count_blocks(n_ctx),
                      .n_batch = std::max(options.n_prompt, kPiece),
                      .n_logits = kMostRows},
                     {.team = &team});
  const std::chrono::duration<double> took = Clock::now() - begin;
  fmt::print("{} on {}, {}: {:.2f} GB of weights, there in {:.1f} s\n", options.model, gpu.name,
             gpu.driver, static_cast<double>(model.weights.n_bytes) / 1e9, took.count());
  Bench bench(decoder, options);
  bench.warm_up();
  bench.measure(fmt::format("prompt {}", options.n_prompt), 1, options.n_prompt, 10, options.depth);
  for (const int n : {4, 8, kMostRows})
    bench.measure(fmt::format("{} rows", n), n, 1, 32, options.depth);
  bench.measure("decode", 1, 1, 64, options.depth);
}

Options parse(std::span<char*> arguments) {
  Options options;
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    const std::string word = arguments[i];
    if (word == "--times")
      options.times = true;
    else if (word == "--device" && i + 1 < arguments.size())
      options.device = std::stoi(arguments[++i]);
    else if (word == "--top" && i + 1 < arguments.size())
      options.n_top = std::stoi(arguments[++i]);
    else if (word == "--prompt" && i + 1 < arguments.size())
      options.n_prompt = std::stoi(arguments[++i]);
    else if (word == "--depth" && i + 1 < arguments.size())
      options.depth = std::stoi(arguments[++i]);
    else
      options.model = word;
  }
  return options;
}

}  // namespace
}  // namespace confab::engine

int main(int argc, char** argv) try {
  confab::engine::run(confab::engine::parse(std::span(argv, static_cast<std::size_t>(argc))));
  return 0;
} catch (const std::exception& error) {
  fmt::print(stderr, "gpu_speed: {}\n", error.what());
  return 1;
}
