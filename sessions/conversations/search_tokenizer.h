// SPDX-License-Identifier: MIT
// The tokenizer that cuts text into words for the search index (SQLite's FTS5).
//
// Words are runs of letters and digits, without case and diacritics: FTS5's unicode61, and also
// what it leaves alone (ß is ss, ё is е). After a word, ++, # and + count as words themselves, so
// that C++ and C# can be found. In scripts without spaces between words (Chinese, Japanese, Korean,
// Thai, Lao, Khmer, Burmese) each character is a word, so that any part of a sentence is found as a
// phrase. A change here requires a rebuild of the index: see schema.cpp.
// https://sqlite.org/fts5.html, section 4.3 and 7.1
#pragma once

struct sqlite3;

namespace confab::sessions {

// Registers "tokenize = 'confab'" with this connection. Returns an SQLite result code.
int register_search_tokenizer(sqlite3* connection) noexcept;

}  // namespace confab::sessions
