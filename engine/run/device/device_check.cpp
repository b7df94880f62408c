// SPDX-License-Identifier: MIT
#include "engine/run/device/device_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>
#include <sstream>
#include <utility>
#include <vector>

#include "engine/cache/decoder.h"

namespace confab::engine {
namespace {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

// Tokens of each timed pass. Passes of one token are compared, except the first, which makes
// programs ready.
constexpr std::array kPasses{1, 2, 1, 1, 12, 1};
static_assert(std::accumulate(kPasses.begin(), kPasses.end(), kSpeedPrompt) == kSpeedTokens);
constexpr Seconds kLongest{2};

constexpr std::string_view kTextVersion = "v3";  // format version of check_text()

struct Side {
  explicit Side(Decoder& of) : decoder(of), sequence(of.make_sequence()) {}

  Seconds run(std::span<const Token> tokens) {
    const auto begin = Clock::now();
    const SequenceRun run{sequence.get(), tokens, LogitsOf::last_token};
    decoder.run({&run, 1}, [](int) { return true; });
    const Seconds time = Clock::now() - begin;
    if (tokens.size() == 1) best = std::min(best, std::exchange(last, time));
    all += time;
    return time;
  }

  // The shortest timed pass, leaving out the first if there are several.
  double seconds() const noexcept { return std::min(best, last).count(); }

  Decoder& decoder;
  std::unique_ptr<Sequence> sequence;
  Seconds best{std::numeric_limits<double>::infinity()}, last = best, all{0};
};

double nmse_of(std::span<const float> found, std::span<const float> expected) {
  double error = 0, square = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    error += std::pow(double{found[i]} - double{expected[i]}, 2);
    square += std::pow(double{expected[i]}, 2);
  }
  const double nmse = error / std::max(square, std::numeric_limits<double>::min());
  return nmse < DeviceCheck::kNotFinite ? nmse : DeviceCheck::kNotFinite;  // also for NaN
}

// The same for the device's best logits alone.
double nmse_of(std::span<const TopLogit> found, std::span<const float> expected) {
  std::vector<float> got, want;
  for (const TopLogit& top : found) {
    const auto id = static_cast<std::size_t>(top.token);
    if (id >= expected.size()) return DeviceCheck::kNotFinite;
    got.push_back(top.logit);
    want.push_back(expected[id]);
  }
  // The processor's best logit must be among them.
  got.push_back(found.empty() ? 0 : found.front().logit);
  want.push_back(*std::ranges::max_element(expected));
  return nmse_of(got, want);
}

// Runs the same passes on both, each with some tokens of all sequences.
class Comparison {
 public:
  Comparison(Decoder& device, Decoder& processor, int n_tokens)
      : there_(device), here_(processor), n_tokens_(n_tokens) {
    for (int i = 0; i < kCheckSequences; ++i) {
      sequences_there_.push_back(device.make_sequence());
      sequences_here_.push_back(processor.make_sequence());
    }
  }

  // n_rows: total over all sequences. n_top: SequenceRun::n_top.
  void run(int n_rows, int n_top = 0) {
    const int n = n_rows / kCheckSequences;
    std::vector<std::vector<Token>> tokens(kCheckSequences);
    std::vector<SequenceRun> runs_here, runs_there;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      for (int k = 0; k < n; ++k) tokens[i].push_back((7 + 31 * n_run_++) % n_tokens_);
      runs_here.push_back({sequences_here_[i].get(), tokens[i], LogitsOf::last_token});
      runs_there.push_back({sequences_there_[i].get(), tokens[i], LogitsOf::last_token, n_top});
    }
    std::vector<double> errors;
    pass(runs_here, runs_there, errors);
    take(errors);
  }
  // Runs a token of each sequence in its own pass.
  void run_alone(int n_top) {
    std::vector<double> errors;
    for (std::size_t i = 0; i < kCheckSequences; ++i) {
      const Token token = (7 + 31 * n_run_++) % n_tokens_;
      const SequenceRun here{sequences_here_[i].get(), {&token, 1}, LogitsOf::last_token};
      const SequenceRun there{sequences_there_[i].get(), {&token, 1}, LogitsOf::last_token, n_top};
      pass({&here, 1}, {&there, 1}, errors);
    }
    take(errors);
  }
  double worst() const noexcept { return worst_; }

 private:
  void pass(std::span<const SequenceRun> here, std::span<const SequenceRun> there,
            std::vector<double>& errors) {
    here_.run(here, [](int) { return true; });
    there_.run(there, [](int) { return true; });
    for (std::size_t i = 0; i < here.size(); ++i)
      errors.push_back(there_.logits(i).empty() ? nmse_of(there_.top(i), here_.logits(i))
                                                : nmse_of(there_.logits(i), here_.logits(i)));
  }
  // Takes the median.
  void take(std::vector<double>& errors) {
    const auto middle = errors.begin() + static_cast<std::ptrdiff_t>(errors.size() / 2);
    std::ranges::nth_element(errors, middle);
    worst_ = std::max(worst_, *middle);
  }

  Decoder& there_;
  Decoder& here_;
  int n_tokens_;
  int n_run_ = 0;
  double worst_ = 0;
  std::vector<std::unique_ptr<Sequence>> sequences_there_, sequences_here_;
};

// Times both sides.
class Timing {
 public:
  Timing(Decoder& device, Decoder& processor, int n_vocab)
      : here_(processor), there_(device), tokens_(kSpeedTokens), left_(tokens_) {
    for (int i = 0; i < kSpeedTokens; ++i)
      tokens_[static_cast<std::size_t>(i)] = (7 + 31 * i) % n_vocab;
  }

  // The next n tokens and the processor's time; empty if they are too many.
  struct Pass {
    std::span<const Token> tokens = {};
    Seconds here{0};
  };
  Pass run(int n) {
    const int n_room = here_.decoder.n_ctx() - here_.sequence->n_tokens();
    if (n > std::min({n_room, there_.decoder.n_batch(), here_.decoder.n_batch()})) return {};
    Pass pass{left_.first(static_cast<std::size_t>(n))};
    left_ = left_.subspan(pass.tokens.size());
    pass.here = here_.run(pass.tokens);
    there_.run(pass.tokens);
    return pass;
  }
  // The device runs it twice, because its programs are ready only the second time.
  void run_prompt(DeviceCheck& check) {
    const Pass pass = run(kSpeedPrompt);
    if (pass.tokens.empty()) return;
    check.processor_prompt_seconds = pass.here.count() / kSpeedPrompt;
    there_.sequence->truncate(there_.sequence->n_tokens() - kSpeedPrompt);
    check.device_prompt_seconds = there_.run(pass.tokens).count() / kSpeedPrompt;
  }
  bool is_long() const noexcept { return here_.all > kLongest; }
  void finish(DeviceCheck& check) const {
    check.device_seconds = there_.seconds();
    check.processor_seconds = here_.seconds();
  }

 private:
  Side here_, there_;
  std::vector<Token> tokens_;
  std::span<const Token> left_;
};

// Sizes of passes that use different programs: single written tokens, with guesses or alongside
// other answers, and ends of prompts. kTop is for the default sampler.
constexpr int kSizes[] = {64, 16, 8, 4, 2, 1};
constexpr int kTop = 40;

// Clocks rise under load for about this long (an H100 takes a fifth of a second).
constexpr Seconds kLongestWarmUp{0.3};
constexpr double kSteady = 0.97;  // faster than this share of the best so far counts as quicker
constexpr int kSteadyPasses = 3;

}  // namespace

int check_rows(int n_expert, int n_expert_used) noexcept {
  constexpr int kFewest = 144, kMost = 3 * 112;
  constexpr int kChoices = 8;  // per expert; from there on, passes sort by expert
  if (n_expert == 0) return kFewest;
  return std::clamp(kChoices * n_expert / n_expert_used + kCheckSequences, kFewest, kMost);
}

double compare_decoders(Decoder& device, Decoder& processor, int n_tokens, int n_rows,
                        const std::function<void()>& on_pass) {
  Comparison comparison(device, processor, n_tokens);
  const auto note = [&on_pass] {
    if (on_pass) on_pass();
  };
  // A prompt in tiles, a prompt in parts, and a few rows; then written tokens, for several answers
  // at once and for each alone.
  for (const int n : {n_rows, 39, 12, 6, 3}) {
    note();
    comparison.run(n);
  }
  for (const int n_top : {0, 8}) {
    note();
    comparison.run_alone(n_top);
  }
  return comparison.worst();
}

DeviceUse DeviceCheck::best_use(bool fit_both) const noexcept {
  // 1: the device is clearly faster; -1: the processor is.
  const auto compare = [](double device, double processor) {
    return (device * kClearly <= processor ? 1 : 0) - (processor * kClearly <= device ? 1 : 0);
  };
  const int writes = compare(device_seconds, processor_seconds);
  const int reads = compare(device_prompt_seconds, processor_prompt_seconds);
  if (fit_both && shares_weights && reads * writes < 0)
    return reads > 0 ? DeviceUse::prompts : DeviceUse::answers;
  const int clear = writes != 0 ? writes : reads;
  const bool is_better = clear != 0 ? clear > 0 : device_seconds < processor_seconds;
  return is_better ? DeviceUse::all : DeviceUse::none;
}

void measure_speeds(Decoder& device, Decoder& processor, int n_vocab, DeviceCheck& check) {
  Timing both(device, processor, n_vocab);
  for (const int n : kPasses) {
    both.run(n);
    if (both.is_long()) break;
  }
  if (!both.is_long()) both.run_prompt(check);
  both.finish(check);
}

std::string speeds_text(const DeviceCheck& check, std::string_view device) {
  const auto of_second = [](double seconds) {
    const double speed = 1 / std::max(seconds, 1e-6);
    return fmt::format("{:.{}f}", speed, speed < 100 ? 1 : 0);
  };
  const std::string there = of_second(check.device_seconds);
  const std::string here = of_second(check.processor_seconds);
  if (check.device_prompt_seconds == 0)
    return fmt::format("measured, {} writes {} tokens a second, and the processor {}", device,
                       there, here);
  return fmt::format(
      "measured, {} reads {} and writes {} tokens a second, and the processor {} and {}", device,
      of_second(check.device_prompt_seconds), there, of_second(check.processor_prompt_seconds),
      here);
}

std::string check_text(const DeviceCheck& check) {
  return fmt::format("{} {} {:d} {} {} {} {} {:d}", kTextVersion, check.nmse, check.without_cores,
                     check.device_seconds, check.processor_seconds, check.device_prompt_seconds,
                     check.processor_prompt_seconds, check.shares_weights);
}

std::optional<DeviceCheck> parse_check(std::string_view text) {
  std::istringstream in{std::string(text)};
  in.imbue(std::locale::classic());
  std::string version;
  DeviceCheck check;
  const bool is_one = static_cast<bool>(in >> version >> check.nmse >> check.without_cores >>
                                        check.device_seconds >> check.processor_seconds >>
                                        check.device_prompt_seconds >>
                                        check.processor_prompt_seconds >> check.shares_weights);
  return is_one && version == kTextVersion && check.nmse >= 0 ? std::optional(check) : std::nullopt;
}

void warm_up(Decoder& decoder, int n_vocab, const std::function<void()>& on_pass) {
  const int n_most = std::min(decoder.n_batch(), decoder.n_ctx());
  std::vector<Token> tokens(static_cast<std::size_t>(n_most));
  for (int i = 0; i < n_most; ++i) tokens[static_cast<std::size_t>(i)] = (7 + 31 * i) % n_vocab;
  const std::unique_ptr<Sequence> sequence = decoder.make_sequence();
  const auto run = [&](int n, int n_top) {
    if (on_pass) on_pass();
    sequence->truncate(0);
    const SequenceRun pass{sequence.get(),
                           {tokens.data(), static_cast<std::size_t>(n)},
                           LogitsOf::last_token,
                           n_top < n_vocab ? n_top : 0};
    const Clock::time_point begin = Clock::now();
    decoder.run({&pass, 1}, [](int) { return true; });
    return Seconds(Clock::now() - begin);
  };
  for (const int n : kSizes)
    if (n <= n_most)
      for (const int n_top : {0, kTop}) run(n, n_top);
  Seconds least = run(n_most, 0), all{0};
  for (int n_steady = 0; n_steady < kSteadyPasses && all < kLongestWarmUp;) {
    const Seconds took = run(n_most, 0);
    n_steady = took < least * kSteady ? 0 : n_steady + 1;
    least = std::min(least, took);
    all += took;
  }
}

}  // namespace confab::engine
