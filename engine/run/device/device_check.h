// SPDX-License-Identifier: MIT
// Whether a device computes a model as the processor does, and which of them writes and reads
// faster: a few short passes on both. That each of its programs is right is known by then
// (gpu/self_test); these passes, which are measured anyway, are for what is left: weights that
// arrived as they are, and programs that go together.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace confab::engine {

class Decoder;

// What of a model a device runs, beside a processor that runs the rest: passes of prompts, or those
// of answers.
enum class DeviceUse { none, all, prompts, answers };

struct DeviceCheck {
  double nmse = 0;            // of the device's logits, against the processor's
  double device_seconds = 0;  // of a token that is written
  double processor_seconds = 0;
  double device_prompt_seconds = 0;  // of a token of a prompt; 0, of both: it was not measured
  double processor_prompt_seconds = 0;
  bool shares_weights = false;  // both read the same memory; told by who made the device

  // What a driver that computes wrongly goes far beyond, and rounding stays far below.
  static constexpr double kMostNmse = 1e-2;
  bool is_right() const noexcept { return nmse <= kMostNmse; }

  // One is clearly faster when the other takes so many times as long: more than few passes on a
  // machine that does something else meanwhile are off by, and than keys and values cost that are
  // handed over (sides_decoder.h).
  static constexpr double kClearly = 1.25;
  // What the device is best for. Where both share the weights, and fit_both, each runs what it is
  // clearly faster at. Else one runs all: who clearly writes faster, or else who clearly reads
  // faster, or else who writes faster.
  DeviceUse best_use(bool fit_both) const noexcept;
};

// Both of the same model and n_ctx; passes that are too long for them are left out. Ends early,
// after at least one pass, when the processor has taken two seconds. Throws what they do.
inline constexpr int kCheckPrompt = 64;                 // tokens of the last pass
inline constexpr int kCheckTokens = 18 + kCheckPrompt;  // in all, at most
DeviceCheck check_device(Decoder& device, Decoder& processor, int n_vocab);

// "measured, NAME reads 900 and writes 210 tokens a second, and the processor 80 and 15.2"; or of
// writing alone.
std::string speeds_text(const DeviceCheck& check, std::string_view device);

// As a store remembers it; nullopt: it is none.
std::string check_text(const DeviceCheck& check);
std::optional<DeviceCheck> parse_check(std::string_view text);

}  // namespace confab::engine
