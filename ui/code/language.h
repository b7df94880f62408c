// SPDX-License-Identifier: MIT
// Programming languages as tables: what a scanner needs to tell their words, strings and comments.
// The tables are in language_data.cpp; a new language is a row there.
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
    fixed,         // `open` and `close` as they are
    raw_cpp,       // open, a delimiter, ( ... ) the delimiter, close: R"x(...)x"
    hashes,        // open, #s, close ... close, as many #s: r#"..."#
    long_bracket,  // open, [, =s, [ ... ], as many =s, ]: [==[...]==]
    tagged,        // open, a name, open ... the same again: $tag$...$tag$
  };
  std::string_view open = {};
  std::string_view close = {};
  Role role = Role::code_string;
  Marks marks = Marks::fixed;
  char escape = '\\';       // the character behind it stands for itself; 0: none
  bool multi_line = false;  // others end with their line, unless that ends in the escape
  bool nests = false;
  bool line_start = false;              // opens only where a line begins
  std::string_view interpolation = {};  // begins code inside: "${"
};

// Which scanner reads a language.
enum class Grammar : std::uint8_t { code, markup, diff, markdown, console };

// What begins a line and names a value.
enum class Keys : std::uint8_t {
  none,
  assignment,  // name = value
  yaml,        // name: value, and block scalars
  css,         // name: value, but not a selector such as a:hover
};

// Lists are separated by spaces.
struct Language {
  std::string_view names;  // in lower case, as fences say them, and file extensions
  Grammar grammar = Grammar::code;
  std::span<const Enclosed> enclosed = {};  // the first that opens counts
  std::string_view line_comments = {};
  std::string_view keywords = {};
  std::string_view types = {};
  std::string_view constants = {};
  std::string_view functions = {};
  std::string_view word_chars = {};     // that words hold beside letters, digits and _
  std::string_view prefixes = {};       // the letters that stand before a quote: r"..."
  std::string_view heredoc = {};        // the mark before its word: "<<"
  std::string_view sigils = {};         // each begins the name of a variable
  std::string_view command_marks = {};  // behind these, and first in a line, stands a command
  std::string_view binders = {};        // keywords that no command follows
  Role sigil_role = Role::code_type;
  char decorator = 0;  // with the name behind it code_meta
  char atom = 0;       // with the name behind it a constant
  Keys keys = Keys::none;
  bool ignore_case = false;
  bool capital_types = false;  // words such as This are types
  bool spaced_marks = false;   // comments and strings begin only where a word does
  bool char_literals = false;  // 'c', where ' has other meanings too
  bool preprocessor = false;   // lines that begin with #
  bool regexes = false;        // /.../
  bool macros = false;         // name! is a function
  bool tags = false;           // <Name> among code
  bool labels = false;         // a line's first word before a colon is a name
  bool string_keys = false;    // "name": value
};

// The language of a fence's info string ("python", "C++ title=x", "{.rust}", "main.go"); nullptr
// when it names none that is known. Languages live as long as the program.
const Language* find_language(std::string_view info);

// What a word is in a language; nullopt: nothing that the tables know.
std::optional<Role> word_role(const Language& language, std::string_view word);

namespace data {
std::span<const Language> languages() noexcept;
}

}  // namespace confab::ui
