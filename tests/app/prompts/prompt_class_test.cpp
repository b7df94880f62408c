// SPDX-License-Identifier: MIT
#include "app/prompts/prompt_class.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <vector>

namespace confab::app {
namespace {

using testing::HasSubstr;
using Names = std::vector<std::string>;

std::string class_name(const std::string& prompt, const Names& files = {}) {
  const Classed classed = class_of(prompt, files);
  return classed.is ? std::string(name_of(*classed.is)) : "in doubt";
}

TEST(PromptClassTest, NamesAreFoundAgain) {
  for (const PromptClass one : kPromptClasses) EXPECT_EQ(find_class(name_of(one)), one);
  EXPECT_EQ(find_class("cod"), std::nullopt);
}

TEST(PromptClassTest, SaysWhy) {
  EXPECT_EQ(class_of("Translate to French: the dog", {}).reason, "it says \"translate\"");
  EXPECT_EQ(class_of("Bonjour !", {}).reason, "it begins with \"bonjour\"");
  EXPECT_EQ(class_of("mend this", Names{"src/a.rs"}).reason, "src/a.rs is attached");
  EXPECT_EQ(class_of("mend:\n```\nx\n```", {}).reason, "it has a code fence");
  EXPECT_EQ(class_of("xyzzy", {}).reason, "nothing in it says what it is");
  EXPECT_EQ(class_of("Summarize and translate this", {}).reason, "it may be several things");
}

TEST(PromptClassTest, TheTextThatIsAskedAboutDoesNotSayWhatIsAsked) {
  EXPECT_EQ(class_name("Translate to German: Please summarize the report for me."), "rewrite");
  EXPECT_EQ(class_name("Summarize this:\nCan you translate it? she asked.\nNo, he said."),
            "summary");
  EXPECT_EQ(class_name("A first line.\nA second one.\n\nFasse das bitte zusammen."), "summary");
}

TEST(PromptClassTest, AccentsCapitalsAndPolitenessDoNotMatter) {
  EXPECT_EQ(class_name("POR FAVOR, ¿PUEDES TRADUCIR ESTO?"), "rewrite");
  EXPECT_EQ(class_name("Könntest du das bitte übersetzen?"), "rewrite");
  EXPECT_EQ(class_name("konntest du das bitte ubersetzen"), "rewrite");
  EXPECT_EQ(class_name("s’il te plaît, résume ce texte"), "summary");
}

TEST(PromptClassTest, AnyBytesAreTaken) {
  EXPECT_EQ(class_name(""), "in doubt");
  EXPECT_EQ(class_name("\xC3"), "in doubt");
  EXPECT_EQ(class_name("\xFF\xC3\xE2\x80"), "in doubt");
  EXPECT_EQ(class_name("要約してください"), "in doubt");
  EXPECT_EQ(class_name(std::string(1 << 20, 'a') + " translate"), "in doubt");
}

// --- tests/data/route/prompts.tsv

struct Labelled {
  std::string set, language, label, prompt;
  Names files;
};

std::string unescaped(const std::string& text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i)
    if (text.compare(i, 2, "\\n") == 0) {
      out += '\n';
      ++i;
    } else {
      out += text[i];
    }
  return out;
}

std::vector<Labelled> labelled_prompts() {
  std::ifstream in(std::filesystem::path(CONFAB_SOURCE_DIR) / "tests/data/route/prompts.tsv");
  std::vector<Labelled> all;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with('#')) continue;
    std::istringstream cells(line);
    Labelled one;
    std::string files, prompt;
    std::getline(cells, one.set, '\t');
    std::getline(cells, one.language, '\t');
    std::getline(cells, one.label, '\t');
    std::getline(cells, files, '\t');
    std::getline(cells, prompt);
    one.prompt = unescaped(prompt);
    std::istringstream names(files);
    for (std::string name; names >> name;) one.files.push_back(name);
    all.push_back(one);
  }
  return all;
}

struct Tally {
  int n = 0, decided = 0, right = 0;
  double share() const { return 100.0 * decided / n; }
  double accuracy() const { return 100.0 * right / decided; }
};

TEST(PromptClassTest, RulesAreRightWhereTheyDecide) {
  std::map<std::string, Tally> tallies;
  for (const Labelled& one : labelled_prompts()) {
    ASSERT_TRUE(find_class(one.label)) << one.prompt;
    const std::string found = class_name(one.prompt, one.files);
    for (const std::string& key : {std::string("all"), one.set, one.language}) {
      Tally& tally = tallies[key];
      ++tally.n;
      if (found == "in doubt") continue;
      ++tally.decided;
      tally.right += found == one.label ? 1 : 0;
    }
  }
  for (const auto& [key, tally] : tallies) {
    RecordProperty(key + "_share_decided", std::to_string(tally.share()));
    RecordProperty(key + "_accuracy", std::to_string(tally.accuracy()));
    printf("%-4s %3d prompts, decided %5.1f %%, right of these %5.1f %%\n", key.c_str(), tally.n,
           tally.share(), tally.accuracy());
  }
  EXPECT_GE(tallies["all"].n, 400);
  for (const char* key : {"all", "tune", "hold", "en", "de", "fr", "es"}) {
    EXPECT_GE(tallies[key].accuracy(), 90) << key;
    EXPECT_GE(tallies[key].share(), 60) << key;
  }
  // Those that were written to be hard are to be left alone rather than taken for something else.
  EXPECT_GE(tallies["late"].accuracy(), 75);
}

}  // namespace
}  // namespace confab::app
