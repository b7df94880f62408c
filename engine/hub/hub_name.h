// SPDX-License-Identifier: MIT
// Names of a hub's repositories and files, as given by users and servers. Neither source is
// trusted.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace confab::engine {

// "org/name", "org/name:Q4_K_M", "org/name/file.gguf" or "org/name:file.gguf".
struct HubName {
  std::string owner;
  std::string name;
  std::string choice = {};  // a quantisation, or a file of the repository; empty: any
  std::string repository() const { return owner + "/" + name; }
  bool operator==(const HubName&) const = default;
};

// Parses a name as typed. It may begin with the hub's address, as copied from a browser. nullopt:
// not such a name.
std::optional<HubName> parse_hub_name(std::string_view text);

// Returns true if a file of ours may have this name: a relative path of plain names, at most 1024
// bytes, without control characters, that stays inside its folder.
bool is_safe_path(std::string_view path) noexcept;

// "Q4_K_M" for "dir/Model-Q4_K_M-00001-of-00002.gguf"; "UD-Q4_K_XL" keeps its prefix. Empty: the
// name contains no quantisation.
std::string quantisation_of(std::string_view path);

}  // namespace confab::engine
