// SPDX-License-Identifier: MIT
#include "app/commands/pasted_paths.h"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <vector>

namespace confab::app {
namespace {

// More may have been typed after the pasted text, and punctuation at its end is not part of the
// path.
bool same_beginning(std::string_view pasted, std::string_view path) {
  return pasted.starts_with(path) || path.starts_with(pasted);
}

// Splits one line into words, with quotes and backslashes as in a shell. Returns nothing if the
// text is not such a line.
std::vector<std::string> shell_words(std::string_view line) {
  std::vector<std::string> words;
  bool inside = false;
  char quote = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '\n' || c == '\r') return {};
    if (quote == 0 && c == ' ') {
      inside = false;
      continue;
    }
    if (!inside) words.emplace_back();
    inside = true;
    if (c == quote)
      quote = 0;
    else if (quote == 0 && (c == '\'' || c == '"'))
      quote = c;
    else if (c == '\\' && quote != '\'' && i + 1 < line.size())
      words.back() += line[++i];
    else
      words.back() += c;
  }
  return quote == 0 ? words : std::vector<std::string>();
}

// The path in file:///home/me/a%20b.txt. Other words are returned unchanged.
std::string path_of(const std::string& word) {
  constexpr std::string_view kScheme = "file://";
  if (!word.starts_with(kScheme)) return word;
  std::string path;
  for (std::size_t i = kScheme.size(); i < word.size(); ++i) {
    const auto is_digit = [](char c) {
      return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'F') || (c >= 'a' && c <= 'f');
    };
    if (word[i] == '%' && i + 2 < word.size() && is_digit(word[i + 1]) && is_digit(word[i + 2])) {
      path += static_cast<char>(std::strtol(word.substr(i + 1, 2).c_str(), nullptr, 16));
      i += 2;
    } else {
      path += word[i];
    }
  }
  return path;
}

bool is_file(const std::string& path) {
  std::error_code error;
  const auto is_nameable = [](char c) { return (c < 0 || c >= ' ') && c != '"' && c != '\x7f'; };
  return path.starts_with('/') && std::ranges::all_of(path, is_nameable) &&
         (std::filesystem::is_regular_file(path, error) ||
          std::filesystem::is_directory(path, error));
}

}  // namespace

void PastedPaths::add(std::string_view pasted) {
  for (std::size_t at = pasted.find('@'); at != pasted.npos; at = pasted.find('@', at + 1)) {
    std::string_view rest = pasted.substr(at + 1);
    const bool quoted = rest.starts_with('"');
    if (quoted) rest.remove_prefix(1);
    const std::size_t end = rest.find_first_of(quoted ? "\"\r\n" : " \t\r\n");
    if (const std::string_view path = rest.substr(0, end); !path.empty()) begun_.emplace(path);
    too_many_ |= begun_.size() > kMax;
    if (too_many_) return begun_.clear();
  }
}

bool PastedPaths::has(std::string_view path) const {
  return too_many_ || std::ranges::any_of(begun_, [path](const std::string& pasted) {
           return same_beginning(pasted, path);
         });
}

void PastedPaths::allow(std::string_view path) {
  std::erase_if(begun_, [path](const std::string& pasted) { return same_beginning(pasted, path); });
}

std::optional<std::string> dropped_paths(std::string_view pasted) {
  constexpr std::string_view kBlank = " \t\r\n";
  pasted = pasted.substr(std::min(pasted.find_first_not_of(kBlank), pasted.size()));
  pasted = pasted.substr(0, pasted.find_last_not_of(kBlank) + 1);
  std::string text;
  for (const std::string& word : shell_words(pasted)) {
    const std::string path = path_of(word);
    if (!is_file(path)) return std::nullopt;
    const bool quoted = path.find_first_of(" \t") != std::string::npos;
    text += quoted ? "@\"" + path + "\" " : "@" + path + " ";
  }
  if (text.empty()) return std::nullopt;
  return text;
}

}  // namespace confab::app
