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
// As qwen2 with  ?[^\s\p{L}\p{N}\r\n]+ for the rest, which takes no line breaks.
const char* match_seed_coder(const char* p, const char* end);
// As qwen2 with [^\r\n\p{L}\p{N}]?(?:\p{L}\p{M}*(?: \p{L}\p{M}*)*)+ for the words, and
//  ?[^\s\p{L}\p{N}]+[\r\n/]? for the rest.
const char* match_exaone_moe(const char* p, const char* end);
// [^\r\n\p{L}\p{N}]?U*l+|[^\r\n\p{L}\p{N}]?U+l*|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*
//   |\s*[\r\n]+|\s+(?!\S)|\s+    where U is a letter but a-z, and l a letter but A-Z
const char* match_tekken(const char* p, const char* end);
// As tekken with (?i:'s|'t|'re|'ve|'m|'ll|'d)? after a word, and \p{N}{1,3}.
const char* match_gpt4o(const char* p, const char* end);
// As gpt4o with marks among the letters.
const char* match_gpt4o_marks(const char* p, const char* end);
// As gpt4o with [\p{L}\p{M}]+ for the words, whatever their case (llama.cpp knows no \p{Lu}).
const char* match_tiny_aya(const char* p, const char* end);
// As tiny_aya with \p{N}.
const char* match_youtu(const char* p, const char* end);
// H+|[^\r\n\p{L}\p{N}]?L+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*
//   |\s*[\r\n]+|\s+(?!\S)|\s+    where H is a Han ideograph, and L any other letter
const char* match_kimi_k2(const char* p, const char* end);
// [!-/:-@\[-`{-~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*
//   |\s*[\r\n]+|\s+(?!\S)|\s+
const char* match_deepseek3(const char* p, const char* end);

}  // namespace confab::engine
