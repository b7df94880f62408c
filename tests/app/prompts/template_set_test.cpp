// SPDX-License-Identifier: MIT
#include "app/prompts/template_set.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/temp_dir.h"

namespace confab::app {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(TemplateSetTest, WithoutAFolderThereAreTheBuiltInOnes) {
  const TemplateSet set = TemplateSet::load("/nowhere");
  EXPECT_THAT(set.faults(), IsEmpty());
  ASSERT_NE(set.find("review"), nullptr);
  EXPECT_EQ(set.find("reveiw"), nullptr);
  EXPECT_NE(set.find("code"), nullptr);
  EXPECT_EQ(set.find_command("code"), nullptr);  // a class
  for (const PromptTemplate* one : set.commands()) EXPECT_NE(one->name, "chat");
}

TEST(TemplateSetTest, FilesReplaceWhatIsBuiltIn) {
  const TempDir dir;
  dir.file("review.toml", "description = 'mine'");
  dir.file("standup.toml", "instruction = 'What did I do?'");
  dir.file("notes.txt", "not a template");
  const TemplateSet set = TemplateSet::load(dir.path());
  EXPECT_THAT(set.faults(), IsEmpty());
  EXPECT_EQ(set.find("review")->description, "mine");
  EXPECT_FALSE(set.find("review")->is_built_in());
  ASSERT_NE(set.find_command("standup"), nullptr);
  std::vector<std::string> names;
  for (const PromptTemplate& one : set.all()) names.push_back(one.name);
  EXPECT_TRUE(std::ranges::is_sorted(names));
}

TEST(TemplateSetTest, AFileThatIsWrongDoesNotStopTheOthers) {
  const TempDir dir;
  const std::string wrong = dir.file("review.toml", "temprature = 1");
  dir.file("standup.toml", "instruction = 'x'");
  const TemplateSet set = TemplateSet::load(dir.path());
  EXPECT_THAT(set.faults(),
              ElementsAre(wrong + ":1: no key 'temprature'; did you mean temperature?"));
  EXPECT_EQ(set.fault_of("review"), set.faults().front());
  EXPECT_EQ(set.fault_of("standup"), "");
  EXPECT_TRUE(set.find("review")->is_built_in());
  EXPECT_NE(set.find("standup"), nullptr);
}

TEST(TemplateSetTest, NamesOfCommandsAreRefused) {
  const TempDir dir;
  const std::string search = dir.file("search.toml", "instruction = 'x'");
  dir.file("undo.toml", "");
  dir.file("auto.toml", "");
  dir.file("My Own.toml", "");
  const TemplateSet set = TemplateSet::load(dir.path());
  EXPECT_EQ(set.faults().size(), 4U);
  EXPECT_THAT(set.faults(),
              Contains(search + ": search is a word of confab's own; give the file another name"));
  EXPECT_THAT(set.fault_of("My Own"), HasSubstr("small letters, digits and dashes"));
  EXPECT_EQ(set.find("search"), nullptr);
}

TEST(TemplateSetTest, AFolderThatIsCalledLikeATemplateCannotBeRead) {
  const TempDir dir;
  dir.file("odd.toml/inside.txt", "x");
  EXPECT_THAT(TemplateSet::load(dir.path()).fault_of("odd"), HasSubstr("cannot be read"));
}

}  // namespace
}  // namespace confab::app
