// SPDX-License-Identifier: MIT
#include "sessions/conversations/search_tokenizer.h"

#include <sqlite3.h>

#include <algorithm>
#include <cctype>
#include <iterator>
#include <memory>
#include <new>
#include <string>
#include <string_view>

#include "sessions/conversations/utf8.h"

namespace confab::sessions {
namespace {

using TokenCallback = int (*)(void* context, int flags, const char* token, int n, int begin,
                              int end);

struct Range {
  char32_t first, last;
};
// Scripts without spaces between words, and Hangul, whose particles are attached to the noun.
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

struct Tokenizer {  // FTS5 holds it as an Fts5Tokenizer
  fts5_tokenizer words;
  Fts5Tokenizer* instance;
};

// Letters that unicode61 does not fold: lower-case letters with an alternative spelling, and Greek
// and Cyrillic letters with a mark, since it removes a mark only if that is a separate character.
struct Folded {
  char32_t letter;
  std::string_view plain;
};
constexpr Folded kFolded[] = {
    {0xDF, "ss"},   {0xE6, "ae"},   {0xF8, "o"},     {0x111, "d"},    {0x131, "i"},
    {0x142, "l"},   {0x153, "oe"},  {0x17F, "s"},    {0x390, "ι"},    {0x3AC, "α"},
    {0x3AD, "ε"},   {0x3AE, "η"},   {0x3AF, "ι"},    {0x3B0, "υ"},    {0x3C2, "σ"},
    {0x3CA, "ι"},   {0x3CB, "υ"},   {0x3CC, "ο"},    {0x3CD, "υ"},    {0x3CE, "ω"},
    {0x439, "и"},   {0x450, "е"},   {0x451, "е"},    {0x453, "г"},    {0x457, "і"},
    {0x45C, "к"},   {0x45D, "и"},   {0x45E, "у"},    {0x1E9E, "ss"},  {0xFB00, "ff"},
    {0xFB01, "fi"}, {0xFB02, "fl"}, {0xFB03, "ffi"}, {0xFB04, "ffl"},
};

std::string folded(std::string_view token) {
  std::string out;
  while (!token.empty()) {
    const CodePoint c = first_code_point(token);
    const std::string_view letter = token.substr(0, c.n_bytes);
    const Folded* found =
        c.value < 0x80 ? std::end(kFolded) : std::ranges::find(kFolded, c.value, &Folded::letter);
    out += found == std::end(kFolded) ? letter : found->plain;
    token.remove_prefix(c.n_bytes);
  }
  return out;
}

bool is_ascii(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

bool is_word_byte(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= 0x80 || std::isalnum(byte) != 0;
}

// The number of signs at `end` that are part of a name: in "C++", "C#" and "Disney+", but not in
// "a+b" and "issue#5".
int n_signs(std::string_view text, std::size_t end) {
  const std::string_view rest = text.substr(std::min(end, text.size()));
  if (rest.starts_with("++")) return 2;
  if (!rest.starts_with('+') && !rest.starts_with('#')) return 0;
  return rest.size() == 1 || !is_word_byte(rest[1]) ? 1 : 0;
}

struct Run {  // text that unicode61 cuts, and its offset in the whole
  void* context;
  TokenCallback callback;
  std::string_view text;
  int begin;
};

int take_word(void* context, int flags, const char* token, int n, int begin, int end) {
  const auto& run = *static_cast<const Run*>(context);
  const auto take = [&](std::string_view word, int from, int to) {
    return run.callback(run.context, flags, word.data(), static_cast<int>(word.size()),
                        run.begin + from, run.begin + to);
  };
  try {
    const std::string_view word(token, static_cast<std::size_t>(n));
    int code = is_ascii(word) ? take(word, begin, end) : take(folded(word), begin, end);
    for (int i = 0; code == SQLITE_OK && i < n_signs(run.text, static_cast<std::size_t>(end)); ++i)
      code = take(run.text.substr(static_cast<std::size_t>(end + i), 1), end + i, end + i + 1);
    return code;
  } catch (const std::bad_alloc&) {
    return SQLITE_NOMEM;
  }
}

int tokenize(Fts5Tokenizer* self, void* context, int flags, const char* text, int n_text,
             TokenCallback callback) {
  const auto& tokenizer = *reinterpret_cast<const Tokenizer*>(self);
  const std::string_view all(text, static_cast<std::size_t>(n_text));
  std::size_t begin = 0;  // start of the run of spaced text
  const auto end_run = [&](std::size_t end) {
    if (begin == end) return SQLITE_OK;
    Run run{context, callback, all.substr(begin, end - begin), static_cast<int>(begin)};
    return tokenizer.words.xTokenize(tokenizer.instance, &run, flags, text + begin,
                                     static_cast<int>(end - begin), take_word);
  };
  for (std::size_t i = 0; i < all.size();) {
    constexpr unsigned char kFirstLead = 0xE0;  // lead byte of U+0E00, the first unspaced character
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
