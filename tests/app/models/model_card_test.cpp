// SPDX-License-Identifier: MIT
#include "app/models/fit_here.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/paths.h"
#include "tests/temp_dir.h"

namespace confab::app {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(ModelCardTest, SaysWhatTheFileIs) {
  const auto path = find_shipped("models/confab-demo.gguf");
  ASSERT_TRUE(path);
  const FoundModel model{.name = "confab-demo.gguf",
                         .path = *path,
                         .bytes = 30'000'000,
                         .store = Store::bundled,
                         .also = {"demo:latest"},
                         .drafts = {{"confab-draft.gguf", "/d"}},
                         .projectors = {{"mmproj.gguf", "/p"}}};
  const std::string card = model_card(model, 10);
  EXPECT_THAT(card, HasSubstr("Confab Demo"));
  EXPECT_THAT(card, HasSubstr("46M parameters, "));
  EXPECT_THAT(card, HasSubstr("28.6 MiB"));
  EXPECT_THAT(card, HasSubstr("a context of 2,048 tokens"));
  EXPECT_THAT(card, HasSubstr("fits here, with a context of 2,048 tokens, "));
  EXPECT_THAT(card, HasSubstr(" tokens a second at most\nbundled: "));
  EXPECT_THAT(card, HasSubstr("confab-demo.gguf"));
  EXPECT_THAT(card, HasSubstr("\nalso demo:latest\ndraft: confab-draft.gguf\nprojector: mmproj"));
  EXPECT_THAT(model_card(model, 0), Not(HasSubstr("a second")));
}

TEST(ModelCardTest, SaysWhatIsWrongWithIt) {
  const TempDir dir;
  const std::string path = dir.file("broken.gguf", "GGUX");
  EXPECT_THAT(model_card({.name = "broken.gguf", .path = path}, 10),
              AllOf(HasSubstr("cannot be run: "), HasSubstr("broken.gguf: "),
                    Not(HasSubstr("parameters"))));
  EXPECT_THAT(model_card({.name = "none", .path = dir / "none.gguf"}, 10),
              HasSubstr("none.gguf: "));
}

}  // namespace
}  // namespace confab::app
