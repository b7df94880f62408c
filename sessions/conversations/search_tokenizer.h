// SPDX-License-Identifier: MIT
// How the search index cuts text into words: a tokenizer for SQLite's FTS5.
//
// Words are runs of letters and digits, without case and diacritics (FTS5's unicode61, and what it
// leaves apart: ß is ss, ё is е). Behind one, ++, # and + are words of their own, so that C++ and
// C# can be looked for. When this changes, the index must be built anew: see schema.cpp. Scripts
// that put no spaces between words (Chinese, Japanese, Korean, Thai, Lao, Khmer, Burmese) have each
// character as a word, so that any part of a sentence is found as a phrase.
// https://sqlite.org/fts5.html, section 4.3 and 7.1
#pragma once

struct sqlite3;

namespace confab::sessions {

// Makes "tokenize = 'confab'" known to this connection. Returns an SQLite result code.
int register_search_tokenizer(sqlite3* connection) noexcept;

}  // namespace confab::sessions
