// SPDX-License-Identifier: MIT
#include "engine/run/device/device_choice.h"

#include <fmt/format.h>

#include <charconv>

namespace confab::engine {
namespace {

constexpr std::string_view kNumbered = "vulkan:";
constexpr int kMostDevices = 64;

}  // namespace

std::optional<DeviceChoice> parse_device(std::string_view text) {
  using enum DeviceChoice::Kind;
  if (text == "auto") return DeviceChoice{automatic};
  if (text == "cpu") return DeviceChoice{cpu};
  if (text == "vulkan") return DeviceChoice{vulkan};
  if (!text.starts_with(kNumbered)) return std::nullopt;
  text.remove_prefix(kNumbered.size());
  int index = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), index);
  const bool is_number = error == std::errc{} && end == text.data() + text.size();
  if (!is_number || index < 0 || index >= kMostDevices) return std::nullopt;
  return DeviceChoice{vulkan, index};
}

std::string device_text(const DeviceChoice& choice) {
  switch (choice.kind) {
    case DeviceChoice::Kind::automatic:
      return "auto";
    case DeviceChoice::Kind::cpu:
      return "cpu";
    case DeviceChoice::Kind::vulkan:
      break;
  }
  return choice.index == 0 ? "vulkan" : fmt::format("{}{}", kNumbered, choice.index);
}

}  // namespace confab::engine
