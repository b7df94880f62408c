// SPDX-License-Identifier: MIT
// Grammars with texts that they have and texts that they do not.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "engine/constrain/gbnf.h"
#include "tests/engine/constrain/read_text.h"

namespace confab::engine {

inline constexpr const char* kArithmetic = R"gbnf(
root ::= sum
sum ::= product (" "? [-+] " "? product)*
product ::= factor ([*/] factor)*
factor ::= [0-9]+ | "(" sum ")" | "-" factor
)gbnf";

inline constexpr const char* kJson = R"gbnf(
root   ::= object | array   # the whole text
value  ::= object | array | string | number | ("true" | "false" | "null")
object ::= "{" ws ( string ":" ws value ("," ws string ":" ws value)* )? ws "}"
array  ::= "[" ws ( value ("," ws value)* )? ws "]"
string ::= "\"" ( [^"\\\x7F\x00-\x1F] | "\\" (["\\bfnrt] | "u" "00" [0-9a-fA-F]{2}) )* "\""
number ::= "-"? ("0" | [1-9] [0-9]{0,15}) ("." [0-9]{1,9})? ([eE] [-+]? [1-9] [0-9]{0,1})?
ws     ::= [ \n]{0,4}
)gbnf";

inline constexpr const char* kStatements = R"gbnf(
root ::= statement+
statement ::= "if (" expression ") " block (" else " block)? | name " = " expression ";\n" | block
block ::= "{\n" statement* "}\n"
expression ::= term (" " ("+" | "<" | "==") " " term)*
term ::= name | [0-9]+ | name "(" (expression (", " expression)*)? ")"
name ::= [a-z_] [a-z0-9_]*
)gbnf";

// One text has two readings as long as one likes.
inline constexpr const char* kAmbiguous = R"gbnf(
root ::= pair*
pair ::= "a" pair? "a" | "aa" | "aaa"
)gbnf";

inline constexpr const char* kGrammars[] = {kArithmetic, kJson, kStatements, kAmbiguous};

struct GrammarCase {
  std::string grammar;
  std::vector<std::string> accepted;
  std::vector<std::string> refused;
};

inline TextReader read_gbnf(std::string_view grammar) {
  return TextReader([grammar](RegexSet& r) { return parse_gbnf(r, grammar); });
}

inline void check_grammar(const GrammarCase& one) {
  SCOPED_TRACE(one.grammar);
  TextReader reader = read_gbnf(one.grammar);
  for (const std::string& text : one.accepted) EXPECT_TRUE(reader.accepts(text)) << text;
  for (const std::string& text : one.refused) EXPECT_FALSE(reader.accepts(text)) << text;
}

}  // namespace confab::engine
