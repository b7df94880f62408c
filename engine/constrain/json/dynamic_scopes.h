// SPDX-License-Identifier: MIT
// Where "$dynamicRef" leads: it depends on the schemas that were entered on the way (draft 2020-12,
// sections 7.1 and 8.2.3.2).
#pragma once

#include <map>
#include <string>
#include <vector>

#include "engine/constrain/json/schema_document.h"

namespace confab::engine {

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
