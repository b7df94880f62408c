// SPDX-License-Identifier: MIT
// On what a model is to be run, as a person says it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace confab::engine {

struct DeviceChoice {
  // automatic: the faster one of the processor and the first graphics processor.
  enum class Kind { automatic, cpu, vulkan };
  Kind kind = Kind::automatic;
  int index = 0;  // of vulkan: as kernels::vulkan::list_gpus() has them
  bool operator==(const DeviceChoice&) const = default;
};

// Of "auto", "cpu", "vulkan" and "vulkan:N"; nullopt: it is none of them.
std::optional<DeviceChoice> parse_device(std::string_view text);
// The other way round.
std::string device_text(const DeviceChoice& choice);
// All that parse_device() takes, in words.
inline constexpr std::string_view kDeviceWords =
    "auto, cpu, vulkan or vulkan:N (confab devices lists them)";

}  // namespace confab::engine
