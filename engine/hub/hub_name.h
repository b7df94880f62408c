// SPDX-License-Identifier: MIT
// What a hub's repositories and files are called, by people and by servers. Neither is believed.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace confab::engine {

// "org/name", "org/name:Q4_K_M", "org/name/file.gguf" and "org/name:file.gguf".
struct HubName {
  std::string owner;
  std::string name;
  std::string choice = {};  // a quantisation, or a file of the repository; empty: any
  std::string repository() const { return owner + "/" + name; }
  bool operator==(const HubName&) const = default;
};

// As it is typed, also with the hub's address before it, as a browser shows it. nullopt: it is no
// such name.
std::optional<HubName> parse_hub_name(std::string_view text);

// Whether a file may be called so in a folder of ours: a relative path of plain names, at most 1024
// bytes, that does not leave its folder and has no control characters.
bool is_safe_path(std::string_view path) noexcept;

// "Q4_K_M" of "dir/Model-Q4_K_M-00001-of-00002.gguf"; "UD-Q4_K_XL" keeps its prefix. Empty: the
// name has none.
std::string quantisation_of(std::string_view path);

}  // namespace confab::engine
