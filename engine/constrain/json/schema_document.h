// SPDX-License-Identifier: MIT
// Reads the text of a JSON Schema and resolves its references (draft 2020-12, sections 8 and 9).
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace confab::engine {

// A JSON text as a tree. It keeps the order of names, and numbers as they are written.
struct SchemaNode {
  enum class Kind { null, boolean, number, string, list, object };

  Kind kind = Kind::null;
  bool truth = false;                       // of a boolean
  std::string text = {};                    // of a string; of a number, as it is written
  std::vector<std::string> names = {};      // of an object
  std::vector<SchemaNode> items = {};       // of a list; the values of an object's names
  std::vector<std::uint32_t> by_name = {};  // of an object with many names: indices sorted by name

  // Throws ModelError if the text is not JSON, is nested too deeply, or has too many values.
  static SchemaNode parse(std::string_view json);

  bool is_null() const noexcept { return kind == Kind::null; }
  bool is_boolean() const noexcept { return kind == Kind::boolean; }
  bool is_number() const noexcept { return kind == Kind::number; }
  bool is_string() const noexcept { return kind == Kind::string; }
  bool is_list() const noexcept { return kind == Kind::list; }
  bool is_object() const noexcept { return kind == Kind::object; }
  // The value of a name, or nullptr. If a name occurs twice, its last value counts.
  const SchemaNode* find(std::string_view name) const noexcept;
  void sort_names();  // call when all names are there
  bool contains(std::string_view name) const noexcept { return find(name) != nullptr; }
  // The names of an object and their values; borrowed.
  struct Member {
    const std::string& name;
    const SchemaNode& value;
  };
  std::vector<Member> members() const;
};

class SchemaDocument {
 public:
  // Throws ModelError if the text is not JSON, too large, or nested too deeply.
  explicit SchemaDocument(std::string_view text);
  SchemaDocument(const SchemaDocument&) = delete;
  SchemaDocument& operator=(const SchemaDocument&) = delete;

  const SchemaNode& root() const noexcept { return root_; }
  // The schema that a "$ref" in `from` refers to. Throws ModelError if it is not in this document.
  const SchemaNode& resolve(const SchemaNode& from, const std::string& reference) const;
  // The JSON pointer to a node, like "/properties/name". The end of a long one is cut. Borrowed.
  std::string_view pointer_to(const SchemaNode& node) const;
  // The schemas that "$dynamicAnchor" names in the resource that the node belongs to. A
  // "$recursiveAnchor" has the name "".
  using Anchors = std::map<std::string, const SchemaNode*>;
  const Anchors& dynamic_anchors(const SchemaNode& node) const;
  // In drafts before 2019-09, keywords next to a reference are ignored.
  bool references_stand_alone() const noexcept { return draft_ < 2019; }
  // In drafts 3 and 4 an integer must be written as one: 1.0 is not an integer.
  bool integers_are_plain() const noexcept { return draft_ <= 4; }
  // In 2019-09 "unevaluatedItems" ignores "contains".
  bool evaluates_contained() const noexcept { return draft_ != 2019; }
  // Whether the draft has the keyword. Keywords of later drafts are unknown words.
  bool knows(std::string_view keyword) const;

 private:
  // The base URI, the pointer and the resource at a node.
  struct Place {
    const std::string* base;
    std::string pointer;
    const SchemaNode* resource;
  };
  void visit(const SchemaNode& node, const Place& place);
  void visit_names(const SchemaNode& node, Place& place);
  const SchemaNode* follow(const SchemaNode& from, std::string_view pointer) const;

  SchemaNode root_;
  int draft_ = 2020;                                 // or 3 to 7, or 2019
  std::map<std::string, const SchemaNode*> by_uri_;  // also with "#anchor"
  std::set<std::string> base_uris_;
  std::map<const SchemaNode*, const std::string*> bases_;  // for objects
  std::map<const SchemaNode*, std::string> pointers_;
  std::map<const SchemaNode*, const SchemaNode*> resources_;  // for objects
  std::map<const SchemaNode*, Anchors> dynamic_anchors_;      // for resources that have some
};

// Resolves "$dynamicRef". Its target depends on the schemas that were entered on the way (draft
// 2020-12, sections 7.1 and 8.2.3.2).
class DynamicScopes {
 public:
  // Identifies the schemas that have been entered, as far as they matter.
  using Id = int;
  static constexpr Id kOutermost = 0;

  // `document` must outlive the object.
  explicit DynamicScopes(const SchemaDocument& document) : document_(document) {}

  // The scope inside a schema that is entered from the scope `from`.
  Id enter(Id from, const SchemaNode& node);
  // The schema that a "$dynamicRef" refers to if a plain reference would lead to `target`.
  const SchemaNode& resolve(Id in, const SchemaNode& target, const std::string& reference) const;

 private:
  // For each name, the first schema that defined it.
  using Scope = std::map<std::string, const SchemaNode*>;

  const SchemaDocument& document_;
  std::vector<Scope> scopes_{{}};
  std::map<Scope, Id> ids_{{{}, kOutermost}};
};

}  // namespace confab::engine
