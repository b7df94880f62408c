// SPDX-License-Identifier: MIT
// Whether a device computes a model as the processor does, and which of them writes faster: a few
// short passes on both. That each of its programs is right is known by then (gpu/self_test); these
// passes, which are measured anyway, are for what is left: weights that arrived as they are, and
// programs that go together.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace confab::engine {

class Decoder;

struct DeviceCheck {
  double nmse = 0;            // of the device's logits, against the processor's
  double device_seconds = 0;  // of a token that is written
  double processor_seconds = 0;

  // What a driver that computes wrongly goes far beyond, and rounding stays far below.
  static constexpr double kMostNmse = 1e-2;
  bool is_right() const noexcept { return nmse <= kMostNmse; }
  bool is_faster() const noexcept { return device_seconds < processor_seconds; }
};

// Both of the same model and n_ctx; passes that are too long for them are left out. Ends early,
// after at least one pass, when the processor has taken two seconds. Throws what they do.
inline constexpr int kCheckTokens = 20;  // in all, at most
DeviceCheck check_device(Decoder& device, Decoder& processor, int n_vocab);

// "measured, NAME writes 210 tokens a second, and the processor 15.2".
std::string speeds_text(const DeviceCheck& check, std::string_view device);

// As a store remembers it; nullopt: it is none.
std::string check_text(const DeviceCheck& check);
std::optional<DeviceCheck> parse_check(std::string_view text);

}  // namespace confab::engine
