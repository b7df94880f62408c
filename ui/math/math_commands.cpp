// SPDX-License-Identifier: MIT
// The commands of MathParser that take arguments.
#include <algorithm>
#include <array>

#include "ui/math/math_parser.h"
#include "ui/math/math_text.h"

namespace confab::ui {
namespace {

struct Environment {
  std::string_view name;
  std::string_view left, right;
  std::string_view align;
  int gap;
};
// Names without the star that some of them can have.
constexpr std::array<Environment, 22> kEnvironments = {{
    {"matrix", "", "", "c", 2},    {"smallmatrix", "", "", "c", 2}, {"pmatrix", "(", ")", "c", 2},
    {"bmatrix", "[", "]", "c", 2}, {"Bmatrix", "{", "}", "c", 2},   {"vmatrix", "|", "|", "c", 2},
    {"Vmatrix", "‖", "‖", "c", 2}, {"array", "", "", "c", 2},       {"cases", "{", "", "l", 2},
    {"dcases", "{", "", "l", 2},   {"rcases", "", "}", "l", 2},     {"aligned", "", "", "rl", 0},
    {"align", "", "", "rl", 0},    {"alignat", "", "", "rl", 0},    {"alignedat", "", "", "rl", 0},
    {"flalign", "", "", "rl", 0},  {"split", "", "", "rl", 0},      {"eqnarray", "", "", "rcl", 1},
    {"gather", "", "", "c", 0},    {"gathered", "", "", "c", 0},    {"multline", "", "", "l", 0},
    {"equation", "", "", "l", 0},
}};

const Environment& find_environment(std::string_view name) {
  if (name.ends_with('*')) name.remove_suffix(1);
  const auto* const found = std::ranges::find(kEnvironments, name, &Environment::name);
  return found == kEnvironments.end() ? kEnvironments.back() : *found;
}

bool is_matrix(const Environment& environment) {
  return environment.align == "c" && environment.gap > 0;
}

// Relations that have a struck-out form in Unicode.
constexpr std::array<std::array<std::string_view, 2>, 13> kNegated = {{{"=", "≠"},
                                                                       {"∈", "∉"},
                                                                       {"≡", "≢"},
                                                                       {"⊂", "⊄"},
                                                                       {"⊃", "⊅"},
                                                                       {"⊆", "⊈"},
                                                                       {"∃", "∄"},
                                                                       {"<", "≮"},
                                                                       {">", "≯"},
                                                                       {"≤", "≰"},
                                                                       {"≥", "≱"},
                                                                       {"≈", "≉"},
                                                                       {"∼", "≁"}}};

std::string repeated(std::string_view piece, int n) {
  std::string out;
  for (int i = 0; i < n; ++i) out += piece;
  return out;
}

}  // namespace

struct MathParser::Commands {
  using P = MathParser;
  static constexpr auto kAll = std::to_array<Command>({
      {"frac", &P::fraction_command},
      {"dfrac", &P::fraction_command},
      {"tfrac", &P::fraction_command},
      {"cfrac", &P::fraction_command},
      {"sfrac", &P::fraction_command},
      {"binom", &P::binomial_command},
      {"dbinom", &P::binomial_command},
      {"tbinom", &P::binomial_command},
      {"sqrt", &P::root_command},
      {"text", &P::text_command},
      {"textrm", &P::text_command},
      {"textit", &P::text_command},
      {"textbf", &P::text_command},
      {"texttt", &P::text_command},
      {"textsf", &P::text_command},
      {"textnormal", &P::text_command},
      {"mbox", &P::text_command},
      {"hbox", &P::text_command},
      {"operatorname", &P::name_command},
      {"mathop", &P::name_command},
      {"mathrm", &P::alphabet_command},
      {"mathsf", &P::alphabet_command},
      {"mathtt", &P::alphabet_command},
      {"mathit", &P::alphabet_command},
      {"mathbb", &P::alphabet_command},
      {"mathcal", &P::alphabet_command},
      {"mathscr", &P::alphabet_command},
      {"mathfrak", &P::alphabet_command},
      {"mathbf", &P::alphabet_command},
      {"boldsymbol", &P::alphabet_command},
      {"bm", &P::alphabet_command},
      {"not", &P::negation_command},
      {"overset", &P::over_command},
      {"underset", &P::over_command},
      {"stackrel", &P::over_command},
      {"underbrace", &P::brace_command},
      {"overbrace", &P::brace_command},
      {"xrightarrow", &P::arrow_command},
      {"xleftarrow", &P::arrow_command},
      {"boxed", &P::box_command},
      {"fbox", &P::box_command},
      {"pmod", &P::modulus_command},
      {"tag", &P::tag_command},
      {"label", &P::ignored_argument_command},
      {"color", &P::ignored_argument_command},
      {"textcolor", &P::ignored_argument_command},
      {"phantom", &P::ignored_argument_command},
      {"hphantom", &P::ignored_argument_command},
      {"vphantom", &P::ignored_argument_command},
      {"hspace", &P::space_argument_command},
      {"mspace", &P::space_argument_command},
      {"left", &P::left_command},
      {"begin", &P::begin_command},
  });
};

MathParser::Handler MathParser::find_handler(std::string_view command) {
  const auto* const found = std::ranges::find(Commands::kAll, command, &Command::name);
  if (found != Commands::kAll.end()) return found->handler;
  return combining_accent(command).empty() ? nullptr : &MathParser::accent_command;
}

MathParser::Atom MathParser::fraction_command(std::string_view command) {
  if (style_ == Style::display && command != "tfrac") {
    const MathBox top = argument(Style::text);
    const MathBox bottom = argument(Style::text);
    const MathBox rule(repeated("─", std::max(top.width(), bottom.width()) + 2));
    return {MathBox::stack(top, rule, bottom), MathClass::word};
  }
  const Style style = style_ == Style::display ? Style::text : style_;
  const std::string top = argument_line(style);
  return {MathBox(fraction(top, argument_line(style))), MathClass::word};
}

MathParser::Atom MathParser::binomial_command(std::string_view) {
  const MathBox top = argument(Style::text);
  const MathBox bottom = argument(Style::text);
  if (style_ == Style::display)
    return {MathBox::enclosed("(", MathBox::grid({{top}, {bottom}}, "c", 0), ")"), MathClass::word};
  MathBox box("C(");
  box.append(top);
  box.append(", ");
  box.append(bottom);
  box.append(")");
  return {box, MathClass::word};
}

MathParser::Atom MathParser::root_command(std::string_view) {
  const std::string degree = plain_text(take_optional_argument());
  const Style style = style_ == Style::display ? Style::text : style_;
  return {MathBox(root(degree, argument_line(style)))};
}

MathParser::Atom MathParser::text_command(std::string_view) {
  return {MathBox(plain_text(take_raw_argument()))};
}

MathParser::Atom MathParser::name_command(std::string_view) {
  if (!at_end() && tex_[at_] == '*') ++at_;
  return {MathBox(argument_line(Style::text)), MathClass::word, MathClass::word, true};
}

MathParser::Atom MathParser::alphabet_command(std::string_view command) {
  return {MathBox(in_alphabet(command, argument_line(Style::text)))};
}

MathParser::Atom MathParser::accent_command(std::string_view command) {
  return {MathBox(accented(command, argument_line(Style::text)))};
}

MathParser::Atom MathParser::negation_command(std::string_view command) {
  skip_spaces();
  if (at_stop() || depth_ == kMaxDepth) return {};
  ++depth_;
  const Atom atom = this->atom();
  --depth_;
  const auto* const known =
      std::ranges::find(kNegated, atom.box.line(), [](const auto& pair) { return pair[0]; });
  if (known != kNegated.end()) return {MathBox((*known)[1]), atom.kind};
  return {MathBox(accented(command, atom.box.line())), atom.kind};
}

MathParser::Atom MathParser::over_command(std::string_view command) {
  const MathBox mark = argument(Style::script);
  const MathBox base = argument(Style::text);
  const bool under = command == "underset";
  Atom atom{base, MathClass::rel, MathClass::rel, true};
  set_scripts(atom, under ? mark : MathBox(), under ? MathBox() : mark);
  return atom;
}

MathParser::Atom MathParser::brace_command(std::string_view) {
  return {argument(style_), MathClass::ord, MathClass::ord, true};
}

MathParser::Atom MathParser::arrow_command(std::string_view command) {
  const MathBox label = argument(Style::script);
  const bool right = command == "xrightarrow";
  const bool display = style_ == Style::display;
  const std::string shaft = display ? repeated("─", label.width()) : std::string();
  Atom atom{MathBox(right ? shaft + "→" : "←" + shaft), MathClass::rel, MathClass::rel, true};
  set_scripts(atom, {}, label);
  return atom;
}

MathParser::Atom MathParser::box_command(std::string_view) {
  return {MathBox::enclosed("[", argument(style_), "]")};
}

MathParser::Atom MathParser::modulus_command(std::string_view) {
  return {MathBox("(mod " + argument_line(Style::text) + ")"), MathClass::word};
}

MathParser::Atom MathParser::tag_command(std::string_view) {
  return {MathBox("    (" + plain_text(take_raw_argument()) + ")"), MathClass::space};
}

MathParser::Atom MathParser::ignored_argument_command(std::string_view) {
  take_raw_argument();
  return {};
}

MathParser::Atom MathParser::space_argument_command(std::string_view) {
  take_raw_argument();
  return {MathBox(" "), MathClass::space};
}

MathParser::Atom MathParser::left_command(std::string_view) {
  const std::string left = take_delimiter();
  if (depth_ == kMaxDepth) return {MathBox(left), MathClass::open};
  ++depth_;
  Run run;
  for (list(run); !at_end() && tex_[at_] != '}' && !at_command("right") && !at_command("end");
       list(run))
    skip_stop();
  --depth_;
  std::string right;
  if (at_command("right")) {
    take_command();
    right = take_delimiter();
  }
  return {MathBox::enclosed(left, run.box, right), MathClass::open, MathClass::close};
}

MathParser::Atom MathParser::begin_command(std::string_view) {
  const std::string_view name = take_raw_argument();
  if (depth_ == kMaxDepth) return {};
  const Environment& environment = find_environment(name);
  if (name == "array" || name.starts_with("aligna") || name == "alignedat") take_raw_argument();
  const Style outer = style_;
  if (style_ == Style::display && environment.gap > 0) style_ = Style::text;
  ++depth_;
  const Cells rows = cells(environment.align == "rl", true);
  --depth_;
  style_ = outer;
  if (at_command("end")) skip_stop();
  MathBox inside;
  if (style_ == Style::display) {
    const bool fenced = !environment.left.empty() || !environment.right.empty();
    inside = MathBox(environment.left.empty() ? "" : " ");
    inside.append(MathBox::grid(rows, alignment(rows, environment.align), environment.gap));
    if (fenced && !environment.right.empty()) inside.append(" ");
  } else {
    inside = in_one_line(rows, is_matrix(environment) ? ", " : " ");
  }
  return {MathBox::enclosed(environment.left, inside, environment.right)};
}

std::string_view MathParser::alignment(const Cells& rows, std::string_view align) {
  const bool one = std::ranges::all_of(rows, [](const auto& row) { return row.size() <= 1; });
  return one && align == "rl" ? "l" : align;
}

MathBox MathParser::in_one_line(const Cells& rows, std::string_view separator) {
  MathBox out;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (i > 0) out.append("; ");
    for (std::size_t j = 0; j < rows[i].size(); ++j) {
      if (j > 0 && !rows[i][j].line().starts_with(' ')) out.append(separator);
      out.append(rows[i][j]);
    }
  }
  return out;
}

}  // namespace confab::ui
