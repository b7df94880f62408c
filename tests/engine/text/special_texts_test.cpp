// SPDX-License-Identifier: MIT
#include "engine/text/special_texts.h"

#include <gmock/gmock.h>

#include "tests/engine/text/tiny_vocabularies.h"

namespace confab::engine {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

SpecialTexts find(const std::vector<std::string_view>& texts, const GgufWriter& keys = {}) {
  return find_special_texts(*WrittenGguf(keys), texts);
}

TEST(SpecialTextsTest, EndOfGenerationIsControl) {
  const SpecialTexts found = find({"a", "<|im_end|>", "</s>", "<|im_start|>", "[EOT]"});
  EXPECT_THAT(found.eog, ElementsAre(1, 2, 4));
  EXPECT_THAT(found.control, ElementsAre(1, 2, 4));
  EXPECT_THAT(found.markers, IsEmpty());
}

TEST(SpecialTextsTest, FillInTheMiddle) {
  const SpecialTexts found = find({"<fim_prefix>", "<|fim_pad|>", "<|file_sep|>"});
  EXPECT_THAT(found.control, ElementsAre(0, 1, 2));
  EXPECT_THAT(found.eog, ElementsAre(1, 2));
}

TEST(SpecialTextsTest, FillInTheMiddleByKeysLeavesTheTextsAlone) {
  GgufWriter keys;
  keys.add("tokenizer.ggml.fim_pad_token_id", std::uint32_t{0});
  keys.add("tokenizer.ggml.prefix_token_id", std::uint32_t{1});
  keys.add("tokenizer.ggml.fim_sep_token_id", std::uint32_t{99});  // out of range: absent
  const SpecialTexts found = find({"a", "b", "<PAD>", "<PRE>", "<|file_sep|>"}, keys);
  EXPECT_THAT(found.control, ElementsAre(4));
  EXPECT_THAT(found.eog, UnorderedElementsAre(0, 4));
}

TEST(SpecialTextsTest, InTheHarmonyFormatTheEndOfAMessageIsAMarker) {
  const SpecialTexts found = find({"<|end|>", "<|call|>", "<|return|>", "<|channel|>"});
  EXPECT_THAT(found.markers, UnorderedElementsAre(0, 3));
  EXPECT_THAT(found.eog, ElementsAre(1, 2));
  EXPECT_THAT(find({"<|end|>", "<|call|>"}).eog, ElementsAre(0, 1));
}

TEST(SpecialTextsTest, BesideGemma4sToolResponseTheStrikeOfHtmlIsText) {
  const SpecialTexts found = find({"</s>", "<|tool_response>", "<turn|>"});
  EXPECT_THAT(found.normal, ElementsAre(0));
  EXPECT_THAT(found.control, ElementsAre(1, 2));
  EXPECT_THAT(found.eog, ElementsAre(1, 2));
}

}  // namespace
}  // namespace confab::engine
