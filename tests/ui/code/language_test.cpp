// SPDX-License-Identifier: MIT
#include "ui/code/language.h"

#include <gtest/gtest.h>

#include <set>
#include <sstream>
#include <string>

namespace confab::ui {
namespace {

std::vector<std::string> words(std::string_view list) {
  std::istringstream in{std::string(list)};
  std::vector<std::string> out;
  for (std::string word; in >> word;) out.push_back(word);
  return out;
}

std::string named(std::string_view info) {
  const Language* language = find_language(info);
  return language == nullptr ? "" : words(language->names).front();
}

TEST(FindLanguageTest, KnowsTheNamesThatFencesUse) {
  const std::pair<const char*, const char*> names[] = {{"py", "python"},
                                                       {"js", "javascript"},
                                                       {"jsx", "javascript"},
                                                       {"tsx", "typescript"},
                                                       {"c++", "cpp"},
                                                       {"C#", "csharp"},
                                                       {"cs", "csharp"},
                                                       {"golang", "go"},
                                                       {"rs", "rust"},
                                                       {"rb", "ruby"},
                                                       {"kt", "kotlin"},
                                                       {"bash", "sh"},
                                                       {"zsh", "sh"},
                                                       {"console", "console"},
                                                       {"ps1", "powershell"},
                                                       {"yml", "yaml"},
                                                       {"md", "markdown"},
                                                       {"Dockerfile", "dockerfile"},
                                                       {"make", "makefile"},
                                                       {"patch", "diff"},
                                                       {"tex", "latex"},
                                                       {"objective-c", "objective-c"},
                                                       {"ex", "elixir"},
                                                       {"jl", "julia"},
                                                       {"asm", "assembly"},
                                                       {"postgresql", "sql"},
                                                       {"scss", "css"},
                                                       {"svg", "html"},
                                                       {"R", "r"},
                                                       {"hs", "haskell"},
                                                       {"ini", "ini"},
                                                       {"toml", "toml"}};
  for (const auto& [info, name] : names) EXPECT_EQ(named(info), name) << info;
}

TEST(FindLanguageTest, ReadsInfoStrings) {
  EXPECT_EQ(named("python title=\"x.js\""), "python");
  EXPECT_EQ(named("  Rust,ignore"), "rust");
  EXPECT_EQ(named("{.haskell .numberLines}"), "haskell");
  EXPECT_EQ(named("js{1,3-5}"), "javascript");
  EXPECT_EQ(named("src/main.go"), "go");
  EXPECT_EQ(named("CMakeLists.txt"), "cmake");
}

TEST(FindLanguageTest, GuessesNothing) {
  for (const char* info : {"", " ", "text", "txt", "plaintext", "nonsense", ".", "{}"})
    EXPECT_EQ(find_language(info), nullptr) << info;
  EXPECT_EQ(find_language(std::string(1000, 'a')), nullptr);
  EXPECT_EQ(find_language("\xff\x80"), nullptr);
}

TEST(LanguageDataTest, NamesAreUniqueAndInLowerCase) {
  std::set<std::string> seen;
  for (const Language& language : data::languages())
    for (const std::string& name : words(language.names)) {
      EXPECT_TRUE(seen.insert(name).second) << name;
      EXPECT_EQ(name.find_first_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ,{}:;"), std::string::npos) << name;
    }
}

// A scanner that met a string without an end mark would never leave it, one without a word's
// characters would never find the word.
TEST(LanguageDataTest, TablesAreWhole) {
  for (const Language& language : data::languages()) {
    for (const Enclosed& rule : language.enclosed) {
      if (rule.marks != Enclosed::Marks::fixed) continue;
      EXPECT_FALSE(rule.open.empty()) << language.names;
      EXPECT_FALSE(rule.close.empty()) << language.names << rule.open;
    }
    for (const std::string_view list : {language.keywords, language.types, language.constants})
      for (const std::string& word : words(list)) {
        EXPECT_LE(word.size(), 32U) << word;
        EXPECT_TRUE(word_role(language, word)) << language.names << ' ' << word;
      }
    for (const std::string& word : words(language.binders))
      EXPECT_EQ(word_role(language, word), Role::code_keyword) << language.names << ": " << word;
  }
}

TEST(WordRoleTest, ComesFromTheLists) {
  const Language& python = *find_language("python");
  EXPECT_EQ(word_role(python, "def"), Role::code_keyword);
  EXPECT_EQ(word_role(python, "int"), Role::code_type);
  EXPECT_EQ(word_role(python, "None"), Role::code_number);
  EXPECT_EQ(word_role(python, "Def"), std::nullopt);
  EXPECT_EQ(word_role(python, ""), std::nullopt);
  EXPECT_EQ(word_role(python, std::string(100, 'd')), std::nullopt);
}

TEST(WordRoleTest, IgnoresCaseWhereTheLanguageDoes) {
  const Language& sql = *find_language("sql");
  for (const char* word : {"select", "SELECT", "Select"})
    EXPECT_EQ(word_role(sql, word), Role::code_keyword) << word;
}

}  // namespace
}  // namespace confab::ui
