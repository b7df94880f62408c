// SPDX-License-Identifier: MIT
#include "app/nearest.h"

#include <gtest/gtest.h>

#include <array>

namespace confab::app {
namespace {

constexpr auto kNames = std::to_array<std::string_view>(
    {"list", "search", "rename", "pin", "unpin", "/?", "/help", "--continue", "--ctx-size"});

TEST(NearestTest, FindsWhatWasMistyped) {
  for (const auto& [word, name] : {std::pair{"lst", "list"},
                                   {"lsit", "list"},
                                   {"list", "list"},
                                   {"serch", "search"},
                                   {"reanme", "rename"},
                                   {"/hlep", "/help"},
                                   {"--contine", "--continue"},
                                   {"-continue", "--continue"}})
    EXPECT_EQ(nearest(word, kNames), name) << word;
}

TEST(NearestTest, CompletesWhatWasBegun) {
  EXPECT_EQ(nearest("se", kNames), "search");
  EXPECT_EQ(nearest("--cont", kNames), "--continue");
  EXPECT_EQ(nearest("--c", kNames), std::nullopt) << "one letter may begin anything";
}

TEST(NearestTest, NothingIsNearAnythingElse) {
  for (const char* word : {"", "/", "zzz", "/zzz", "x", "llama3", "why", "sea-shells"})
    EXPECT_EQ(nearest(word, kNames), std::nullopt) << word;
  EXPECT_EQ(nearest("list", {}), std::nullopt);
}

}  // namespace
}  // namespace confab::app
