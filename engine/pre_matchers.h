// SPDX-License-Identifier: MIT
// The regular expressions of byte-level BPE pre-tokenizers as matchers written by hand: an order of
// magnitude faster than a regex engine, and linear in the text.
//
// A matcher gives the end of the match that starts at p < end, or p when none does; it sees nothing
// beyond [p, end), which is well-formed UTF-8. Each one's comment is the expression that it stands
// for, with PCRE's greedy, leftmost-alternative meaning. Sources: the `pre_tokenizer` of the
// models' tokenizer.json files, and where llama.cpp (src/llama-vocab.cpp, src/unicode.cpp) departs
// from them, llama.cpp: GGUF files are made for it.
#pragma once

namespace confab::engine {

using PreMatcher = const char* (*)(const char* p, const char* end);

// 's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
const char* match_gpt2(const char* p, const char* end);
// (?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*
//   |\s*[\r\n]+|\s+(?!\S)|\s+
const char* match_llama3(const char* p, const char* end);
// As llama3 with \p{N}.
const char* match_qwen2(const char* p, const char* end);
// As qwen2 with [\p{L}\p{M}]+ for the words and [^\s\p{L}\p{M}\p{N}]+ for the rest.
const char* match_qwen35(const char* p, const char* end);
// [^\r\n\p{L}\p{N}]?U*l+|[^\r\n\p{L}\p{N}]?U+l*|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*
//   |\s*[\r\n]+|\s+(?!\S)|\s+    where U is a letter but a-z, and l a letter but A-Z
const char* match_tekken(const char* p, const char* end);
// As tekken with (?i:'s|'t|'re|'ve|'m|'ll|'d)? after a word, and \p{N}{1,3}.
const char* match_gpt4o(const char* p, const char* end);
// [!-/:-@\[-`{-~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*
//   |\s*[\r\n]+|\s+(?!\S)|\s+
const char* match_deepseek3(const char* p, const char* end);

const char* match_number(const char* p, const char* end);              // \p{N}
const char* match_numbers(const char* p, const char* end);             // \p{N}+
const char* match_numbers_3(const char* p, const char* end);           // \p{N}{1,3}
const char* match_ascii_digits_3(const char* p, const char* end);      // [0-9][0-9][0-9]
const char* match_line_break(const char* p, const char* end);          // [\r\n]
const char* match_space_letters(const char* p, const char* end);       // \s?\p{L}+
const char* match_space_punctuation(const char* p, const char* end);   // \s?\p{P}+
const char* match_punctuation(const char* p, const char* end);         // [\p{P}$+<=>^~|]+
const char* match_falcon_punctuation(const char* p, const char* end);  // [\p{P}$+<=>^~|`]+
const char* match_han_kana(const char* p, const char* end);    // [\u4E00-\u9FA5\u3040-\u30FF]+
const char* match_east_asian(const char* p, const char* end);  // [\u0800-\u9FA5\uAC00-\uD7FF]+

}  // namespace confab::engine
