// SPDX-License-Identifier: MIT
#include "sessions/conversations/search_tokenizer.h"

#include <sqlite3.h>

#include <memory>
#include <new>
#include <string_view>

#include "sessions/conversations/utf8.h"

namespace confab::sessions {
namespace {

using TokenCallback = int (*)(void* context, int flags, const char* token, int n, int begin,
                              int end);

struct Range {
  char32_t first, last;
};
// Scripts without spaces between words, and Hangul, whose particles are written onto the noun.
// Blocks of the Unicode standard, in order.
constexpr Range kUnspaced[] = {
    {0x0E00, 0x0EFF},    // Thai, Lao
    {0x1000, 0x109F},    // Burmese
    {0x1100, 0x11FF},    // Hangul Jamo
    {0x1780, 0x17FF},    // Khmer
    {0x3005, 0x3007},    // ideographic iteration mark and zero
    {0x3041, 0x30FF},    // Hiragana, Katakana
    {0x3105, 0x318F},    // Bopomofo, Hangul compatibility
    {0x31F0, 0x31FF},    // Katakana extensions
    {0x3400, 0x4DBF},    // Han
    {0x4E00, 0x9FFF},    // Han
    {0xAC00, 0xD7FF},    // Hangul syllables
    {0xF900, 0xFAFF},    // Han, compatibility
    {0xFF66, 0xFFDC},    // halfwidth Katakana and Hangul
    {0x20000, 0x3FFFF},  // Han, supplementary planes
};

bool is_unspaced(char32_t c) {
  for (const Range& range : kUnspaced) {
    if (c <= range.last) return c >= range.first;
  }
  return false;
}

struct Tokenizer {  // what FTS5 holds as an Fts5Tokenizer
  fts5_tokenizer words;
  Fts5Tokenizer* instance;
};

struct Run {  // of text that unicode61 cuts, and where in the whole it begins
  void* context;
  TokenCallback callback;
  int begin;
};

int take_word(void* context, int flags, const char* token, int n, int begin, int end) {
  const auto& run = *static_cast<const Run*>(context);
  return run.callback(run.context, flags, token, n, run.begin + begin, run.begin + end);
}

int tokenize(Fts5Tokenizer* self, void* context, int flags, const char* text, int n_text,
             TokenCallback callback) {
  const auto& tokenizer = *reinterpret_cast<const Tokenizer*>(self);
  const std::string_view all(text, static_cast<std::size_t>(n_text));
  std::size_t begin = 0;  // of the run of spaced text
  const auto end_run = [&](std::size_t end) {
    if (begin == end) return SQLITE_OK;
    Run run{context, callback, static_cast<int>(begin)};
    return tokenizer.words.xTokenize(tokenizer.instance, &run, flags, text + begin,
                                     static_cast<int>(end - begin), take_word);
  };
  for (std::size_t i = 0; i < all.size();) {
    constexpr unsigned char kFirstLead = 0xE0;  // of U+0E00, the first unspaced one
    const CodePoint c = static_cast<unsigned char>(all[i]) < kFirstLead
                            ? CodePoint{0, 1}
                            : first_code_point(all.substr(i));
    const std::size_t next = i + c.n_bytes;
    if (is_unspaced(c.value)) {
      if (const int code = end_run(i); code != SQLITE_OK) return code;
      const int code = callback(context, 0, text + i, static_cast<int>(c.n_bytes),
                                static_cast<int>(i), static_cast<int>(next));
      if (code != SQLITE_OK) return code;
      begin = next;
    }
    i = next;
  }
  return end_run(all.size());
}

void destroy(Fts5Tokenizer* self) {
  auto* tokenizer = reinterpret_cast<Tokenizer*>(self);
  tokenizer->words.xDelete(tokenizer->instance);
  delete tokenizer;
}

int create(void* api_pointer, const char** /*arguments*/, int /*n*/, Fts5Tokenizer** out) {
  auto* api = static_cast<fts5_api*>(api_pointer);
  void* data = nullptr;
  auto tokenizer = std::unique_ptr<Tokenizer>(new (std::nothrow) Tokenizer{});
  if (tokenizer == nullptr) return SQLITE_NOMEM;
  int code = api->xFindTokenizer(api, "unicode61", &data, &tokenizer->words);
  if (code != SQLITE_OK) return code;
  const char* arguments[] = {"remove_diacritics", "2"};
  code = tokenizer->words.xCreate(data, arguments, 2, &tokenizer->instance);
  if (code != SQLITE_OK) return code;
  *out = reinterpret_cast<Fts5Tokenizer*>(tokenizer.release());
  return SQLITE_OK;
}

fts5_api* find_api(sqlite3* connection) {
  fts5_api* api = nullptr;
  sqlite3_stmt* statement = nullptr;
  if (sqlite3_prepare_v2(connection, "SELECT fts5(?1)", -1, &statement, nullptr) == SQLITE_OK) {
    sqlite3_bind_pointer(statement, 1, &api, "fts5_api_ptr", nullptr);
    sqlite3_step(statement);
  }
  sqlite3_finalize(statement);
  return api;
}

}  // namespace

int register_search_tokenizer(sqlite3* connection) noexcept {
  fts5_api* api = find_api(connection);
  if (api == nullptr) return SQLITE_ERROR;
  fts5_tokenizer tokenizer{create, destroy, tokenize};
  return api->xCreateTokenizer(api, "confab", api, &tokenizer, nullptr);
}

}  // namespace confab::sessions
