// SPDX-License-Identifier: MIT
#include "tests/ui/escape_corpus.h"

#include <fstream>
#include <stdexcept>
#include <string_view>

namespace confab::ui {
namespace {

std::string unescaped(std::string_view line) {
  std::string bytes;
  while (!line.empty()) {
    const bool escaped = line[0] == '\\';
    bytes += escaped ? static_cast<char>(std::stoi(std::string(line.substr(2, 2)), nullptr, 16))
                     : line[0];
    line.remove_prefix(escaped ? 4 : 1);
  }
  return bytes;
}

std::vector<std::string> read_corpus() {
  const std::string path = CONFAB_SOURCE_DIR "/tests/data/escapes/corpus.txt";
  std::ifstream file(path);
  if (!file) throw std::runtime_error(path + ": cannot read");
  std::vector<std::string> corpus;
  for (std::string line; std::getline(file, line);)
    if (!line.starts_with('#')) corpus.push_back(unescaped(line));
  return corpus;
}

}  // namespace

const std::vector<std::string>& escape_corpus() {
  static const std::vector<std::string> corpus = read_corpus();
  return corpus;
}

std::vector<std::size_t> split_points(const std::string& text) {
  constexpr std::size_t kMost = 100;
  std::vector<std::size_t> points;
  const std::size_t step = text.size() <= kMost ? 1 : text.size() / kMost;
  for (std::size_t at = 0; at <= text.size(); at += step) points.push_back(at);
  return points;
}

}  // namespace confab::ui
