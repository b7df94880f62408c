// SPDX-License-Identifier: MIT
// The text of a JSON Schema, and what its references mean (draft 2020-12, sections 8 and 9).
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace confab::engine {

// A JSON text as a tree that keeps the order of names, and numbers as they are written.
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

class SchemaDocument {
 public:
  // Throws ModelError: the text is not JSON, too large, or nested too deeply.
  explicit SchemaDocument(std::string_view text);
  SchemaDocument(const SchemaDocument&) = delete;
  SchemaDocument& operator=(const SchemaDocument&) = delete;

  const SchemaNode& root() const noexcept { return root_; }
  // The schema that "$ref" in `from` means. Throws ModelError when there is none in this document.
  const SchemaNode& resolve(const SchemaNode& from, const std::string& reference) const;
  // Where it stands: "/properties/name". Borrowed.
  std::string_view pointer_to(const SchemaNode& node) const;
  // What the identified schema that the node belongs to calls by "$dynamicAnchor", by name; what
  // "$recursiveAnchor" says of it has the name "".
  using Anchors = std::map<std::string, const SchemaNode*>;
  const Anchors& dynamic_anchors(const SchemaNode& node) const;
  // In drafts before 2019-09 what stands beside a reference has no meaning.
  bool references_stand_alone() const noexcept { return draft_ < 2019; }
  // In drafts 3 and 4 an integer is a number that is written as one: 1.0 is none.
  bool integers_are_plain() const noexcept { return draft_ <= 4; }
  // In 2019-09 "contains" is not taken into account by "unevaluatedItems".
  bool evaluates_contained() const noexcept { return draft_ != 2019; }
  // Whether the draft has the keyword: one that came later is an unknown word in it.
  bool knows(std::string_view keyword) const;

 private:
  // What holds where a node stands.
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
  std::map<const SchemaNode*, const std::string*> bases_;  // of the objects
  std::map<const SchemaNode*, std::string> pointers_;
  std::map<const SchemaNode*, const SchemaNode*> resources_;  // of the objects
  std::map<const SchemaNode*, Anchors> dynamic_anchors_;      // of the resources that have some
};

// Where "$dynamicRef" leads: it depends on the schemas that were entered on the way (draft 2020-12,
// sections 7.1 and 8.2.3.2).
class DynamicScopes {
 public:
  // What has been entered so far, as far as it matters.
  using Id = int;
  static constexpr Id kOutermost = 0;

  // `document` must outlive the object.
  explicit DynamicScopes(const SchemaDocument& document) : document_(document) {}

  // The scope within a schema that is reached from another scope.
  Id enter(Id from, const SchemaNode& node);
  // The schema that a "$dynamicRef" means which leads to `target` by itself.
  const SchemaNode& resolve(Id in, const SchemaNode& target, const std::string& reference) const;

 private:
  // Of each name the schema that was the first to give it.
  using Scope = std::map<std::string, const SchemaNode*>;

  const SchemaDocument& document_;
  std::vector<Scope> scopes_{{}};
  std::map<Scope, Id> ids_{{{}, kOutermost}};
};

}  // namespace confab::engine
