// SPDX-License-Identifier: MIT
// The text of a JSON Schema, and what its references mean (draft 2020-12, sections 8 and 9).
#pragma once

#include <map>
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
  // Where it stands: "/properties/name".
  std::string pointer_to(const SchemaNode& node) const;
  // In drafts before 2019-09 what stands beside a reference has no meaning.
  bool references_stand_alone() const noexcept { return is_old_; }

 private:
  void visit(const SchemaNode& node, const std::string& base, const std::string& pointer,
             int depth);
  const SchemaNode* follow(const SchemaNode& from, std::string_view pointer) const;

  SchemaNode root_;
  bool is_old_ = false;
  std::map<std::string, const SchemaNode*> by_uri_;  // also with "#anchor"
  std::map<const SchemaNode*, std::string> bases_;   // of the objects
  std::map<const SchemaNode*, std::string> pointers_;
};

}  // namespace confab::engine
