// SPDX-License-Identifier: MIT
#include "app/models/listed_models.h"

#include <gtest/gtest.h>

#include "app/error.h"
#include "tests/temp_dir.h"

namespace confab::app {
namespace {

class ListedModelsTest : public ::testing::Test {
 protected:
  Paths paths() const {
    Paths paths;
    paths.config_file = dir_ / "confab/config.toml";
    return paths;
  }
  std::string fault_of(const std::string& text) const {
    dir_.file("confab/suggested.toml", text);
    try {
      load_model_list(paths());
    } catch (const UserError& fault) {
      return std::string(fault.what()).substr((dir_ / "confab/suggested.toml").string().size());
    }
    return {};
  }
  TempDir dir_;
};

TEST_F(ListedModelsTest, WhatIsShippedHasThreeForEveryMachineOfEightGigabytes) {
  const ModelList list = load_model_list(paths());
  EXPECT_EQ(list.file.filename(), "suggested.toml");
  EXPECT_EQ(models_that_fit(list.models, 6'000'000'000).size(), 3U);
  EXPECT_EQ(models_that_fit(list.models, ~std::uint64_t{0}).size(), 3U);
  for (const ListedModel& model : list.models) EXPECT_NE(model.about, "") << model.name;
}

TEST_F(ListedModelsTest, AListOfOnesOwnIsReadInstead) {
  dir_.file("confab/suggested.toml",
            "[\"Mine 1B\"]\npull = \"org/mine:Q8_0\"\ngb = 1.5\nabout = \"mine\"\n[b]\npull = "
            "\"org/b\"\ngb = 2\n");
  const ModelList list = load_model_list(paths());
  ASSERT_EQ(list.models.size(), 2U);
  EXPECT_EQ(list.models[0], (ListedModel{"Mine 1B", "org/mine:Q8_0", 1'500'000'000, "mine"}));
  EXPECT_EQ(models_that_fit(list.models, 1'600'000'000).size(), 1U);
  EXPECT_EQ(models_that_fit(list.models, 1'000'000).size(), 0U);
}

TEST_F(ListedModelsTest, FaultsAreToldWithTheirLine) {
  EXPECT_EQ(fault_of("[a]\npull = \"../x\"\ngb = 1\n"), ":2: pull must be like ORG/NAME:QUANT");
  EXPECT_EQ(fault_of("[a]\npull = \"o/x\"\ngb = \"1\"\n"),
            ":3: gb must be the size of the file in GB, such as 2.8");
  EXPECT_EQ(fault_of("[a]\npull = \"o/x\"\n"), ":1: a needs pull and gb");
  EXPECT_EQ(fault_of("a = 5\n"), ":1: a must be a table");
  EXPECT_EQ(fault_of("[a]\nsize = 1\n"), ":2: no text 'size'; a model has pull, gb, about");
  EXPECT_NE(fault_of("[a\n"), "");
}

}  // namespace
}  // namespace confab::app
