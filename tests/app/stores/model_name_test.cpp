// SPDX-License-Identifier: MIT
#include "app/stores/model_name.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace confab::app {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

FoundModel of(const std::string& name, std::vector<std::string> also = {}) {
  return {.name = name, .path = "/m/" + name, .also = std::move(also)};
}

const std::vector<FoundModel> kModels = {
    of("alpha-1b.gguf"),
    of("alpha-8b.gguf"),
    of("beta:latest"),
    of("beta-large:latest"),
    of("hf.co/you/beta:Q4_0"),
    of("org/Qwen3-8B-GGUF/Qwen3-8B-IQ4_NL.gguf"),
    of("org/Qwen3-8B-GGUF/Qwen3-8B-Q4_K_M.gguf"),
    of("org/Qwen3-8B-GGUF/Qwen3-8B-Q8_0.gguf"),
    of("org/Split/BF16/Split-BF16-00001-of-00002.gguf"),
    of("org/small/small-Q8_0.gguf", {"tiny:v1"}),
    of("org/small/small-f16.gguf"),
};

std::vector<std::string> found(std::string_view name) {
  std::vector<std::string> names;
  for (const FoundModel* model : models_called(name, kModels)) names.push_back(model->name);
  return names;
}

TEST(ModelNameTest, TheWholeNameWins) {
  EXPECT_THAT(found("alpha-1b.gguf"), ElementsAre("alpha-1b.gguf"));
  EXPECT_THAT(found("beta:latest"), ElementsAre("beta:latest"));
  EXPECT_THAT(found("tiny:v1"), ElementsAre("org/small/small-Q8_0.gguf"));
}

TEST(ModelNameTest, CaseDoesNotMatterAndLatestNeedNotBeSaid) {
  EXPECT_THAT(found("ALPHA-1B.gguf"), ElementsAre("alpha-1b.gguf"));
  EXPECT_THAT(found("beta"), ElementsAre("beta:latest"));
  EXPECT_THAT(found("Beta-Large"), ElementsAre("beta-large:latest"));
}

TEST(ModelNameTest, TheNameOfTheFileIsEnough) {
  EXPECT_THAT(found("qwen3-8b-q8_0.gguf"), ElementsAre("org/Qwen3-8B-GGUF/Qwen3-8B-Q8_0.gguf"));
  EXPECT_THAT(found("small-f16"), ElementsAre("org/small/small-f16.gguf"));
  EXPECT_THAT(found("alpha-8b"), ElementsAre("alpha-8b.gguf"));
}

TEST(ModelNameTest, AFolderIsCalledByItsRepositoryOrAPartOfThat) {
  const std::vector<FoundModel> models = {of("org/Folder-8B"), of("org/Folder-8B-GGUF/f.gguf"),
                                          of("mlx/Other-4bit")};
  for (const char* name : {"org/Folder-8B", "hf.co/org/folder-8b", "ORG/FOLDER-8B", "folder-8b"}) {
    const auto called = models_called(name, models);
    ASSERT_EQ(called.size(), 1u) << name;
    EXPECT_EQ(called.front()->name, "org/Folder-8B") << name;
  }
  EXPECT_EQ(models_called("other", models).at(0)->name, "mlx/Other-4bit");
  EXPECT_THAT(models_called("org/Folder-8B:Q8_0", models), IsEmpty());
}

TEST(ModelNameTest, ATagChoosesTheNumberFormatInARepository) {
  EXPECT_THAT(found("org/Qwen3-8B-GGUF:Q8_0"), ElementsAre("org/Qwen3-8B-GGUF/Qwen3-8B-Q8_0.gguf"));
  EXPECT_THAT(found("ORG/qwen3-8b-gguf:q4_k_m"),
              ElementsAre("org/Qwen3-8B-GGUF/Qwen3-8B-Q4_K_M.gguf"));
  EXPECT_THAT(found("hf.co/org/Qwen3-8B-GGUF:IQ4_NL"),
              ElementsAre("org/Qwen3-8B-GGUF/Qwen3-8B-IQ4_NL.gguf"));
  EXPECT_THAT(found("org/split:bf16"),
              ElementsAre("org/Split/BF16/Split-BF16-00001-of-00002.gguf"));
  EXPECT_THAT(found("org/Qwen3-8B-GGUF:Q4_NL"), IsEmpty());  // a part of another type's name
  EXPECT_THAT(found("org/Qwen3-8B-GGUF:Q5_K_M"), IsEmpty());
}

TEST(ModelNameTest, WithoutATagTheUsualFormatsComeFirst) {
  EXPECT_THAT(found("org/Qwen3-8B-GGUF"), ElementsAre("org/Qwen3-8B-GGUF/Qwen3-8B-Q4_K_M.gguf"));
  EXPECT_THAT(found("org/small"), ElementsAre("org/small/small-Q8_0.gguf"));
  EXPECT_THAT(found("org/split"), ElementsAre("org/Split/BF16/Split-BF16-00001-of-00002.gguf"));
}

TEST(ModelNameTest, PartsAndWordsWillDo) {
  EXPECT_THAT(found("8b.g"), ElementsAre("alpha-8b.gguf"));
  EXPECT_THAT(found("ALPHA"), ElementsAre("alpha-1b.gguf", "alpha-8b.gguf"));
  EXPECT_THAT(found("qwen3 q8_0"), ElementsAre("org/Qwen3-8B-GGUF/Qwen3-8B-Q8_0.gguf"));
  EXPECT_THAT(found("iq4_nl qwen3"), ElementsAre("org/Qwen3-8B-GGUF/Qwen3-8B-IQ4_NL.gguf"));
  EXPECT_THAT(found("gamma"), IsEmpty());
  EXPECT_THAT(found(""), IsEmpty());
  EXPECT_THAT(found(" - "), IsEmpty());
}

TEST(ModelNameTest, FilesAreNotGuessedAt) {
  for (const char* name : {"8b.gguf", "./alpha", "/m/alpha", "~/alpha-1b", "../alpha-1b.gguf"})
    EXPECT_THAT(found(name), IsEmpty()) << name;
}

TEST(ModelNameTest, FaultsSayWhatThereIs) {
  EXPECT_EQ(ambiguity_text("alpha", models_called("alpha", kModels)),
            "'alpha' matches 2 models: alpha-1b.gguf, alpha-8b.gguf; give more of the name");
  EXPECT_THAT(ambiguity_text("g", models_called("g", kModels)), HasSubstr(", ...; give more"));
  EXPECT_EQ(unknown_text("org/small:Q5_K_M", kModels),
            "no model 'org/small:Q5_K_M': of that repository there is small-Q8_0.gguf, "
            "small-f16.gguf here");
  EXPECT_EQ(unknown_text("alhpa-1b.gguf", kModels),
            "no model 'alhpa-1b.gguf': give a GGUF file, or a name that confab models lists; did "
            "you mean alpha-1b.gguf?");
  EXPECT_EQ(unknown_text("zzz", {}),
            "no model 'zzz': give a GGUF file, or a name that confab models lists");
}

}  // namespace
}  // namespace confab::app
