// SPDX-License-Identifier: MIT
#include "ui/theme.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <optional>
#include <sstream>
#include <system_error>

#include "ui/error.h"
#include "ui/text.h"

namespace confab::ui {
namespace {

constexpr std::array<std::string_view, kRoleCount> kRoleNames = {
    "text",       "user",          "heading",       "emphasis",    "strong",
    "code",       "code_block",    "code_label",    "quote",       "list_mark",
    "link",       "rule",          "dim",           "error",       "notice",
    "status",     "status_accent", "prompt",        "selection",   "code_keyword",
    "code_type",  "code_function", "code_string",   "code_number", "code_comment",
    "code_meta",  "diff_added",    "diff_removed",  "math",        "chip",
    "focus",      "match",         "match_current", "meter_low",   "meter_mid",
    "meter_high", "warning"};

constexpr std::string_view kColors =
    "a colour: \"#rrggbb\", 0 to 255, \"default\" or a name such as \"bright-red\"";

struct Flag {
  std::string_view key;
  bool Look::*member;
};
constexpr std::array<Flag, 6> kFlags = {{{"bold", &Look::bold},
                                         {"italic", &Look::italic},
                                         {"dim", &Look::dim},
                                         {"underline", &Look::underline},
                                         {"strike", &Look::strike},
                                         {"reverse", &Look::reverse}}};

constexpr std::size_t index_of(Role role) {
  return static_cast<std::size_t>(role);
}

// The role whose look a role takes if the file has no entry for it. The stand-in is always declared
// before the role.
Role stand_in(Role role) {
  if (role >= Role::code_keyword && role <= Role::diff_removed) return Role::code_block;
  if (role >= Role::meter_low) return role == Role::meter_low ? Role::status : Role::status_accent;
  switch (role) {
    case Role::math:
      return Role::code;
    case Role::focus:
      return Role::prompt;
    case Role::chip:
    case Role::match:
    case Role::match_current:
      return Role::selection;
    default:
      return Role::text;
  }
}

// Describes an unexpected value for an error message.
std::string describe(const toml::node& node) {
  if (const auto* text = node.as_string()) return fmt::format("\"{}\"", text->get());
  if (const auto* number = node.as_integer()) return fmt::format("{}", number->get());
  if (const auto* flag = node.as_boolean()) return flag->get() ? "true" : "false";
  if (node.is_table()) return "a table";
  return node.is_array() ? "an array" : "something else";
}

class ThemeReader {
 public:
  explicit ThemeReader(const std::string& origin) : origin_(origin) {}

  Theme read(const toml::table& root) const {
    Theme theme;
    for (const auto& [key, value] : root)
      if (key.str() != "name" && key.str() != "roles")
        fail(key.str(), describe(value), "\"name\" or \"roles\"");
    theme.name = read_name(root);
    const toml::node* roles = root.get("roles");
    if (roles == nullptr || !roles->is_table())
      fail("roles", roles == nullptr ? "nothing" : describe(*roles), "a table");
    read_roles(*roles->as_table(), theme);
    return theme;
  }

 private:
  [[noreturn]] void fail(std::string_view key, std::string_view found,
                         std::string_view expected) const {
    throw TerminalError(
        one_line(fmt::format("{}: {}: found {}, expected {}", origin_, key, found, expected)));
  }

  std::string read_name(const toml::table& root) const {
    const toml::node* name = root.get("name");
    if (name == nullptr || !name->is_string() || name->as_string()->get().empty())
      fail("name", name == nullptr ? "nothing" : describe(*name), "the theme's name");
    return one_line(name->as_string()->get());
  }

  void read_roles(const toml::table& roles, Theme& theme) const {
    for (const auto& [key, value] : roles)
      if (std::ranges::find(kRoleNames, key.str()) == kRoleNames.end())
        fail(fmt::format("roles.{}", key.str()), describe(value),
             fmt::format("one of {}", fmt::join(kRoleNames, ", ")));
    for (std::size_t i = 0; i < kRoleCount; ++i) {
      const std::string key = fmt::format("roles.{}", kRoleNames[i]);
      const toml::node* entry = roles.get(kRoleNames[i]);
      if (entry == nullptr) {
        theme.looks[i] = theme.looks[index_of(stand_in(static_cast<Role>(i)))];
        continue;
      }
      if (!entry->is_table()) fail(key, describe(*entry), "a table, such as { bold = true }");
      theme.looks[i] = read_look(key, *entry->as_table());
    }
  }

  Look read_look(const std::string& role, const toml::table& entry) const {
    Look look;
    for (const auto& [name, value] : entry) {
      const std::string key = fmt::format("{}.{}", role, name.str());
      const auto flag = std::ranges::find(kFlags, name.str(), &Flag::key);
      if (name.str() == "fg" || name.str() == "bg") {
        (name.str() == "fg" ? look.fg : look.bg) = read_color(key, value);
      } else if (flag == kFlags.end()) {
        fail(key, describe(value), "fg, bg, bold, italic, dim, underline, strike or reverse");
      } else if (const auto* on = value.as_boolean()) {
        look.*(flag->member) = on->get();
      } else {
        fail(key, describe(value), "true or false");
      }
    }
    return look;
  }

  Color read_color(const std::string& key, const toml::node& value) const {
    std::optional<Color> color;
    if (const auto* text = value.as_string()) color = parse_color(text->get());
    if (const auto* number = value.as_integer()) color = parse_color(std::to_string(number->get()));
    if (!color) fail(key, describe(value), kColors);
    return *color;
  }

  const std::string& origin_;
};

// The default theme uses only colours of the palette and attributes that are readable on any
// background.
struct DefaultLook {
  Role role;
  std::uint8_t fg;  // kNoColor: the terminal's default
  std::initializer_list<bool Look::*> attributes;
};

Theme make_default_theme() {
  // Green, yellow and cyan have a contrast of about 2 on white, and blue on black, so they are not
  // used.
  constexpr std::uint8_t kRed = 1, kMagenta = 5, kBrightBlue = 12;
  constexpr std::uint8_t kNoColor = 255;
  const DefaultLook looks[] = {
      {Role::user, kBrightBlue, {&Look::bold}},
      {Role::heading, kBrightBlue, {&Look::bold}},
      {Role::emphasis, kNoColor, {&Look::italic}},
      {Role::strong, kNoColor, {&Look::bold}},
      {Role::code, kMagenta, {}},
      {Role::code_label, kNoColor, {&Look::dim}},
      {Role::quote, kNoColor, {&Look::italic}},
      {Role::list_mark, kBrightBlue, {}},
      {Role::link, kBrightBlue, {&Look::underline}},
      {Role::rule, kNoColor, {&Look::dim}},
      {Role::dim, kNoColor, {&Look::dim}},
      {Role::error, kRed, {&Look::bold}},
      {Role::notice, kMagenta, {}},
      {Role::status, kNoColor, {&Look::reverse}},
      {Role::status_accent, kNoColor, {&Look::bold, &Look::reverse}},
      {Role::prompt, kMagenta, {&Look::bold}},
      {Role::selection, kNoColor, {&Look::bold, &Look::reverse}},
      {Role::code_keyword, kMagenta, {}},
      {Role::code_type, kBrightBlue, {}},
      {Role::code_function, kBrightBlue, {}},
      {Role::code_string, kRed, {}},
      {Role::code_number, kRed, {&Look::bold}},
      {Role::code_comment, kNoColor, {&Look::dim, &Look::italic}},
      {Role::code_meta, kMagenta, {&Look::dim}},
      {Role::diff_added, kBrightBlue, {}},
      {Role::diff_removed, kRed, {}},
      {Role::math, kBrightBlue, {&Look::italic}},
      {Role::chip, kMagenta, {&Look::reverse}},
      {Role::focus, kMagenta, {&Look::bold}},
      {Role::match, kMagenta, {&Look::underline}},
      {Role::match_current, kMagenta, {&Look::bold, &Look::reverse}},
      {Role::meter_low, kNoColor, {&Look::reverse}},
      {Role::meter_mid, kMagenta, {&Look::reverse}},
      {Role::meter_high, kRed, {&Look::bold, &Look::reverse}},
      {Role::warning, kRed, {&Look::bold, &Look::reverse}},
  };
  Theme theme;
  theme.name = "16-colour";
  for (const DefaultLook& entry : looks) {
    Look& look = theme.looks[index_of(entry.role)];
    if (entry.fg != kNoColor) look.fg = indexed(entry.fg);
    for (bool Look::*attribute : entry.attributes) look.*attribute = true;
  }
  return theme;
}

}  // namespace

Look Theme::look(const Style& style, ColorDepth depth) const {
  Look look = looks[index_of(style.role)];
  // Without colours, reverse video keeps a background distinguishable.
  if (depth == ColorDepth::none && look.bg != Color{}) look.reverse = true;
  look.fg = convert(look.fg, depth);
  look.bg = convert(look.bg, depth);
  look.bold |= style.bold;
  look.italic |= style.italic;
  look.underline |= style.underline;
  look.strike |= style.strike;
  return look;
}

std::string_view role_name(Role role) {
  return kRoleNames[index_of(role)];
}

const Theme& default_theme() {
  static const Theme theme = make_default_theme();
  return theme;
}

Theme load_theme(const std::string& path) {
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) errno = EISDIR;
  if (!file || errno == EISDIR)
    throw TerminalError(one_line(fmt::format("{}: cannot read: {}", path, std::strerror(errno))));
  std::ostringstream text;
  text << file.rdbuf();
  return parse_theme(text.str(), path);
}

Theme parse_theme(std::string_view toml, const std::string& origin) {
  toml::table root;
  try {
    root = toml::parse(toml, origin);
  } catch (const toml::parse_error& error) {
    throw TerminalError(one_line(fmt::format("{}: line {}: not TOML: {}", origin,
                                             error.source().begin.line, error.description())));
  }
  return ThemeReader(origin).read(root);
}

}  // namespace confab::ui
