// SPDX-License-Identifier: MIT
#include "app/toml_entries.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/option_table.h"

namespace confab::app {
namespace {

using testing::ElementsAre;
using Texts = std::vector<std::string>;

TEST(TomlEntriesTest, AreInTheOrderOfTheirLines) {
  const TomlDocument document = read_toml(
      "z = true\n\na = 'text'\nm = [\n  'one',\n  'two'\n]\n[table]\ninner = 1\nouter = 0.50\n");
  EXPECT_EQ(document.fault, "");
  ASSERT_EQ(document.entries.size(), 4U);
  EXPECT_EQ(document.entries[0].key, "z");
  EXPECT_EQ(document.entries[1].line, 3);
  EXPECT_THAT(std::get<Texts>(document.entries[2].value), ElementsAre("one", "two"));
  const auto& table = std::get<std::vector<TomlEntry>>(document.entries[3].value);
  ASSERT_EQ(table.size(), 2U);
  EXPECT_EQ(table[0].line, 9);
  EXPECT_EQ(std::get<TomlNumber>(table[0].value).text, "1");
  EXPECT_EQ(std::get<TomlNumber>(table[1].value).text, "0.5");
}

TEST(TomlEntriesTest, ANumberWithAPointKeepsIt) {
  const TomlDocument document = read_toml("a = 1.0\nb = [1, 2]\nc = 2026-01-02\n");
  EXPECT_EQ(std::get<TomlNumber>(document.entries[0].value).text, "1.0");
  EXPECT_TRUE(std::holds_alternative<TomlOther>(document.entries[1].value));
  EXPECT_TRUE(std::holds_alternative<TomlOther>(document.entries[2].value));
}

TEST(TomlEntriesTest, TellsWhereItIsNoToml) {
  const TomlDocument document = read_toml("a = 1\nb = = 2\n");
  EXPECT_NE(document.fault, "");
  EXPECT_EQ(document.fault_line, 2);
  EXPECT_TRUE(document.entries.empty());
}

TEST(TomlEntriesTest, AnOptionTakesWhatItsKindIsWrittenAs) {
  const auto texts = [](const char* key, const TomlValue& value) {
    return texts_of(value, find_option(key)->value);
  };
  EXPECT_EQ(texts("temperature", TomlNumber{"0.4"}), Texts{"0.4"});
  EXPECT_EQ(texts("temperature", std::string("0.4")), std::nullopt);
  EXPECT_EQ(texts("mouse", true), Texts{"true"});
  EXPECT_EQ(texts("mouse", std::string("true")), std::nullopt);
  EXPECT_EQ(texts("thinking", std::string("auto")), Texts{"auto"});
  EXPECT_EQ(texts("model", std::string("qwen")), Texts{"qwen"});
  EXPECT_EQ(texts("model", Texts{"qwen"}), std::nullopt);
  EXPECT_EQ(texts("reverse_prompt", std::string("a")), Texts{"a"});
  EXPECT_EQ(texts("reverse_prompt", Texts{"a", "b"}), (Texts{"a", "b"}));
}

}  // namespace
}  // namespace confab::app
