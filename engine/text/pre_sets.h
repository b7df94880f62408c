// SPDX-License-Identifier: MIT
// Matchers (see pre_matchers.h) of one stage among several: runs of characters of one set, single
// digits, sentinels.
#pragma once

#include "engine/text/pre_matchers.h"

namespace confab::engine {

const char* match_number(const char* p, const char* end);              // \p{N}
const char* match_numbers(const char* p, const char* end);             // \p{N}+
const char* match_numbers_3(const char* p, const char* end);           // \p{N}{1,3}
const char* match_ascii_digits_3(const char* p, const char* end);      // [0-9][0-9][0-9]
const char* match_line_break(const char* p, const char* end);          // [\r\n]
const char* match_line(const char* p, const char* end);                // [^\n]+|[\n]+
const char* match_space_letters(const char* p, const char* end);       // \s?\p{L}+
const char* match_space_punctuation(const char* p, const char* end);   // \s?\p{P}+
const char* match_punctuation(const char* p, const char* end);         // [\p{P}$+<=>^~|]+
const char* match_falcon_punctuation(const char* p, const char* end);  // [\p{P}$+<=>^~|`]+
const char* match_han_kana(const char* p, const char* end);            // [一-龥぀-ゟ゠-ヿ]+
// (?:(?!\s)[一-龥ࠀ-一가-퟿])+
const char* match_east_asian(const char* p, const char* end);

// \s?[A-Za-zµÀ-Ö...]+ and \s?[!-/:-~！-／：-～‘-‟　-。]+: the cased letters as DeepSeek LLM lists
// them, and what it holds for punctuation (from "!" to "~" all but the digits).
const char* match_space_cased_letters(const char* p, const char* end);
const char* match_space_signs(const char* p, const char* end);

//  ?[^(\s|.,!?…。，、।۔،)]+
const char* match_bloom(const char* p, const char* end);
// [가-힣ㄱ-ㆎ]+|[！…“”‘’—：；，、-〿︰-﹏]+|[ㄅ-ㄯ]+|[一-龥぀-ヿ]+
const char* match_youtu_scripts(const char* p, const char* end);
// Runs of letters of the scripts that are written without spaces, as AFMoE lists them.
const char* match_afmoe_scripts(const char* p, const char* end);

// \s{512}|\s{256}|\s{128}|...|\s{4}|\s{2} in a piece of at least two spaces and nothing else: how
// Jais 2 cuts what match_llama3 leaves together.
const char* match_jais2_spaces(const char* p, const char* end);

const char* match_sentinel(const char* p, const char* end);         // <sentinel:[0-9]+>
const char* match_image(const char* p, const char* end);            // IMGIMG[A-I]{1,4}Z
const char* match_indent(const char* p, const char* end);           // [\t\n]|    |  (two spaces)
const char* match_one_punctuation(const char* p, const char* end);  // [\p{P}!-/:-@\[-`{-~]

}  // namespace confab::engine
