// SPDX-License-Identifier: MIT
#include "engine/constrain/json/dynamic_scopes.h"

#include <gtest/gtest.h>

namespace confab::engine {
namespace {

class DynamicScopesTest : public testing::Test {
 protected:
  const SchemaNode& at(const char* name) { return *document.root().find("$defs")->find(name); }

  SchemaDocument document{R"({"$id": "https://example.org/root", "$defs": {
      "here": {"$dynamicAnchor": "x"},
      "one": {"$id": "one", "$dynamicAnchor": "x"},
      "two": {"$id": "two", "$dynamicAnchor": "x", "$anchor": "y"},
      "bare": {"$id": "bare"}}})"};
  DynamicScopes scopes{document};
};

TEST_F(DynamicScopesTest, TheFirstThatWasEnteredIsMeant) {
  const auto one = scopes.enter(DynamicScopes::kOutermost, at("one"));
  const auto both = scopes.enter(one, at("two"));
  EXPECT_EQ(both, one);
  EXPECT_EQ(scopes.enter(one, at("bare")), one);
  EXPECT_EQ(&scopes.resolve(both, at("two"), "#x"), &at("one"));
  const auto two = scopes.enter(DynamicScopes::kOutermost, at("two"));
  EXPECT_NE(two, one);
  EXPECT_EQ(&scopes.resolve(scopes.enter(two, at("one")), at("one"), "one#x"), &at("two"));
  EXPECT_EQ(&scopes.resolve(scopes.enter(0, document.root()), at("one"), "#x"), &at("here"));
}

TEST_F(DynamicScopesTest, OnlyWhatIsCalledThatWayDependsOnIt) {
  const auto one = scopes.enter(DynamicScopes::kOutermost, at("one"));
  EXPECT_EQ(&scopes.resolve(one, at("two"), "#y"), &at("two"));
  EXPECT_EQ(&scopes.resolve(one, at("two"), "two"), &at("two"));
  EXPECT_EQ(&scopes.resolve(one, at("two"), ""), &at("two"));
  EXPECT_EQ(&scopes.resolve(one, at("bare"), "#x"), &at("bare"));
  EXPECT_EQ(&scopes.resolve(DynamicScopes::kOutermost, at("two"), "#x"), &at("two"));
}

}  // namespace
}  // namespace confab::engine
