// SPDX-License-Identifier: MIT
// Programming languages as tables: what a scanner needs to recognise their words, strings and
// comments. The tables are in language_data.cpp; a new language is a row there.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "ui/style.h"

namespace confab::ui {

// A string or comment between two marks.
struct Enclosed {
  enum class Marks : std::uint8_t {
    fixed,         // `open` and `close` as written
    raw_cpp,       // open, a delimiter, ( ... ) the delimiter, close: R"x(...)x"
    hashes,        // open, #s, close ... close, as many #s: r#"..."#
    long_bracket,  // open, [, =s, [ ... ], as many =s, ]: [==[...]==]
    tagged,        // open, a name, open ... the same again: $tag$...$tag$
  };
  std::string_view open = {};
  std::string_view close = {};
  Role role = Role::code_string;
  Marks marks = Marks::fixed;
  char escape = '\\';       // makes the next character literal; 0: none
  bool multi_line = false;  // if false, it ends with its line, unless the line ends in the escape
  bool nests = false;
  bool line_start = false;              // opens only at the start of a line
  std::string_view interpolation = {};  // begins code inside the string: "${"
};

// The scanner that reads a language.
enum class Grammar : std::uint8_t { code, markup, diff, markdown, console };

// The form of a key at the beginning of a line, which names a value.
enum class Keys : std::uint8_t {
  none,
  assignment,  // name = value
  yaml,        // name: value, and block scalars
  css,         // name: value, but not a selector like a:hover
};

// Lists are separated by spaces.
struct Language {
  std::string_view names;  // in lower case: names in fences, and file extensions
  Grammar grammar = Grammar::code;
  std::span<const Enclosed> enclosed = {};  // the first match counts
  std::string_view line_comments = {};
  std::string_view keywords = {};
  std::string_view types = {};
  std::string_view constants = {};
  std::string_view functions = {};
  std::string_view word_chars = {};     // in words, besides letters, digits and _
  std::string_view prefixes = {};       // letters that may precede a quote: r"..."
  std::string_view heredoc = {};        // the mark before the word: "<<"
  std::string_view sigils = {};         // characters that begin the name of a variable
  std::string_view command_marks = {};  // a command follows these and stands first in a line
  std::string_view binders = {};        // keywords that are not followed by a command
  Role sigil_role = Role::code_type;
  char decorator = 0;  // makes the name after it code_meta
  char atom = 0;       // makes the name after it a constant
  Keys keys = Keys::none;
  bool ignore_case = false;
  bool capital_types = false;  // capitalised words are types
  bool spaced_marks = false;   // comments and strings begin only where a word could
  bool char_literals = false;  // 'c', in a language where ' has other meanings too
  bool preprocessor = false;   // a line that begins with # is a directive
  bool regexes = false;        // /.../
  bool macros = false;         // name! is a function
  bool tags = false;           // <Name> among code
  bool labels = false;         // the first word of a line is a name if a colon follows
  bool string_keys = false;    // "name": value
};

// Returns the language of a fence's info string ("python", "C++ title=x", "{.rust}", "main.go"), or
// nullptr if it is unknown. Languages live as long as the program.
const Language* find_language(std::string_view info);

// The role of a word in a language. Returns nullopt if the tables do not list it.
std::optional<Role> word_role(const Language& language, std::string_view word);

namespace data {
std::span<const Language> languages() noexcept;
}

}  // namespace confab::ui
