// SPDX-License-Identifier: MIT
// The text of a JSON Schema, and what its references mean (draft 2020-12, sections 8 and 9).
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>

#include "engine/constrain/json/schema_node.h"

namespace confab::engine {

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

}  // namespace confab::engine
