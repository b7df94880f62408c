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
  std::string text;              // a whole replacement for the word
  std::string description = {};  // short; shown beside it
  bool operator==(const Candidate&) const = default;
};

// What all the texts begin with, cut between characters.
std::string common_prefix(const std::vector<Candidate>& candidates);

// Where the word begins that ends the text: behind the last blank, but @"a b is one word.
std::size_t word_begin(std::string_view text) noexcept;

class CompletionMenu {
 public:
  bool is_open() const noexcept { return !candidates_.empty(); }
  void open(std::vector<Candidate> candidates);  // none is chosen yet
  void close() noexcept;

  // Chooses the next (+1) or the one before (-1), round and round, and tells it.
  const Candidate& step(int n);

  // Chooses the one that stands in a row of as many as lines() has given.
  void choose_shown(std::size_t row, std::size_t n_rows);
  // Of the candidates; nullopt: none is.
  std::optional<std::size_t> chosen() const noexcept { return chosen_; }

  // At most `rows` lines of at most `width` columns: the candidates around the chosen one, which is
  // Role::selection, their descriptions in a column of their own.
  std::vector<Line> lines(Cols width, Rows rows) const;

 private:
  std::size_t first_of(std::size_t n_shown) const;
  Line line(std::size_t index, Cols texts, Cols width) const;

  std::vector<Candidate> candidates_;
  std::optional<std::size_t> chosen_;
};

}  // namespace confab::ui
