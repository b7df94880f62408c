// SPDX-License-Identifier: MIT
// TeX's notation read and set. Only math.cpp needs this.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "ui/math/math_symbols.h"

namespace confab::ui {

// Rows of text set side by side and above each other: what formulas are built from.
class MathBox {
 public:
  MathBox() = default;  // no rows and no width
  explicit MathBox(std::string_view row);

  bool empty() const noexcept { return rows_.empty(); }
  std::size_t height() const noexcept { return rows_.size(); }
  int width() const noexcept { return width_; }
  // The rows, without spaces at their ends.
  std::vector<std::string> rows() const;
  // The row on the baseline; all there is of a box of one row.
  std::string_view line() const noexcept;

  // To the right, baseline on baseline.
  void append(const MathBox& box);
  void append(std::string_view text) { append(MathBox(text)); }

  // `top` and `bottom`, which may be empty, centred over and under `middle`, whose baseline counts.
  static MathBox stack(const MathBox& top, const MathBox& middle, const MathBox& bottom);
  // Rows of cells in columns, `gap` columns apart. `align` has a letter for each column (l, c or
  // r), and begins again behind its last.
  static MathBox grid(const std::vector<std::vector<MathBox>>& rows, std::string_view align,
                      int gap);
  // Between delimiters as high as the box; an empty one is none.
  static MathBox enclosed(std::string_view left, const MathBox& box, std::string_view right);

 private:
  void put_row(std::size_t row, int column, const std::string& text, int width);
  // Adds a box below, `column` columns from the left.
  void add_below(const MathBox& box, int column);

  std::vector<std::string> rows_;
  std::vector<int> widths_;  // of the rows, without what would pad them
  std::size_t baseline_ = 0;
  int width_ = 0;
};

class MathParser {
 public:
  // A display may take several rows; a formula that is none is a box of one row.
  MathParser(std::string_view tex, bool display)
      : tex_(tex), style_(display ? Style::display : Style::text) {}

  // All of the text; its lines, when it has some (\\), as boxes of their own.
  std::vector<MathBox> lines();

 private:
  // In a script there are no spaces around operators.
  enum class Style : unsigned char { display, text, script };

  // What a formula is made of. `after` is what it looks like to the atom behind it.
  struct Atom {
    MathBox box;
    MathClass kind = MathClass::ord;
    MathClass after = kind;
    bool limits = false;
    bool scripted = false;
  };

  // Atoms in a row.
  struct Run {
    MathBox box;
    MathClass last = MathClass::none;   // of the last atom
    MathClass solid = MathClass::none;  // of the last one that is not space
    // Bars that are open in the innermost parentheses, and in each of those around them.
    std::vector<int> n_bars = {0};
  };

  using Cells = std::vector<std::vector<MathBox>>;
  using Handler = Atom (MathParser::*)(std::string_view command);
  struct Command {
    std::string_view name;
    Handler handler;
  };
  struct Commands;  // those that take arguments
  static Handler find_handler(std::string_view command);

  // What is nested deeper stays as it is written, so that none costs stack without bound.
  static constexpr int kMaxDepth = 24;

  bool at_end() const { return at_ >= tex_.size(); }
  bool at_command(std::string_view name) const;
  // Before what ends a list of atoms: } & \\ \end \right.
  bool at_stop() const;
  void skip_spaces();
  void skip_stop();
  std::string_view take_command();
  std::string_view take_raw_argument();
  std::string_view take_optional_argument();
  std::string take_delimiter();

  // Atoms up to a stop; up to the } that closes the group, past other stops.
  void list(Run& run);
  void group(Run& run);
  void add(Run& run, Atom atom) const;
  // What an atom is where it stands: which bars open, and which signs belong to what follows them.
  static void settle(Run& run, Atom& atom);
  // An atom with its scripts.
  Atom scripted_atom();
  void set_scripts(Atom& atom, const MathBox& below, const MathBox& above) const;
  Atom atom();
  Atom character();
  Atom command();
  MathBox argument(Style style);
  std::string argument_line(Style style);

  Atom fraction_command(std::string_view command);
  Atom binomial_command(std::string_view command);
  Atom root_command(std::string_view command);
  Atom text_command(std::string_view command);
  Atom name_command(std::string_view command);
  Atom alphabet_command(std::string_view command);
  Atom accent_command(std::string_view command);
  Atom negation_command(std::string_view command);
  Atom over_command(std::string_view command);
  Atom brace_command(std::string_view command);
  Atom arrow_command(std::string_view command);
  Atom box_command(std::string_view command);
  Atom modulus_command(std::string_view command);
  Atom tag_command(std::string_view command);
  Atom ignored_argument_command(std::string_view command);
  Atom space_argument_command(std::string_view command);
  Atom left_command(std::string_view command);
  Atom begin_command(std::string_view command);
  // Lines of cells to the end of the environment, or of the text when there is none around it. In
  // aligned ones every other cell continues the one before it.
  Cells cells(bool aligned, bool inside);
  // Lines that are not divided begin on the left.
  static std::string_view alignment(const Cells& rows, std::string_view align);
  static MathBox in_one_line(const Cells& rows, std::string_view separator);

  std::string_view tex_;
  std::size_t at_ = 0;
  Style style_;
  int depth_ = 0;
};

}  // namespace confab::ui
