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
static_assert(std::accumulate(kPasses.begin(), kPasses.end(), 0) <= kCheckTokens);
constexpr Seconds kLongest{2};

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

}  // namespace

DeviceCheck check_device(Decoder& device, Decoder& processor, int n_vocab) {
  std::vector<Token> tokens(kCheckTokens);
  for (int i = 0; i < kCheckTokens; ++i)
    tokens[static_cast<std::size_t>(i)] = (7 + 31 * i) % n_vocab;
  Side here(processor), there(device);
  DeviceCheck check;
  std::span<const Token> left = tokens;
  for (const int n : kPasses) {
    const int n_room = processor.n_ctx() - here.sequence->n_tokens();
    if (n > std::min({n_room, device.n_batch(), processor.n_batch()})) continue;
    const auto pass = left.first(static_cast<std::size_t>(n));
    left = left.subspan(pass.size());
    here.run(pass);
    there.run(pass);
    check.nmse = std::max(check.nmse, nmse_of(device.logits(0), processor.logits(0)));
    if (here.all > kLongest) break;
  }
  check.device_seconds = there.seconds();
  check.processor_seconds = here.seconds();
  return check;
}

std::string speeds_text(const DeviceCheck& check, std::string_view device) {
  const auto of_second = [](double seconds) {
    const double speed = 1 / std::max(seconds, 1e-6);
    return fmt::format("{:.{}f}", speed, speed < 100 ? 1 : 0);
  };
  return fmt::format("measured, {} writes {} tokens a second, and the processor {}", device,
                     of_second(check.device_seconds), of_second(check.processor_seconds));
}

std::string check_text(const DeviceCheck& check) {
  return fmt::format("{} {} {}", check.nmse, check.device_seconds, check.processor_seconds);
}

std::optional<DeviceCheck> parse_check(std::string_view text) {
  std::istringstream in{std::string(text)};
  in.imbue(std::locale::classic());
  DeviceCheck check;
  const bool is_one =
      static_cast<bool>(in >> check.nmse >> check.device_seconds >> check.processor_seconds);
  return is_one && check.nmse >= 0 ? std::optional(check) : std::nullopt;
}

}  // namespace confab::engine
