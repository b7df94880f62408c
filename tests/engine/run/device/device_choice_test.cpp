// SPDX-License-Identifier: MIT
#include "engine/run/device/device_choice.h"

#include <gtest/gtest.h>

namespace confab::engine {
namespace {

using Kind = DeviceChoice::Kind;

TEST(DeviceChoiceTest, TextsGoBothWays) {
  const std::pair<const char*, DeviceChoice> cases[] = {{"auto", {Kind::automatic}},
                                                        {"cpu", {Kind::cpu}},
                                                        {"vulkan", {Kind::vulkan}},
                                                        {"vulkan:3", {Kind::vulkan, 3}}};
  for (const auto& [text, choice] : cases) {
    EXPECT_EQ(parse_device(text), choice) << text;
    EXPECT_EQ(device_text(choice), text);
  }
  EXPECT_EQ(parse_device("vulkan:0"), parse_device("vulkan"));
}

TEST(DeviceChoiceTest, WhatIsNoDeviceIsNone) {
  for (const char* text : {"", "gpu", "vulkan:", "vulkan:-1", "vulkan:1x", "vulkan:64", "vulkan0",
                           "vulkan:99999999999", "cpu:1", "CPU"})
    EXPECT_EQ(parse_device(text), std::nullopt) << text;
}

}  // namespace
}  // namespace confab::engine
