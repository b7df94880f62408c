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

using Seconds = std::chrono::duration<double>;

// Tokens of each pass; those of one are timed, but for the first, which makes programs ready.
constexpr std::array kPasses{1, 2, 1, 1, 12, 1};
static_assert(std::accumulate(kPasses.begin(), kPasses.end(), kCheckPrompt) == kCheckTokens);
constexpr Seconds kLongest{2};

constexpr std::string_view kTextVersion = "v2";  // of check_text()

struct Side {
  explicit Side(Decoder& of) : decoder(of), sequence(of.make_sequence()) {}

  Seconds run(std::span<const Token> tokens) {
    const auto begin = std::chrono::steady_clock::now();
    const SequenceRun run{sequence.get(), tokens, LogitsOf::last_token};
    decoder.run({&run, 1}, [](int) { return true; });
    const Seconds time = std::chrono::steady_clock::now() - begin;
    if (tokens.size() == 1) best = std::min(best, std::exchange(last, time));
    all += time;
    return time;
  }

  // The least of the timed passes; of all there were, when that is one.
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
  return std::isnan(nmse) ? std::numeric_limits<double>::infinity() : nmse;
}

// The same passes on both.
class Check {
 public:
  Check(Decoder& device, Decoder& processor, int n_vocab)
      : here_(processor), there_(device), tokens_(kCheckTokens), left_(tokens_) {
    for (int i = 0; i < kCheckTokens; ++i)
      tokens_[static_cast<std::size_t>(i)] = (7 + 31 * i) % n_vocab;
  }

  // The next n tokens, and how long the processor took; none: they are too many.
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
    check_.nmse = std::max(check_.nmse, nmse_of(there_.decoder.logits(0), here_.decoder.logits(0)));
    return pass;
  }
  // The device runs it once more, when its programs are ready.
  void run_prompt() {
    const Pass pass = run(kCheckPrompt);
    if (pass.tokens.empty()) return;
    check_.processor_prompt_seconds = pass.here.count() / kCheckPrompt;
    there_.sequence->truncate(there_.sequence->n_tokens() - kCheckPrompt);
    check_.device_prompt_seconds = there_.run(pass.tokens).count() / kCheckPrompt;
  }
  bool is_long() const noexcept { return here_.all > kLongest; }
  DeviceCheck found() const {
    DeviceCheck check = check_;
    check.device_seconds = there_.seconds();
    check.processor_seconds = here_.seconds();
    return check;
  }

 private:
  Side here_, there_;
  DeviceCheck check_;
  std::vector<Token> tokens_;
  std::span<const Token> left_;
};

}  // namespace

DeviceUse DeviceCheck::best_use(bool fit_both) const noexcept {
  // Above 0: the device is clearly faster, below: the processor.
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

DeviceCheck check_device(Decoder& device, Decoder& processor, int n_vocab) {
  Check both(device, processor, n_vocab);
  for (const int n : kPasses) {
    both.run(n);
    if (both.is_long()) break;
  }
  if (!both.is_long()) both.run_prompt();
  return both.found();
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
  return fmt::format("{} {} {} {} {} {} {:d}", kTextVersion, check.nmse, check.device_seconds,
                     check.processor_seconds, check.device_prompt_seconds,
                     check.processor_prompt_seconds, check.shares_weights);
}

std::optional<DeviceCheck> parse_check(std::string_view text) {
  std::istringstream in{std::string(text)};
  in.imbue(std::locale::classic());
  std::string version;
  DeviceCheck check;
  in >> version >> check.nmse;
  const bool is_one = static_cast<bool>(in >> check.device_seconds >> check.processor_seconds >>
                                        check.device_prompt_seconds >>
                                        check.processor_prompt_seconds >> check.shares_weights);
  return is_one && version == kTextVersion && check.nmse >= 0 ? std::optional(check) : std::nullopt;
}

}  // namespace confab::engine
