// SPDX-License-Identifier: MIT
// The speed of a model on a graphics processor: a prompt, rows that are decoded together, and one
// by one; with --times, where the time of each goes, program by program, what each reads of the
// weights, and how many instructions it has.
//   gpu_speed MODEL [--device N] [--times] [--depth TOKENS] [--top K]
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
using kernels::vulkan::Commands;
using kernels::vulkan::Shader;

constexpr int kPrompt = 512;
constexpr int kMostRows = 8;

struct Options {
  std::string model;
  int device = 0;
  int depth = 0;
  int n_top = 0;
  bool times = false;
};

const char* name_of(Shader shader) {
  switch (shader) {
    case Shader::activate:
      return "activate";
    case Shader::attention:
      return "attention";
    case Shader::embed:
      return "embed";
    case Shader::logits:
      return "logits";
    case Shader::matmul:
      return "matmul";
    case Shader::matvec:
      return "matvec";
    case Shader::norm:
      return "norm";
    case Shader::rope_append:
      return "rope_append";
    case Shader::combine:
      return "combine";
    case Shader::gather:
      return "gather";
    case Shader::group:
      return "group";
    case Shader::matmul_cores:
      return "matmul_cores";
    case Shader::route:
      return "route";
    case Shader::top:
      return "top";
  }
  return "?";
}

class Bench {
 public:
  Bench(GpuDecoder& decoder, const Options& options) : decoder_(decoder), options_(options) {}

  // A device that was idle takes seconds until its clocks are up.
  void warm_up() {
    std::vector<std::unique_ptr<Sequence>> sequences;
    sequences.push_back(decoder_.make_sequence());
    for (const auto end = Clock::now() + std::chrono::seconds(3); Clock::now() < end;) {
      pass(sequences, 0, kPrompt);
      sequences.front()->truncate(0);
    }
  }

  // Each of n sequences goes on by n_tokens, `repetitions` times.
  void measure(const std::string& what, int n_sequences, int n_tokens, int repetitions, int depth) {
    std::vector<std::unique_ptr<Sequence>> sequences;
    for (int i = 0; i < n_sequences; ++i) {
      sequences.push_back(decoder_.make_sequence());
      for (int n = depth; n > 0; n -= kPrompt) pass(sequences, i, std::min(n, kPrompt));
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
    if (!options_.times) return;
    print_reads();
    print_times();
  }

 private:
  void pass(std::vector<std::unique_ptr<Sequence>>& sequences, int only, int n_tokens) {
    tokens_.assign(static_cast<std::size_t>(n_tokens), 0);
    for (Token& token : tokens_)
      token = static_cast<Token>(next_ = (next_ * 75 + 74) % 65537) % 997;
    std::vector<SequenceRun> runs;
    for (std::size_t i = 0; i < sequences.size(); ++i)
      if (only < 0 || i == static_cast<std::size_t>(only))
        runs.push_back({sequences[i].get(), tokens_, LogitsOf::last_token, options_.n_top});
    decoder_.run(runs, [](int) { return true; });
  }

  void print_reads() {
    struct Reads {
      int n = 0, n_instructions = 0;
      std::uint64_t n_bytes = 0;
    };
    std::map<std::string, Reads> programs;
    for (const Commands::Dispatch& dispatch : decoder_.dispatches()) {
      Reads& reads = programs[name_of(dispatch.shader)];
      ++reads.n;
      reads.n_instructions = std::max(reads.n_instructions, dispatch.n_instructions);
      reads.n_bytes += dispatch.weight_bytes;
    }
    for (const auto& [name, reads] : programs)
      fmt::print("{:>28} {:5} x, {:9.3f} MB of weights, {:5} instructions\n", name, reads.n,
                 static_cast<double>(reads.n_bytes) / 1e6, reads.n_instructions);
  }

  void print_times() {
    std::map<std::string, std::pair<int, double>> sums;
    double all = 0;
    for (const Commands::Time& time : decoder_.times()) {
      auto& [n, sum] = sums[name_of(time.shader)];
      ++n;
      sum += time.nanoseconds;
      all += time.nanoseconds;
    }
    for (const auto& [name, sum] : sums)
      fmt::print("{:>28} {:5} x {:8.2f} us = {:9.1f} us {:5.1f} %\n", name, sum.first,
                 sum.second / sum.first / 1e3, sum.second / 1e3, 100 * sum.second / all);
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
  const int n_ctx = options.depth + kPrompt + 256;
  kernels::ThreadPool team(kernels::usable_cores());
  const auto begin = Clock::now();
  GpuDecoder decoder(gpu, model,
                     {.n_ctx = n_ctx,
                      .n_pages = kMostRows * count_blocks(n_ctx),
                      .n_logits = kMostRows,
                      .timed = options.times},
                     {.team = &team});
  const std::chrono::duration<double> took = Clock::now() - begin;
  fmt::print("{} on {}, {}: {:.2f} GB of weights, there in {:.1f} s\n", options.model, gpu.name,
             gpu.driver, static_cast<double>(model.weights.n_bytes) / 1e9, took.count());
  Bench bench(decoder, options);
  bench.warm_up();
  bench.measure("prompt 512", 1, kPrompt, 10, options.depth);
  bench.measure("8 rows", kMostRows, 1, 32, options.depth);
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
