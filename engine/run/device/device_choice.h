// SPDX-License-Identifier: MIT
// The device that a model should run on, in the user's words.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace confab::engine {

struct DeviceChoice {
  // automatic: the faster of the processor and the first graphics processor.
  enum class Kind { automatic, cpu, vulkan };
  Kind kind = Kind::automatic;
  int index = 0;  // for vulkan: index in kernels::vulkan::list_gpus()
  bool operator==(const DeviceChoice&) const = default;
};

// Parses "auto", "cpu", "vulkan" or "vulkan:N"; nullopt if the text is something else.
std::optional<DeviceChoice> parse_device(std::string_view text);
// The reverse of parse_device().
std::string device_text(const DeviceChoice& choice);
// The forms that parse_device() accepts, for messages.
inline constexpr std::string_view kDeviceWords =
    "auto, cpu, vulkan or vulkan:N (confab devices lists them)";

}  // namespace confab::engine
