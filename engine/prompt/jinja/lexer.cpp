// SPDX-License-Identifier: MIT
#include "engine/prompt/jinja/lexer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>

#include "engine/error.h"
#include "engine/prompt/jinja/text.h"
#include "engine/prompt/jinja/unicode.h"

namespace confab::engine::jinja {
namespace {

constexpr auto kNone = std::string_view::npos;
// The length of names is limited because comparing them is not counted as work. The longest names
// in use have about 30 bytes.
constexpr std::size_t kMaxNameBytes = 200;

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_name_start(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (c & 0x80) != 0;
}

// Turns all line ends into \n, and drops one at the very end.
std::string normalize(std::string_view source) {
  std::string out;
  out.reserve(source.size());
  for (std::size_t i = 0; i < source.size(); ++i) {
    const bool crlf = source[i] == '\r' && i + 1 < source.size() && source[i + 1] == '\n';
    if (!crlf) out += source[i] == '\r' ? '\n' : source[i];
  }
  if (!out.empty() && out.back() == '\n') out.pop_back();
  return out;
}

class Lexer {
 public:
  explicit Lexer(std::string_view source) : owned_(normalize(source)), source_(owned_) {}
  std::vector<Token> run();

 private:
  [[noreturn]] void fail(std::string_view message) const;
  bool at(std::string_view text, std::size_t pos) const {
    return source_.substr(std::min(pos, source_.size()), text.size()) == text;
  }
  void advance(std::size_t to);
  Token& push(TokenKind kind, std::string_view text);
  void push_data(std::size_t end, char sign, bool strips_indent);
  std::size_t next_tag() const;
  void close_tag(std::string_view close, char sign, bool trims_newline);
  bool lex_raw();
  void lex_comment();
  void lex_tag(bool block);
  bool lex_tag_end(bool block);
  void lex_token();
  void lex_number();
  void lex_string();
  void lex_operator();
  std::size_t scan_digits(std::size_t pos) const;
  void append_escape(std::string& out, std::size_t& pos) const;

  std::string owned_;
  std::string_view source_;
  std::size_t pos_ = 0;
  int line_ = 1;
  bool line_starting_ = true;  // pos_ is at the start of a line
  std::string open_brackets_;
  std::vector<Token> tokens_;
};

void Lexer::fail(std::string_view message) const {
  throw ModelError(fmt::format("line {}: {}", line_, message));
}

void Lexer::advance(std::size_t to) {
  if (to == pos_) return;
  line_ += static_cast<int>(std::count(source_.begin() + static_cast<std::ptrdiff_t>(pos_),
                                       source_.begin() + static_cast<std::ptrdiff_t>(to), '\n'));
  line_starting_ = source_[to - 1] == '\n';
  pos_ = to;
}

Token& Lexer::push(TokenKind kind, std::string_view text) {
  return tokens_.emplace_back(Token{kind, line_, std::string(text)});
}

// Emits the text up to the tag at `end`, trimmed as the tag's sign and lstrip_blocks require.
void Lexer::push_data(std::size_t end, char sign, bool strips_indent) {
  std::string_view data = source_.substr(pos_, end - pos_);
  if (sign == '-') {
    data = data.substr(0, trailing_space_begin(data));
  } else if (sign != '+' && strips_indent) {
    const std::size_t line = data.rfind('\n') + 1;  // npos + 1 is 0
    const std::string_view indent = data.substr(line);
    if ((line > 0 || line_starting_) && space_end(indent) == indent.size()) {
      data = data.substr(0, line);
    }
  }
  if (!data.empty()) push(TokenKind::data, data);
  advance(end);
}

std::size_t Lexer::next_tag() const {
  for (std::size_t pos = source_.find('{', pos_); pos != kNone; pos = source_.find('{', pos + 1)) {
    if (at("{%", pos) || at("{{", pos) || at("{#", pos)) return pos;
  }
  return source_.size();
}

// Skips the end of a tag at pos_ and the white space that goes with it.
void Lexer::close_tag(std::string_view close, char sign, bool trims_newline) {
  std::size_t end = pos_ + (sign == '\0' ? 0 : 1) + close.size();
  if (sign == '-') {
    end += space_end(source_.substr(end));
  } else if (sign != '+' && trims_newline && at("\n", end)) {
    ++end;
  }
  advance(end);
}

// Lexes {% raw %}...{% endraw %} at pos_. Returns false if there is no such tag.
bool Lexer::lex_raw() {
  // The position after "{%", a sign, space, `word` and space, or npos if something else is there.
  const auto match = [this](std::size_t pos, std::string_view word) {
    pos += 2;
    if (at("-", pos) || at("+", pos)) ++pos;
    pos += space_end(source_.substr(pos));
    if (!at(word, pos)) return kNone;
    pos += word.size();
    return pos + space_end(source_.substr(pos));
  };
  const auto sign_at = [this](std::size_t pos) {
    return at("-", pos) || at("+", pos) ? source_[pos] : '\0';
  };
  const std::size_t open = match(pos_, "raw");
  if (open == kNone || !(at("%}", open) || at("-%}", open))) return false;
  advance(open);
  close_tag("%}", sign_at(open), false);
  for (std::size_t tag = find(source_, "{%", pos_); tag != kNone;
       tag = find(source_, "{%", tag + 1)) {
    const std::size_t close = match(tag, "endraw");
    if (close == kNone || !(at("%}", close) || at("%}", close + 1))) continue;
    const char sign = sign_at(close);
    if (sign == '\0' && !at("%}", close)) continue;
    push_data(tag, sign_at(tag + 2), true);
    advance(close);
    close_tag("%}", sign, true);
    return true;
  }
  fail("'raw' is never closed: missing 'endraw'");
}

void Lexer::lex_comment() {
  const std::size_t begin = pos_ + (at("-", pos_ + 2) || at("+", pos_ + 2) ? 3 : 2);
  const std::size_t end = find(source_, "#}", begin);
  if (end == kNone) fail("comment is never closed: missing '#}'");
  const bool has_sign = end > begin && (source_[end - 1] == '-' || source_[end - 1] == '+');
  const char sign = has_sign ? source_[end - 1] : '\0';
  advance(has_sign ? end - 1 : end);
  close_tag("#}", sign, true);
}

bool Lexer::lex_tag_end(bool block) {
  if (!open_brackets_.empty()) return false;
  const std::string_view close = block ? "%}" : "}}";
  const char c = source_[pos_];
  const bool has_sign = (c == '-' || (c == '+' && block)) && at(close, pos_ + 1);
  if (!has_sign && !at(close, pos_)) return false;
  push(block ? TokenKind::block_end : TokenKind::variable_end, close);
  close_tag(close, has_sign ? c : '\0', block);
  return true;
}

void Lexer::lex_tag(bool block) {
  push(block ? TokenKind::block_begin : TokenKind::variable_begin, block ? "{%" : "{{");
  advance(pos_ + (at("-", pos_ + 2) || at("+", pos_ + 2) ? 3 : 2));
  open_brackets_.clear();
  while (pos_ < source_.size() && !lex_tag_end(block)) {
    const std::size_t space = space_end(source_.substr(pos_));
    if (space > 0) {
      advance(pos_ + space);
    } else {
      lex_token();
    }
  }
}

void Lexer::lex_token() {
  const char c = source_[pos_];
  if (is_digit(c)) return lex_number();
  if (c == '"' || c == '\'') return lex_string();
  if (!is_name_start(c)) return lex_operator();
  std::size_t end = pos_;
  while (end < source_.size() && (is_name_start(source_[end]) || is_digit(source_[end]))) ++end;
  if (end - pos_ > kMaxNameBytes)
    fail(fmt::format("a name is longer than {} bytes", kMaxNameBytes));
  push(TokenKind::name, source_.substr(pos_, end - pos_));
  advance(end);
}

// The end of the digits at `pos`. Single underscores between digits are allowed.
std::size_t Lexer::scan_digits(std::size_t pos) const {
  const auto digit = [this](std::size_t i) { return i < source_.size() && is_digit(source_[i]); };
  while (digit(pos) || (at("_", pos) && digit(pos + 1))) ++pos;
  return pos;
}

void Lexer::lex_number() {
  const auto digit = [this](std::size_t i) { return i < source_.size() && is_digit(source_[i]); };
  std::size_t end = scan_digits(pos_);
  bool real = false;
  const bool after_dot = pos_ > 0 && source_[pos_ - 1] == '.';
  if (!after_dot && at(".", end) && digit(end + 1)) {
    real = true;
    end = scan_digits(end + 1);
  }
  if (!after_dot && (at("e", end) || at("E", end))) {
    const std::size_t sign = at("-", end + 1) || at("+", end + 1) ? 1 : 0;
    if (digit(end + 1 + sign)) {
      real = true;
      end = scan_digits(end + 1 + sign);
    }
  }
  std::string digits(source_.substr(pos_, end - pos_));
  digits.erase(std::remove(digits.begin(), digits.end(), '_'), digits.end());
  Token& token = push(real ? TokenKind::real : TokenKind::integer, digits);
  const char* last = digits.data() + digits.size();
  if (real) {
    token.real = std::strtod(digits.c_str(), nullptr);
  } else if (std::from_chars(digits.data(), last, token.integer).ec != std::errc()) {
    fail(fmt::format("the integer {:.40} does not fit 64 bits", digits));
  }
  advance(end);
}

// Appends the Python escape after the backslash at pos - 1, and moves pos past it. Unknown escapes
// stay as they are.
void Lexer::append_escape(std::string& out, std::size_t& pos) const {
  const char c = source_[pos++];
  constexpr std::string_view kLetters = "abfnrtv\\'\"";
  constexpr std::string_view kMeanings = "\a\b\f\n\r\t\v\\'\"";
  if (const std::size_t i = kLetters.find(c); i != kNone) {
    out += kMeanings[i];
    return;
  }
  if (c == '\n') return;
  const bool octal = c >= '0' && c <= '7';
  const std::size_t width = octal ? 3 : c == 'x' ? 2 : c == 'u' ? 4 : c == 'U' ? 8 : 0;
  if (width == 0) {
    out += '\\';
    out += c;
    return;
  }
  std::uint32_t code_point = 0;
  const char* first = source_.data() + (octal ? pos - 1 : pos);
  const char* limit = std::min(first + width, source_.data() + source_.size());
  const auto parsed = std::from_chars(first, limit, code_point, octal ? 8 : 16);
  if (parsed.ec != std::errc() || (!octal && parsed.ptr != first + width)) {
    fail(fmt::format("a string has a cut-off \\{} escape", c));
  }
  append_utf8(out, code_point);
  pos = static_cast<std::size_t>(parsed.ptr - source_.data());
}

void Lexer::lex_string() {
  const char quote = source_[pos_];
  std::size_t end = pos_ + 1;
  while (end < source_.size() && source_[end] != quote) end += source_[end] == '\\' ? 2 : 1;
  if (end >= source_.size()) fail("a string is never closed");
  std::string value;
  for (std::size_t pos = pos_ + 1; pos < end;) {
    const char c = source_[pos++];
    if (c == '\\') {
      append_escape(value, pos);
    } else {
      value += c;
    }
  }
  push(TokenKind::string, value);
  advance(end + 1);
}

void Lexer::lex_operator() {
  constexpr std::array<std::string_view, 6> kDouble = {"//", "**", "==", "!=", ">=", "<="};
  std::size_t length = 1;
  for (const std::string_view op : kDouble) length = at(op, pos_) ? 2 : length;
  const char c = source_[pos_];
  if (length == 1 && std::string_view("+-/*%~[](){}><=.:|,;").find(c) == kNone) {
    fail(fmt::format("unexpected character '{}'", c < 0x20 || c > 0x7E ? '?' : c));
  }
  const std::size_t open = std::string_view("([{").find(c);
  const std::size_t close = std::string_view(")]}").find(c);
  if (open != kNone) open_brackets_ += ")]}"[open];
  if (close != kNone) {
    if (open_brackets_.empty()) fail(fmt::format("unexpected '{}'", c));
    if (open_brackets_.back() != c) {
      fail(fmt::format("unexpected '{}', expected '{}'", c, open_brackets_.back()));
    }
    open_brackets_.pop_back();
  }
  push(TokenKind::op, source_.substr(pos_, length));
  advance(pos_ + length);
}

std::vector<Token> Lexer::run() {
  while (pos_ < source_.size()) {
    const std::size_t tag = next_tag();
    if (tag == source_.size()) {
      push_data(tag, '+', false);
      break;
    }
    const char kind = source_[tag + 1];
    const char sign = tag + 2 < source_.size() ? source_[tag + 2] : '\0';
    push_data(tag, sign, kind != '{');
    if (kind == '#') {
      lex_comment();
    } else if (kind == '{' || !lex_raw()) {
      lex_tag(kind == '%');
    }
  }
  push(TokenKind::end, "");
  return std::move(tokens_);
}

}  // namespace

std::vector<Token> tokenize(std::string_view source) {
  return Lexer(source).run();
}

const Token& TokenStream::next() const {
  return tokens_[std::min(pos_ + 1, tokens_.size() - 1)];
}

bool TokenStream::at_op(std::string_view op) const {
  return current().kind == TokenKind::op && current().text == op;
}

bool TokenStream::at_name(std::string_view name) const {
  return current().kind == TokenKind::name && current().text == name;
}

bool TokenStream::accept_op(std::string_view op) {
  if (!at_op(op)) return false;
  take();
  return true;
}

bool TokenStream::accept_name(std::string_view name) {
  if (!at_name(name)) return false;
  take();
  return true;
}

void TokenStream::expect_op(std::string_view op) {
  if (!accept_op(op)) fail_unexpected(fmt::format("'{}'", op));
}

std::string TokenStream::expect_name() {
  if (current().kind != TokenKind::name) fail_unexpected("a name");
  return take().text;
}

void TokenStream::fail(std::string_view message) const {
  throw ModelError(fmt::format("line {}: {}", current().line, message));
}

void TokenStream::fail_unexpected(std::string_view expected) const {
  const Token& token = current();
  if (token.kind == TokenKind::end) fail(fmt::format("the template ends, expected {}", expected));
  const bool shown = token.kind != TokenKind::data && token.kind != TokenKind::string;
  fail(fmt::format("found {}, expected {}", shown ? fmt::format("'{:.40}'", token.text) : "text",
                   expected));
}

}  // namespace confab::engine::jinja
