// SPDX-License-Identifier: MIT
// A JSON text as a tree that keeps the order of names, and numbers as they are written.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace confab::engine {

struct SchemaNode {
  enum class Kind { null, boolean, number, string, list, object };

  Kind kind = Kind::null;
  bool truth = false;                       // of a boolean
  std::string text = {};                    // of a string; of a number, as it is written
  std::vector<std::string> names = {};      // of an object
  std::vector<SchemaNode> items = {};       // of a list; of an object the values of its names
  std::vector<std::uint32_t> by_name = {};  // of an object with many names: these in order

  // Throws ModelError: the text is not JSON, nested too deeply, or has too many values.
  static SchemaNode parse(std::string_view json);

  bool is_null() const noexcept { return kind == Kind::null; }
  bool is_boolean() const noexcept { return kind == Kind::boolean; }
  bool is_number() const noexcept { return kind == Kind::number; }
  bool is_string() const noexcept { return kind == Kind::string; }
  bool is_list() const noexcept { return kind == Kind::list; }
  bool is_object() const noexcept { return kind == Kind::object; }
  // The value of a name, nullptr: there is none. Of a name that is there twice, the last one.
  const SchemaNode* find(std::string_view name) const noexcept;
  void sort_names();  // all of them are there
  bool contains(std::string_view name) const noexcept { return find(name) != nullptr; }
  // The names of an object and their values; borrowed.
  struct Member {
    const std::string& name;
    const SchemaNode& value;
  };
  std::vector<Member> members() const;
};

}  // namespace confab::engine
