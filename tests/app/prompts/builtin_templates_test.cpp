// SPDX-License-Identifier: MIT
#include "app/prompts/template_set.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "app/prompts/prompt_class.h"
#include "app/prompts/prompt_template.h"

namespace confab::app {
namespace {

using testing::IsEmpty;

TEST(BuiltinTemplatesTest, AreRightAndSayWhatTheyAre) {
  for (const BuiltinTemplate& one : builtin_templates()) {
    const ReadTemplate out = read_template(std::string(one.name), std::string(one.source));
    EXPECT_THAT(out.faults, IsEmpty()) << one.name;
    EXPECT_NE(out.read.description, "") << one.name;
  }
}

TEST(BuiltinTemplatesTest, EachClassHasOneThatLeavesTheQuestionAsItIs) {
  for (const PromptClass one : kPromptClasses) {
    const auto found = std::ranges::find(builtin_templates(), name_of(one), &BuiltinTemplate::name);
    ASSERT_NE(found, builtin_templates().end()) << name_of(one);
    const PromptTemplate read = read_template("x", std::string(found->source)).read;
    EXPECT_TRUE(read.instruction.empty() && read.shape.text.empty()) << name_of(one);
    for (const TemplateSetting& setting : read.settings)
      EXPECT_EQ(setting.option->key, "temperature") << name_of(one);
  }
}

}  // namespace
}  // namespace confab::app
