// SPDX-License-Identifier: MIT
// The regular expressions of byte-level BPE pre-tokenizers as hand-written matchers. They are an
// order of magnitude faster than a regex engine, and linear in the text.
//
// A matcher returns the end of the match that starts at p < end, or p if nothing matches. It sees
// nothing beyond [p, end), which is well-formed UTF-8. Each matcher's comment is the expression
// that it implements, with PCRE's greedy, leftmost-alternative semantics. Sources: the
// `pre_tokenizer` of the models' tokenizer.json files. Where llama.cpp (src/llama-vocab.cpp,
// src/unicode.cpp) differs from them, llama.cpp wins, because GGUF files are made for it.
#pragma once

namespace confab::engine {

using PreMatcher = const char* (*)(const char* p, const char* end);

// 's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
const char* match_gpt2(const char* p, const char* end);
// (?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*
//   |\s*[\r\n]+|\s+(?!\S)|\s+
const char* match_llama3(const char* p, const char* end);
// Like llama3, with \p{N}.
const char* match_qwen2(const char* p, const char* end);
// Like qwen2, with [\p{L}\p{M}]+ for the words and [^\s\p{L}\p{M}\p{N}]+ for the rest.
const char* match_qwen35(const char* p, const char* end);
// Like qwen2, with  ?[^\s\p{L}\p{N}\r\n]+ for the rest, which takes no line breaks.
const char* match_seed_coder(const char* p, const char* end);
// Like qwen2, with [^\r\n\p{L}\p{N}]?(?:\p{L}\p{M}*(?: \p{L}\p{M}*)*)+ for the words and
//    ?[^\s\p{L}\p{N}]+[\r\n/]? for the rest.
const char* match_exaone_moe(const char* p, const char* end);
// [^\r\n\p{L}\p{N}]?U*l+|[^\r\n\p{L}\p{N}]?U+l*|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*
//   |\s*[\r\n]+|\s+(?!\S)|\s+    where U is any letter except a-z, and l any letter except A-Z
const char* match_tekken(const char* p, const char* end);
// Like tekken, with (?i:'s|'t|'re|'ve|'m|'ll|'d)? after a word, and \p{N}{1,3}.
const char* match_gpt4o(const char* p, const char* end);
// Like gpt4o, with marks counted as letters.
const char* match_gpt4o_marks(const char* p, const char* end);
// Like gpt4o, with [\p{L}\p{M}]+ for words of any case (llama.cpp does not know \p{Lu}).
const char* match_tiny_aya(const char* p, const char* end);
// Like tiny_aya, with \p{N}.
const char* match_youtu(const char* p, const char* end);
// H+|[^\r\n\p{L}\p{N}]?L+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*
//   |\s*[\r\n]+|\s+(?!\S)|\s+    where H is a Han ideograph, and L any other letter
const char* match_kimi_k2(const char* p, const char* end);
// [!-/:-@\[-`{-~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*
//   |\s*[\r\n]+|\s+(?!\S)|\s+
const char* match_deepseek3(const char* p, const char* end);

// The matchers below serve as one of several stages: runs of characters of one set, single digits,
// sentinels.

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

// \s?[A-Za-zµÀ-Ö...]+ and \s?[!-/:-~！-／：-～‘-‟　-。]+: the cased letters that DeepSeek LLM
// lists, and what it counts as punctuation (from "!" to "~" everything but the digits).
const char* match_space_cased_letters(const char* p, const char* end);
const char* match_space_signs(const char* p, const char* end);

//  ?[^(\s|.,!?…。，、।۔،)]+
const char* match_bloom(const char* p, const char* end);
// [가-힣ㄱ-ㆎ]+|[！…“”‘’—：；，、-〿︰-﹏]+|[ㄅ-ㄯ]+|[一-龥぀-ヿ]+
const char* match_youtu_scripts(const char* p, const char* end);
// Runs of letters of the scripts written without spaces, as AFMoE lists them.
const char* match_afmoe_scripts(const char* p, const char* end);

// \s{512}|\s{256}|\s{128}|...|\s{4}|\s{2} in a piece that consists of at least two spaces: how Jais
// 2 splits what match_llama3 leaves together.
const char* match_jais2_spaces(const char* p, const char* end);

const char* match_sentinel(const char* p, const char* end);         // <sentinel:[0-9]+>
const char* match_image(const char* p, const char* end);            // IMGIMG[A-I]{1,4}Z
const char* match_indent(const char* p, const char* end);           // [\t\n]|    |  (two spaces)
const char* match_one_punctuation(const char* p, const char* end);  // [\p{P}!-/:-@\[-`{-~]

}  // namespace confab::engine
