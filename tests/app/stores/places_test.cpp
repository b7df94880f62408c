// SPDX-License-Identifier: MIT
#include "app/stores/places.h"

#include <gtest/gtest.h>

#include "tests/app/stores/fake_home.h"

namespace confab::app {
namespace {

TEST(PlacesTest, AreThoseOfTheBaseDirectoriesUnlessAVariableSaysOtherwise) {
  FakeHome home;
  EXPECT_EQ(home.places().cache(), home.at(".cache"));
  EXPECT_EQ(home.places().data(), home.at(".local/share"));
  EXPECT_EQ(home.places().application_data(), home.at(".local/share"));
  EXPECT_EQ(home.places(true).application_data(), home.at("Library/Application Support"));
  home.variables = {{"XDG_CACHE_HOME", "/c"}, {"XDG_DATA_HOME", "~/d"}};
  EXPECT_EQ(home.places().cache(), "/c");
  EXPECT_EQ(home.places().data(), home.at("d"));
}

TEST(PlacesTest, AnEmptyVariableSaysNothing) {
  FakeHome home;
  home.variables = {{"HF_HOME", ""}, {"LLAMA_CACHE", "~"}};
  EXPECT_FALSE(home.places().named_by("HF_HOME"));
  EXPECT_FALSE(home.places().named_by("HF_HUB_CACHE"));
  EXPECT_EQ(home.places().named_by("LLAMA_CACHE"), home.at("").parent_path());
  EXPECT_EQ(home.places().expanded("~other/x"), "~other/x");
}

TEST(PlacesTest, ThisMachineHasItsEnvironment) {
  const Places places = Places::of_this_machine();
  EXPECT_FALSE(places.variable("CONFAB_THERE_IS_NO_SUCH_VARIABLE"));
  EXPECT_EQ(places.root, "/");
  EXPECT_TRUE(std::filesystem::exists(places.bundled / "confab-demo.gguf"));
}

}  // namespace
}  // namespace confab::app
