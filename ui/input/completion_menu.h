// SPDX-License-Identifier: MIT
// The candidates for the word before the caret: which one is chosen, and how they are listed.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ui/style.h"
#include "ui/text.h"

namespace confab::ui {

struct Candidate {
  std::string text;              // replaces the whole word
  std::string description = {};  // short; shown beside the text
  bool operator==(const Candidate&) const = default;
};

// The common prefix of all texts. It does not end inside a character.
std::string common_prefix(const std::vector<Candidate>& candidates);

// Returns where the last word of the text begins: after the last blank. An open quotation such as
// @"a b is one word.
std::size_t word_begin(std::string_view text) noexcept;

class CompletionMenu {
 public:
  bool is_open() const noexcept { return !candidates_.empty(); }
  void open(std::vector<Candidate> candidates);  // no candidate is chosen yet
  void close() noexcept;

  // Chooses and returns the next (+1) or previous (-1) candidate; goes round at the ends.
  const Candidate& step(int n);

  // Chooses the candidate shown in a row, when lines() returned `n_rows` rows.
  void choose_shown(std::size_t row, std::size_t n_rows);
  // An index into the candidates; nullopt if none is chosen.
  std::optional<std::size_t> chosen() const noexcept { return chosen_; }

  // Returns at most `rows` lines of at most `width` columns: the candidates around the chosen one,
  // which has Role::selection. The descriptions stand in a second column.
  std::vector<Line> lines(Cols width, Rows rows) const;

 private:
  std::size_t first_of(std::size_t n_shown) const;
  Line line(std::size_t index, Cols texts, Cols width) const;

  std::vector<Candidate> candidates_;
  std::optional<std::size_t> chosen_;
};

}  // namespace confab::ui
