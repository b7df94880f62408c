// SPDX-License-Identifier: MIT
// Reads and sets TeX's notation. Only math*.cpp include this.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "ui/math/math_symbols.h"

namespace confab::ui {

// Rows of text with a baseline, which formulas are built from by setting them side by side and
// above each other.
class MathBox {
 public:
  MathBox() = default;  // no rows and no width
  explicit MathBox(std::string_view row);

  bool empty() const noexcept { return rows_.empty(); }
  std::size_t height() const noexcept { return rows_.size(); }
  int width() const noexcept { return width_; }
  // Returns the rows without spaces at their ends.
  std::vector<std::string> rows() const;
  // The row on the baseline. In a box of one row it is the whole box.
  std::string_view line() const noexcept;

  // Appends on the right, baseline on baseline.
  void append(const MathBox& box);
  void append(std::string_view text) { append(MathBox(text)); }

  // Centres `top` and `bottom` over and under `middle`, whose baseline becomes that of the stack.
  // `top` and `bottom` may be empty.
  static MathBox stack(const MathBox& top, const MathBox& middle, const MathBox& bottom);
  // Arranges cells in columns that are `gap` columns apart. `align` has a letter for each column
  // (l, c or r) and repeats after its last one.
  static MathBox grid(const std::vector<std::vector<MathBox>>& rows, std::string_view align,
                      int gap);
  // Puts the box between delimiters of its height. An empty delimiter is left out.
  static MathBox enclosed(std::string_view left, const MathBox& box, std::string_view right);

 private:
  void put_row(std::size_t row, int column, const std::string& text, int width);
  // Adds a box below, `column` columns from the left.
  void add_below(const MathBox& box, int column);

  std::vector<std::string> rows_;
  std::vector<int> widths_;  // widths of the rows without padding
  std::size_t baseline_ = 0;
  int width_ = 0;
};

class MathParser {
 public:
  // With `display` the result may have several rows; otherwise each box has one row.
  MathParser(std::string_view tex, bool display)
      : tex_(tex), style_(display ? Style::display : Style::text) {}

  // Sets the whole text. A text with \\ in it has several lines, each in its own box.
  std::vector<MathBox> lines();

 private:
  // A script has no spaces around operators.
  enum class Style : unsigned char { display, text, script };

  // The unit that formulas are made of. `after` is the class that the next atom sees.
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
    MathClass last = MathClass::none;   // class of the last atom
    MathClass solid = MathClass::none;  // class of the last atom that is not space
    // How many bars are open, in each level of parentheses from the outermost to the innermost.
    std::vector<int> n_bars = {0};
  };

  using Cells = std::vector<std::vector<MathBox>>;
  using Handler = Atom (MathParser::*)(std::string_view command);
  struct Command {
    std::string_view name;
    Handler handler;
  };
  struct Commands;  // the commands that take arguments
  static Handler find_handler(std::string_view command);

  // Deeper nesting is kept as written, so that no text uses stack without bound.
  static constexpr int kMaxDepth = 24;

  bool at_end() const { return at_ >= tex_.size(); }
  bool at_command(std::string_view name) const;
  // Whether the text is at the end of a list of atoms: } & \\ \end \right.
  bool at_stop() const;
  void skip_spaces();
  void skip_stop();
  std::string_view take_command();
  std::string_view take_raw_argument();
  std::string_view take_optional_argument();
  std::string take_delimiter();

  // list() reads atoms up to a stop. group() reads up to the } that closes the group and past other
  // stops.
  void list(Run& run);
  void group(Run& run);
  void add(Run& run, Atom atom) const;
  // Decides what an atom is in its context: which bars open, and which signs belong to the atom
  // after them.
  static void settle(Run& run, Atom& atom);
  // Reads an atom with its scripts.
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
  // Reads lines of cells up to the end of the environment, or of the text outside of one. In an
  // aligned environment every second cell continues the one before it.
  Cells cells(bool aligned, bool inside);
  // Lines without cells are aligned left.
  static std::string_view alignment(const Cells& rows, std::string_view align);
  static MathBox in_one_line(const Cells& rows, std::string_view separator);

  std::string_view tex_;
  std::size_t at_ = 0;
  Style style_;
  int depth_ = 0;
};

}  // namespace confab::ui
