// SPDX-License-Identifier: MIT
#include "engine/prompt/jinja/parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <utility>

#include "engine/prompt/jinja/expression_parser.h"
#include "engine/prompt/jinja/runtime.h"

namespace confab::engine::jinja {
namespace {

using Names = std::initializer_list<std::string_view>;

class Parser {
 public:
  explicit Parser(std::string_view source) : in_(tokenize(source)) {}
  Block parse_template();

 private:
  // Parses statements up to a tag that begins with one of `ends`, and leaves the cursor at that
  // name.
  Block parse_until(Names ends);
  // Parses the last part of a statement together with its end tag.
  Block parse_body(std::string_view end);
  void parse_statement(Block& block);
  void end_tag();
  bool at_any(Names names) const;

  Target parse_target(bool with_attribute);
  Target parse_target_item(bool with_attribute);
  Stmt parse_if();
  Stmt parse_for();
  Stmt parse_set();
  Stmt parse_macro();
  Stmt parse_call();
  Stmt parse_filter_block();
  Stmt parse_with();
  Stmt parse_generation();
  Stmt parse_loop_control();
  Stmt parse_block();
  Stmt parse_autoescape();
  Stmt parse_print();
  [[noreturn]] Stmt refuse_files();
  std::vector<Parameter> parse_parameters();
  MacroBody parse_macro_body(std::string name, std::vector<Parameter> parameters,
                             std::string_view end);

  ExpressionParser in_;
  int nesting_ = 0;
  int loops_ = 0;
};

Block Parser::parse_template() {
  Block block = parse_until({});
  if (in_.current().kind != TokenKind::end) in_.fail_unexpected("a statement");
  return block;
}

bool Parser::at_any(Names names) const {
  return std::any_of(names.begin(), names.end(),
                     [this](std::string_view name) { return in_.at_name(name); });
}

void Parser::end_tag() {
  if (in_.current().kind != TokenKind::block_end) in_.fail_unexpected("the end of the tag");
  in_.take();
}

Block Parser::parse_until(Names ends) {
  if (++nesting_ > kMaxNesting) {
    in_.fail(fmt::format("statements nest deeper than {}", kMaxNesting));
  }
  Block block;
  while (in_.current().kind != TokenKind::end) {
    const int line = in_.current().line;
    if (in_.current().kind == TokenKind::data) {
      block.push_back(std::make_unique<const Stmt>(Stmt{line, Data{in_.take().text}}));
    } else if (in_.current().kind == TokenKind::variable_begin) {
      in_.take();
      block.push_back(std::make_unique<const Stmt>(Stmt{line, Output{in_.parse_tuple()}}));
      if (in_.current().kind != TokenKind::variable_end) in_.fail_unexpected("'}}'");
      in_.take();
    } else {
      in_.take();
      if (at_any(ends)) break;
      parse_statement(block);
    }
  }
  if (in_.current().kind == TokenKind::end && ends.size() > 0) {
    in_.fail_unexpected(fmt::format("'{}'", *(ends.end() - 1)));
  }
  --nesting_;
  return block;
}

Block Parser::parse_body(std::string_view end) {
  end_tag();
  Block body = parse_until({end});
  in_.expect_name();
  end_tag();
  return body;
}

void Parser::parse_statement(Block& block) {
  using Parse = Stmt (Parser::*)();
  constexpr std::pair<std::string_view, Parse> kStatements[] = {
      {"if", &Parser::parse_if},
      {"for", &Parser::parse_for},
      {"set", &Parser::parse_set},
      {"macro", &Parser::parse_macro},
      {"call", &Parser::parse_call},
      {"filter", &Parser::parse_filter_block},
      {"with", &Parser::parse_with},
      {"generation", &Parser::parse_generation},
      {"block", &Parser::parse_block},
      {"autoescape", &Parser::parse_autoescape},
      {"print", &Parser::parse_print},
      {"include", &Parser::refuse_files},
      {"import", &Parser::refuse_files},
      {"from", &Parser::refuse_files},
      {"extends", &Parser::refuse_files},
      {"break", &Parser::parse_loop_control},
      {"continue", &Parser::parse_loop_control},
  };
  const int line = in_.current().line;
  for (const auto& [name, parse] : kStatements) {
    if (!in_.at_name(name)) continue;
    Stmt statement = (this->*parse)();
    statement.line = line;
    block.push_back(std::make_unique<const Stmt>(std::move(statement)));
    return;
  }
  in_.fail_unexpected("a statement that chat templates use (if, for, set, macro, ...)");
}

Stmt Parser::parse_if() {
  If statement;
  while (in_.accept_name("if") || in_.accept_name("elif")) {
    ExprPtr condition = in_.parse_tuple(false);
    end_tag();
    statement.branches.emplace_back(std::move(condition), parse_until({"elif", "else", "endif"}));
  }
  if (in_.accept_name("else")) {
    statement.otherwise = parse_body("endif");
  } else {
    in_.expect_name();
    end_tag();
  }
  return {0, std::move(statement)};
}

Target Parser::parse_target_item(bool with_attribute) {
  if (in_.accept_op("(")) {
    Target target = parse_target(with_attribute);
    in_.expect_op(")");
    return target;
  }
  Target target;
  target.name = in_.expect_name();
  if (with_attribute && in_.accept_op(".")) target.attribute = in_.expect_name();
  return target;
}

Target Parser::parse_target(bool with_attribute) {
  if (++nesting_ > kMaxNesting) in_.fail(fmt::format("a target nests deeper than {}", kMaxNesting));
  Target first = parse_target_item(with_attribute);
  --nesting_;
  if (!in_.at_op(",")) return first;
  Target tuple;
  tuple.items.push_back(std::move(first));
  while (in_.accept_op(",")) {
    if (in_.at_name("in") || in_.at_op("=") || in_.at_op(")")) break;
    tuple.items.push_back(parse_target_item(with_attribute));
  }
  return tuple;
}

Stmt Parser::parse_for() {
  in_.take();
  For statement;
  statement.target = parse_target(false);
  if (!in_.accept_name("in")) in_.fail_unexpected("'in'");
  statement.iterable = in_.parse_tuple(false);
  if (in_.accept_name("if")) statement.condition = in_.parse_expression();
  statement.recursive = in_.accept_name("recursive");
  end_tag();
  ++loops_;
  statement.body = parse_until({"else", "endfor"});
  --loops_;
  if (in_.accept_name("else")) {
    statement.otherwise = parse_body("endfor");
  } else {
    in_.expect_name();
    end_tag();
  }
  return {0, std::move(statement)};
}

Stmt Parser::parse_set() {
  in_.take();
  Target target = parse_target(true);
  if (in_.accept_op("=")) {
    Set statement{std::move(target), in_.parse_tuple()};
    end_tag();
    return {0, std::move(statement)};
  }
  ExprPtr filters = in_.accept_op("|") ? in_.parse_filters() : nullptr;
  return {0, SetBlock{std::move(target), std::move(filters), parse_body("endset")}};
}

std::vector<Parameter> Parser::parse_parameters() {
  std::vector<Parameter> parameters;
  in_.expect_op("(");
  while (!in_.accept_op(")")) {
    if (!parameters.empty()) in_.expect_op(",");
    if (in_.accept_op(")")) break;
    std::string name = in_.expect_name();
    ExprPtr fallback = in_.accept_op("=") ? in_.parse_expression() : nullptr;
    const bool misplaced =
        fallback == nullptr && !parameters.empty() && parameters.back().fallback != nullptr;
    if (misplaced) in_.fail("a parameter without a default follows one with a default");
    parameters.push_back({std::move(name), std::move(fallback)});
  }
  return parameters;
}

MacroBody Parser::parse_macro_body(std::string name, std::vector<Parameter> parameters,
                                   std::string_view end) {
  const bool outer_varargs = in_.take_used_varargs();
  const bool outer_kwargs = in_.take_used_kwargs();
  const int outer_loops = std::exchange(loops_, 0);
  MacroBody macro{std::move(name), std::move(parameters), parse_body(end), false, false};
  loops_ = outer_loops;
  macro.uses_varargs = in_.take_used_varargs();
  macro.uses_kwargs = in_.take_used_kwargs();
  // If a macro uses varargs or kwargs, the macro around it uses them as well.
  in_.note_used(outer_varargs || macro.uses_varargs, outer_kwargs || macro.uses_kwargs);
  return macro;
}

Stmt Parser::parse_macro() {
  in_.take();
  std::string name = in_.expect_name();
  std::vector<Parameter> parameters = parse_parameters();
  return {0, Macro{parse_macro_body(std::move(name), std::move(parameters), "endmacro")}};
}

Stmt Parser::parse_call() {
  in_.take();
  std::vector<Parameter> parameters;
  if (in_.at_op("(")) parameters = parse_parameters();
  ExprPtr call = in_.parse_expression();
  if (!std::holds_alternative<Call>(call->node)) in_.fail("found no call, expected a macro's");
  MacroBody caller = parse_macro_body("caller", std::move(parameters), "endcall");
  return {0, CallBlock{std::move(call), std::move(caller)}};
}

Stmt Parser::parse_filter_block() {
  in_.take();
  ExprPtr filters = in_.parse_filters();
  return {0, FilterBlock{std::move(filters), parse_body("endfilter")}};
}

Stmt Parser::parse_with() {
  in_.take();
  With statement;
  while (in_.current().kind != TokenKind::block_end) {
    if (!statement.variables.empty()) in_.expect_op(",");
    Target target = parse_target_item(false);
    in_.expect_op("=");
    statement.variables.emplace_back(std::move(target), in_.parse_expression());
  }
  statement.body = parse_body("endwith");
  return {0, std::move(statement)};
}

// Marks what the assistant wrote, for training. When a prompt is rendered, it is only a scope.
Stmt Parser::parse_generation() {
  in_.take();
  return {0, With{{}, parse_body("endgeneration")}};
}

// A block is a place that another template could override. Here its contents are rendered.
Stmt Parser::parse_block() {
  in_.take();
  const std::string name = in_.expect_name();
  while (in_.accept_name("scoped") || in_.accept_name("required")) {
  }
  end_tag();
  With statement{{}, parse_until({"endblock"})};
  in_.expect_name();
  in_.accept_name(name);
  end_tag();
  return {0, std::move(statement)};
}

// Escaping is off in chat templates, so switching it off changes nothing.
Stmt Parser::parse_autoescape() {
  in_.take();
  if (!in_.accept_name("false") && !in_.accept_name("False")) {
    in_.fail_unexpected("'false': a prompt is not escaped as HTML");
  }
  return {0, With{{}, parse_body("endautoescape")}};
}

Stmt Parser::parse_print() {
  in_.take();
  Concat printed;
  while (in_.current().kind != TokenKind::block_end) {
    if (!printed.parts.empty()) in_.expect_op(",");
    printed.parts.push_back(in_.parse_expression());
  }
  const int below = height(printed.parts);
  ExprPtr value = in_.make(in_.current().line, below, std::move(printed));
  end_tag();
  return {0, Output{std::move(value)}};
}

Stmt Parser::refuse_files() {
  in_.fail(fmt::format("'{}' would read another file, which a chat template cannot",
                       in_.current().text));
}

Stmt Parser::parse_loop_control() {
  if (loops_ == 0) in_.fail_unexpected("a statement: this one belongs in a loop");
  const bool is_break = in_.take().text == "break";
  end_tag();
  if (is_break) return {0, Break{}};
  return {0, Continue{}};
}

}  // namespace

Block parse(std::string_view source) {
  return Parser(source).parse_template();
}

}  // namespace confab::engine::jinja
