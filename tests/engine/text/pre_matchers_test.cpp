// SPDX-License-Identifier: MIT
#include "engine/text/pre_matchers.h"

#include "tests/engine/text/matcher_cases.h"

namespace confab::engine {
namespace {

std::string cl100k(const std::string& digits, const std::string& letter, const std::string& mark) {
  return "'[sSdDmMtT]|'[rR][eE]|'[vV][eE]|'[lL][lL]|[^\\r\\n\\p{L}\\p{N}]?" + letter + "+|" +
         digits + "| ?[^\\s\\p{L}\\p{N}" + mark + "]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+";
}

std::string o200k(const std::string& digits, const std::string& suffix,
                  const std::string& letter = "\\p{L}") {
  const std::string upper = "(?:(?=" + letter + ")[^a-z])", lower = "(?:(?=" + letter + ")[^A-Z])";
  const std::string prefix = "[^\\r\\n\\p{L}\\p{N}]?";
  return prefix + upper + "*" + lower + "+" + suffix + "|" + prefix + upper + "+" + lower + "*" +
         suffix + "|" + digits + "| ?[^\\s\\p{L}\\p{N}]+[\\r\\n/]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+";
}

const std::string kSuffix = "(?:'[sSdDmMtT]|'[rR][eE]|'[vV][eE]|'[lL][lL])?";

const std::string kHan =
    "[\\x{4E00}-\\x{9FFF}\\x{3400}-\\x{4DBF}\\x{20000}-\\x{2A6DF}\\x{F900}-\\x{FAFF}]";

std::string caseless(const std::string& digits) {
  return "[^\\r\\n\\p{L}\\p{N}]?[\\p{L}\\p{M}]+" + kSuffix + "|" + digits +
         "| ?[^\\s\\p{L}\\p{N}]+[\\r\\n/]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+";
}

const MatcherCase kCases[] = {
    {"gpt2", match_gpt2,
     "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+"},
    {"llama3", match_llama3, cl100k("\\p{N}{1,3}", "\\p{L}", "")},
    {"qwen2", match_qwen2, cl100k("\\p{N}", "\\p{L}", "")},
    {"qwen35", match_qwen35, cl100k("\\p{N}", "[\\p{L}\\p{M}]", "\\p{M}")},
    {"tekken", match_tekken, o200k("\\p{N}", "")},
    {"gpt4o", match_gpt4o, o200k("\\p{N}{1,3}", kSuffix)},
    {"deepseek3", match_deepseek3,
     "[!-/:-@\\[-`{-~][A-Za-z]+|[^\\r\\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+"
     "| ?[\\p{P}\\p{S}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+"},
    {"seed_coder", match_seed_coder,
     "'[sSdDmMtT]|'[rR][eE]|'[vV][eE]|'[lL][lL]|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}"
     "| ?[^\\s\\p{L}\\p{N}\\r\\n]+|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+"},
    {"exaone_moe", match_exaone_moe,
     "'[sSdDmMtT]|'[rR][eE]|'[vV][eE]|'[lL][lL]"
     "|[^\\r\\n\\p{L}\\p{N}]?(?:\\p{L}\\p{M}*(?: \\p{L}\\p{M}*)*)+|\\p{N}"
     "| ?[^\\s\\p{L}\\p{N}]+[\\r\\n/]?|\\s*[\\r\\n]|\\s+(?!\\S)|\\s+"},
    {"gpt4o_marks", match_gpt4o_marks, o200k("\\p{N}{1,3}", kSuffix, "[\\p{L}\\p{M}]")},
    {"tiny_aya", match_tiny_aya, caseless("\\p{N}{1,3}")},
    {"youtu", match_youtu, caseless("\\p{N}")},
    {"kimi_k2", match_kimi_k2,
     kHan + "+|[^\\r\\n\\p{L}\\p{N}]?(?:(?!" + kHan + ")\\p{L})+" + kSuffix +
         "|\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+"},
};

class PreMatchersTest : public testing::TestWithParam<MatcherCase> {};

TEST_P(PreMatchersTest, EqualsItsExpressionOnRandomText) {
  expect_equals_its_expression(GetParam());
}

INSTANTIATE_TEST_SUITE_P(All, PreMatchersTest, testing::ValuesIn(kCases),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace confab::engine
