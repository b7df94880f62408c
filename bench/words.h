// SPDX-License-Identifier: MIT
// Text that has the statistics of a person's conversations: words by Zipf's law, questions of some
// 25 words and answers of some 150, both with a long tail. The same in every run.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace confab {

class Words {
 public:
  static constexpr std::size_t kVocabulary = 30'000;

  Words() {
    static constexpr const char* kSyllables[] = {
        "ba", "cor", "di",  "fen", "gu", "ha",  "ist", "jo",  "ka", "lem", "mi", "nor",
        "o",  "pel", "qua", "ri",  "sa", "ten", "u",   "vor", "wi", "xa",  "yl", "zu"};
    words_.reserve(kVocabulary);
    double sum = 0;
    for (std::size_t rank = 0; rank < kVocabulary; ++rank) {
      std::string word;
      for (std::size_t n = rank + 24; n > 0; n /= 24) word += kSyllables[n % 24];
      words_.push_back(word);
      sum += 1.0 / static_cast<double>(rank + 1);
      cumulative_.push_back(sum);
    }
  }

  // The word that is so common: 0 is in nearly every text, kVocabulary - 1 in a handful.
  const std::string& word(std::size_t rank) const { return words_.at(rank); }

  std::string text(double median_words) {
    const double n = median_words * std::exp(0.8 * normal_(rng_));
    std::string text;
    for (int i = 0; i < static_cast<int>(std::clamp(n, 1.0, 4000.0)); ++i) {
      if (i > 0) text += i % 12 == 0 ? ". " : " ";
      text += next();
    }
    return text;
  }

 private:
  const std::string& next() {
    const double at = uniform_(rng_) * cumulative_.back();
    const auto it = std::ranges::lower_bound(cumulative_, at);
    return words_[static_cast<std::size_t>(it - cumulative_.begin())];
  }

  std::mt19937 rng_{20260501};
  std::uniform_real_distribution<double> uniform_{0, 1};
  std::normal_distribution<double> normal_{0, 1};
  std::vector<std::string> words_;
  std::vector<double> cumulative_;
};

}  // namespace confab
