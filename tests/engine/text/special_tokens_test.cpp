// SPDX-License-Identifier: MIT
#include "engine/text/special_tokens.h"

#include <gmock/gmock.h>

#include <string>

#include "tests/engine/text/tiny_vocabularies.h"

namespace confab::engine {
namespace {

using testing::ElementsAre;
using Entries = std::vector<SpecialTokens::Entry>;

// "[7]" for a token, the text for the rest.
std::vector<std::string> split(const Entries& entries, std::string_view text,
                               const std::vector<ByteSpan>& literal = {}) {
  std::vector<std::string> out;
  for (const auto& fragment : SpecialTokens(entries).split(text, literal)) {
    out.push_back(fragment.token < 0 ? std::string(fragment.text)
                                     : "[" + std::to_string(fragment.token) + "]");
  }
  return out;
}

const Entries kChat{
    {"<|im_start|>", 1, true, false}, {"<|im_end|>", 2, true, false}, {"<think>", 3, false, false}};

TEST(SpecialTokensTest, SplitsTheText) {
  EXPECT_THAT(split(kChat, "a<|im_end|>b<|im_start|><think>"),
              ElementsAre("a", "[2]", "b", "[1]", "[3]"));
  EXPECT_THAT(split(kChat, "no <|im_ here"), ElementsAre("no <|im_ here"));
  EXPECT_THAT(split(kChat, "<<|im_end|>"), ElementsAre("<", "[2]"));
  EXPECT_THAT(split(kChat, ""), ElementsAre());
  EXPECT_THAT(split({}, "text"), ElementsAre("text"));
}

TEST(SpecialTokensTest, LongestThenLeftmost) {
  const Entries entries{{"ab", 1}, {"abcd", 2}, {"bcdef", 3}, {" ", 4}, {"  ", 5}, {"   ", 6}};
  EXPECT_THAT(split(entries, "abcdef"), ElementsAre("a", "[3]"));
  EXPECT_THAT(split(entries, "abcde"), ElementsAre("[2]", "e"));
  EXPECT_THAT(split(entries, "abc"), ElementsAre("[1]", "c"));
  EXPECT_THAT(split(entries, "ababcdef"), ElementsAre("[1]", "a", "[3]"));
  EXPECT_THAT(split(entries, "x     y"), ElementsAre("x", "[6]", "[5]", "y"));
}

TEST(SpecialTokensTest, LiteralSpansHideControlTokensOnly) {
  const std::string text = "<|im_start|><|im_end|><think>";
  EXPECT_THAT(split(kChat, text, {{0, text.size()}}), ElementsAre("<|im_start|><|im_end|>", "[3]"));
  EXPECT_THAT(split(kChat, text, {{12, 22}}), ElementsAre("[1]", "<|im_end|>", "[3]"));
  EXPECT_THAT(split(kChat, text, {{0, 12}}), ElementsAre("<|im_start|>", "[2]", "[3]"));
}

TEST(SpecialTokensTest, NoControlTokenAcrossTheBorderOfALiteral) {
  // "<|im_" of the template and "end|>" of the user, and the other way round.
  EXPECT_THAT(split(kChat, "<|im_end|>", {{5, 10}}), ElementsAre("<|im_end|>"));
  EXPECT_THAT(split(kChat, "<|im_end|>", {{0, 5}}), ElementsAre("<|im_end|>"));
  EXPECT_THAT(split(kChat, "<|im_end|>", {{9, 10}}), ElementsAre("<|im_end|>"));
  EXPECT_THAT(split(kChat, "u<|im_end|>u", {{0, 1}, {11, 12}}), ElementsAre("u", "[2]", "u"));
}

TEST(SpecialTokensTest, AShorterTokenInFrontOfALiteralIsStillSeen) {
  const Entries entries{{"<a>", 1, true, false}, {"<a><b>", 2, true, false}};
  EXPECT_THAT(split(entries, "<a><b>", {{3, 6}}), ElementsAre("[1]", "<b>"));
}

TEST(SpecialTokensTest, RstripSwallowsWhiteSpace) {
  const Entries entries{{"<|end|>", 1, true, true}};
  EXPECT_THAT(split(entries, "a <|end|> \n\tb <|end|>  "), ElementsAre("a ", "[1]", "b ", "[1]"));
}

TEST(SpecialTokensTest, OddEntries) {
  const std::string longest(SpecialTokens::kMaxText, 'x');
  const Entries entries{{"", 1}, {"x" + longest, 2}, {longest, 3}, {"dup", 4}, {"dup", 5}};
  EXPECT_THAT(split(entries, "x" + longest), ElementsAre("[3]", "x"));
  EXPECT_THAT(split(entries, "dup"), ElementsAre("[4]"));
}

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
