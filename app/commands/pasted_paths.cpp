// SPDX-License-Identifier: MIT
#include "app/commands/pasted_paths.h"

#include <algorithm>

namespace confab::app {
namespace {

// What was pasted may have been written on, and the end of a sentence is no part of a path.
bool same_beginning(std::string_view pasted, std::string_view path) {
  return pasted.starts_with(path) || path.starts_with(pasted);
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

}  // namespace confab::app
