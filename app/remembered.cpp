// SPDX-License-Identifier: MIT
#include "app/remembered.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <sstream>
#include <stdexcept>
#include <utility>

#include "app/save_file.h"
#include "sessions/directory.h"

namespace confab::app {
namespace {

// A file that cannot be read counts as empty: the next choice replaces it.
toml::table read(const std::filesystem::path& file) {
  try {
    return toml::parse_file(file.string());
  } catch (const toml::parse_error&) {
    return {};
  }
}

std::string text_of(const toml::table& table) {
  std::ostringstream out;
  out << "# Written by confab: what was last chosen in the chat. config.toml overrides it.\n";
  for (const auto& [key, value] : table) {
    out << key << " = ";
    if (const auto* real = value.as_floating_point())
      out << fmt::format("{}", real->get());  // 0.4, not all the digits of a double
    else
      value.visit([&](const auto& node) { out << node; });
    out << "\n";
  }
  return out.str();
}

}  // namespace

template <class Change>
std::string Remembered::rewrite(const Change& change) {
  if (file_.empty()) return {};
  try {
    sessions::make_private_directories(file_.parent_path());
    toml::table table = read(file_);
    change(table);
    save_file(file_.string(), text_of(table), Existing::replace);
    return {};
  } catch (const std::runtime_error& fault) {
    file_.clear();
    return fmt::format("{}; your choices will not be remembered", fault.what());
  }
}

std::string Remembered::keep(std::string_view key, const Value& value) {
  return rewrite([&](toml::table& table) {
    if (const auto* number = std::get_if<Number>(&value)) {
      const toml::table parsed = toml::parse("number = " + number->text);
      if (const auto whole = parsed["number"].as_integer())
        table.insert_or_assign(key, whole->get());
      else if (const auto real = parsed["number"].as_floating_point())
        table.insert_or_assign(key, real->get());
    } else if (const auto* text = std::get_if<std::string>(&value)) {
      table.insert_or_assign(key, *text);
    } else {
      table.insert_or_assign(key, std::get<bool>(value));
    }
  });
}

std::string Remembered::forget(std::string_view key) {
  return rewrite([&](toml::table& table) { table.erase(key); });
}

}  // namespace confab::app
