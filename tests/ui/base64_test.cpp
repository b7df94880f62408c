// SPDX-License-Identifier: MIT
#include "ui/base64.h"

#include <gtest/gtest.h>

#include <random>

namespace confab::ui {
namespace {

// RFC 4648, section 10.
TEST(Base64Test, TheVectorsOfTheStandard) {
  const std::pair<const char*, const char*> kVectors[] = {{"", ""},
                                                          {"f", "Zg=="},
                                                          {"fo", "Zm8="},
                                                          {"foo", "Zm9v"},
                                                          {"foob", "Zm9vYg=="},
                                                          {"fooba", "Zm9vYmE="},
                                                          {"foobar", "Zm9vYmFy"}};
  for (const auto& [bytes, text] : kVectors) {
    EXPECT_EQ(to_base64(bytes), text);
    EXPECT_EQ(from_base64(text), bytes);
  }
}

TEST(Base64Test, AnyBytesComeBack) {
  std::mt19937 rng(7);
  for (int n = 0; n < 200; ++n) {
    std::string bytes(static_cast<std::size_t>(n), ' ');
    for (char& c : bytes) c = static_cast<char>(rng());
    EXPECT_EQ(from_base64(to_base64(bytes)), bytes);
  }
}

TEST(Base64Test, WhatIsNoneIsRefused) {
  for (const char* text :
       {"Z", "Zg", "Zg=", "Zh==", "Zm9=", "Z===", "====", "Zm 9", "Zm9v\n", "Z-9v"})
    EXPECT_FALSE(from_base64(text)) << text;
}

}  // namespace
}  // namespace confab::ui
