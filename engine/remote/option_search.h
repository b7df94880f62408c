// SPDX-License-Identifier: MIT
// How likely options are, of what an engine tells of the next token alone: it is asked again behind
// each beginning that several options share, so that what is known in the end is exact but for what
// is not among the likeliest tokens.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/api/events.h"

namespace confab::engine {

// A token and how likely it is, as an engine tells it.
struct TokenChance {
  std::string text;
  double log_p = 0;
};

class OptionSearch {
 public:
  explicit OptionSearch(std::vector<std::string> options);

  // The beginning of the answer whose next token is to be looked at, "" at first; nullopt: all is
  // known. Throws ModelError, once it has been asked so often that it is not worth it.
  std::optional<std::string> next() const;
  // What may follow next(). White space before the answer is none of it.
  void take(const std::vector<TokenChance>& chances);
  // Each option has what the tokens have together that lead to it and to no other; one that others
  // go on from has what does not lead to these. So none counts another one's, and as tokens, which
  // are not known here, each has its number. One that no token leads to is as good as impossible.
  std::vector<OptionScore> scores() const;
  // Whether any is likely enough to be told from the others.
  bool has_found() const noexcept;
  int n_asked() const noexcept { return n_asked_; }
  // Two of the options that next() is the beginning of, quoted: "'north' and 'no'".
  std::string alike() const;

 private:
  std::vector<std::size_t> options_with(std::string_view beginning) const;

  std::vector<std::string> options_;
  std::vector<double> p_;
  std::map<std::string, double> open_ = {{"", 1.0}};  // beginnings, and how likely each is
  int n_asked_ = 0;
};

}  // namespace confab::engine
