// SPDX-License-Identifier: MIT
// Reads JSON from other people's files and keeps track of the place. Anything unexpected is a
// UserError that says where: "chats.json: [3].mapping.a1.message: found a number, expected an
// object".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.h"

namespace confab::app {

// A value in a JsonDocument, which must outlive the cursor.
class JsonCursor {
 public:
  bool is_array() const noexcept;
  bool is_object() const noexcept;
  bool is_string() const noexcept;

  // Returns nullopt if there is no such member or it is null. Throws if this value is not an
  // object.
  std::optional<JsonCursor> find(std::string_view key) const;
  JsonCursor at(std::string_view key) const;  // throws if it is missing or null
  std::vector<JsonCursor> elements() const;   // elements of an array
  std::vector<std::pair<std::string, JsonCursor>> members() const;  // members of an object

  std::string string() const;
  std::int64_t integer() const;  // a number without a fraction that fits
  double number() const;
  bool boolean() const;

  std::string text() const;  // the value as JSON

  [[noreturn]] void fail(std::string_view what) const;

 private:
  friend class JsonDocument;
  JsonCursor(const base::Json* value, const std::string* file, std::string place)
      : value_(value), file_(file), place_(std::move(place)) {}
  [[noreturn]] void fail_expected(std::string_view expected) const;

  const base::Json* value_;
  const std::string* file_;
  std::string place_;  // empty: the whole document
};

class JsonDocument {
 public:
  // Throws UserError with line and column if the text is not JSON. name: of the file. The parsed
  // document takes at most nine times the memory of the text, or some hundred MB.
  JsonDocument(std::string_view text, std::string name);
  JsonDocument(const JsonDocument&) = delete;
  JsonDocument& operator=(const JsonDocument&) = delete;

  JsonCursor root() const;

 private:
  std::string name_;
  base::Json root_;
};

}  // namespace confab::app
