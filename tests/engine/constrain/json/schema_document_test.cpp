// SPDX-License-Identifier: MIT
// What references mean, by pointers, anchors and identifiers.
#include "engine/constrain/json/schema_document.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <utility>

#include "tests/engine/error_of.h"

namespace confab::engine {
namespace {

const SchemaNode& node_at(const SchemaDocument& document, const std::string& pointer) {
  const SchemaNode* at = &document.root();
  std::istringstream steps(pointer);
  std::string step;
  for (std::getline(steps, step, '/'); std::getline(steps, step, '/');) {
    for (const auto& [escape, plain] : {std::pair{"~1", "/"}, std::pair{"~0", "~"}})
      if (const auto found = step.find(escape); found != std::string::npos)
        step.replace(found, 2, plain);
    at = at->is_list() ? &at->items.at(std::stoul(step)) : at->find(step);
  }
  return *at;
}

// Where the "$ref" that stands at `from` leads.
std::string target(const SchemaDocument& document, const std::string& from) {
  const SchemaNode& node = node_at(document, from);
  return std::string(document.pointer_to(document.resolve(node, node.find("$ref")->text)));
}

TEST(SchemaDocumentTest, PointersWithTheirEscapes) {
  const SchemaDocument document(R"({
    "$defs": {"a/b": {"$ref": "#"}, "c~d": {"$ref": "#/$defs/a~1b"}, "e f%": {"$ref": "#/$defs/c~0d"},
              "x": {"$ref": "#/$defs/e%20f%25"}, "y": {"$ref": "#/$defs/list/anyOf/1"},
              "list": {"anyOf": [{}, {"$ref": "#/$defs/list/anyOf/0"}]}}})");
  EXPECT_EQ(target(document, "/$defs/a~1b"), "");
  EXPECT_EQ(target(document, "/$defs/c~0d"), "/$defs/a~1b");
  EXPECT_EQ(target(document, "/$defs/e f%"), "/$defs/c~0d");
  EXPECT_EQ(target(document, "/$defs/x"), "/$defs/e f%");
  EXPECT_EQ(target(document, "/$defs/y"), "/$defs/list/anyOf/1");
  EXPECT_EQ(target(document, "/$defs/list/anyOf/1"), "/$defs/list/anyOf/0");
}

TEST(SchemaDocumentTest, AnchorsAndIdentifiers) {
  const SchemaDocument document(R"({
    "$id": "https://example.org/schemas/root.json",
    "$defs": {
      "one": {"$anchor": "here"},
      "two": {"$id": "two.json", "$defs": {"in": {"$anchor": "here"}, "r": {"$ref": "#here"},
                                           "p": {"$ref": "#/$defs/in"}, "u": {"$ref": "root.json"}}},
      "three": {"$id": "/other/three.json"},
      "a": {"$ref": "#here"}, "b": {"$ref": "two.json"}, "c": {"$ref": "two.json#here"},
      "d": {"$ref": "https://example.org/schemas/two.json#/$defs/in"},
      "e": {"$ref": "/other/three.json"}, "f": {"$ref": "https://example.org/schemas/root.json"},
      "g": {"$id": "urn:x:y"}, "h": {"$ref": "urn:x:y"}, "i": {"$ref": "#"}}})");
  const std::pair<const char*, const char*> cases[] = {
      {"a", "/$defs/one"},
      {"b", "/$defs/two"},
      {"c", "/$defs/two/$defs/in"},
      {"d", "/$defs/two/$defs/in"},
      {"e", "/$defs/three"},
      {"f", ""},
      {"h", "/$defs/g"},
      {"i", ""},
      {"two/$defs/r", "/$defs/two/$defs/in"},
      {"two/$defs/p", "/$defs/two/$defs/in"},
      {"two/$defs/u", ""},
  };
  for (const auto& [from, to] : cases)
    EXPECT_EQ(target(document, std::string("/$defs/") + from), to) << from;
}

TEST(SchemaDocumentTest, WhatIsNotThereIsNamed) {
  const SchemaDocument document(R"({"a": [1], "enum": [{"$anchor": "data"}]})");
  for (const char* reference :
       {"#/b", "#nowhere", "other.json", "#/a/1", "#/a/x", "#/a/0/b",
        "http://json-schema.org/schema", "#data", "#/a/00000000000000000000"})
    EXPECT_EQ(error_of([&] { document.resolve(document.root(), reference); }),
              "refers to '" + std::string(reference) + "', which is not in the schema");
}

TEST(SchemaDocumentTest, OldDraftsAreKnownByTheirName) {
  const auto alone = [](const std::string& draft) {
    return SchemaDocument(R"({"$schema": ")" + draft + R"("})").references_stand_alone();
  };
  EXPECT_TRUE(alone("http://json-schema.org/draft-07/schema#"));
  EXPECT_TRUE(alone("http://json-schema.org/draft-04/schema#"));
  EXPECT_FALSE(alone("https://json-schema.org/draft/2020-12/schema"));
  EXPECT_FALSE(SchemaDocument("true").references_stand_alone());
  const SchemaDocument old(R"({"$schema": "http://json-schema.org/draft-04/schema#",
    "definitions": {"x": {"id": "#here"}, "y": {"$ref": "#here"}}})");
  EXPECT_EQ(target(old, "/definitions/y"), "/definitions/x");
}

TEST(SchemaDocumentTest, KeywordsThatADraftHas) {
  const auto knows = [](const char* draft, const char* keyword) {
    return SchemaDocument(std::string(R"({"$schema": "http://json-schema.org/)") + draft + "\"}")
        .knows(keyword);
  };
  for (const char* draft : {"draft-03/schema#", "draft-04/schema", "draft-06/schema"})
    EXPECT_FALSE(knows(draft, "if")) << draft;
  EXPECT_TRUE(knows("draft-07/schema", "if"));
  EXPECT_FALSE(knows("draft-04/schema", "const"));
  EXPECT_TRUE(knows("draft-06/schema", "const"));
  EXPECT_FALSE(knows("draft-07/schema", "unevaluatedItems"));
  EXPECT_TRUE(knows("draft/2019-09/schema", "unevaluatedItems"));
  EXPECT_FALSE(knows("draft/2019-09/schema", "prefixItems"));
  EXPECT_TRUE(knows("draft/2020-12/schema", "prefixItems"));
  EXPECT_TRUE(knows("schema", "prefixItems"));
  EXPECT_TRUE(knows("draft-03/schema", "properties"));
  EXPECT_TRUE(SchemaDocument("{}").knows("$dynamicRef"));
  EXPECT_TRUE(SchemaDocument(R"({"$schema": "http://json-schema.org/draft-04/schema"})")
                  .integers_are_plain());
  EXPECT_FALSE(SchemaDocument("{}").integers_are_plain());
  EXPECT_FALSE(SchemaDocument(R"({"$schema": "https://json-schema.org/draft/2019-09/schema"})")
                   .evaluates_contained());
  EXPECT_TRUE(SchemaDocument("{}").evaluates_contained());
}

TEST(SchemaDocumentTest, PathsWithDots) {
  const SchemaDocument document(R"({"$id": "http://a/b/c/d",
    "$defs": {"e": {"$id": "e"}, "f": {"$id": "http://a/f"}, "g": {"$id": "../g/", "$ref": ".."},
              "1": {"$ref": "./e"}, "2": {"$ref": "../c/./e"}, "3": {"$ref": "../../../../f"},
              "4": {"$ref": "/x/../f"}, "5": {"$ref": "../x/../g/"}, "6": {"$ref": "../c/d"}}})");
  const std::pair<const char*, const char*> cases[] = {{"1", "/$defs/e"}, {"2", "/$defs/e"},
                                                       {"3", "/$defs/f"}, {"4", "/$defs/f"},
                                                       {"5", "/$defs/g"}, {"6", ""}};
  for (const auto& [from, to] : cases)
    EXPECT_EQ(target(document, std::string("/$defs/") + from), to) << from;
}

TEST(SchemaDocumentTest, DynamicAnchorsOfAnIdentifiedSchema) {
  const SchemaDocument document(R"({"$recursiveAnchor": true, "items": {"$dynamicAnchor": "x"},
    "$defs": {"one": {"$id": "one", "not": {"$dynamicAnchor": "x", "$recursiveAnchor": true}},
              "two": {"$id": "two", "$anchor": "x"}}})");
  const auto pointer = [&](const char* at, const char* name) {
    const auto& anchors = document.dynamic_anchors(node_at(document, at));
    const auto found = anchors.find(name);
    return found == anchors.end() ? "none" : std::string(document.pointer_to(*found->second));
  };
  EXPECT_EQ(pointer("/items", "x"), "/items");
  EXPECT_EQ(pointer("/items", ""), "");
  EXPECT_EQ(pointer("/$defs/one", "x"), "/$defs/one/not");
  EXPECT_EQ(pointer("/$defs/one", ""), "none");
  EXPECT_EQ(pointer("/$defs/two", "x"), "none");
}

TEST(SchemaDocumentTest, WhatIsNoSchema) {
  for (const char* text : {"", "{", "{\"a\":}", "nope", "{} {}", "\"\xFF\"", "{'a': 1}"})
    EXPECT_THAT(error_of([&] { SchemaDocument{text}; }), testing::StartsWith("schema: column "))
        << text;
  for (const char* text : {"1", "\"x\"", "null", "[]", "[{}]"})
    EXPECT_EQ(error_of([&] { SchemaDocument{text}; }), "schema: must be an object, true or false");
  EXPECT_EQ(error_of([&] { SchemaDocument(std::string(300, '[')); }),
            "schema: column 101: nests deeper than 100 levels");
  EXPECT_EQ(error_of([&] { SchemaDocument(std::string((4U << 20U) + 1, ' ')); }),
            "schema: larger than 4 MiB");
}

TEST(SchemaDocumentTest, NumbersBeyondAllBounds) {
  EXPECT_THAT(error_of([] { SchemaDocument(R"({"minimum": 1e999})"); }),
              testing::EndsWith(": a number is too large"));
}

TEST(SchemaDocumentTest, AWrapperOfASchemaIsNotTakenForOneWithoutRules) {
  const std::string schema = R"({"type": "object", "properties": {"schema": {"type": "object"}}})";
  const std::pair<std::string, std::string> cases[] = {
      {R"({"name": "person", "strict": true, "schema": )" + schema + "}", "/schema"},
      {R"({"type": "json_schema", "json_schema": {"name": "p", "schema": )" + schema + "}}",
       "/json_schema/schema"},
      {R"({"type": "function", "function": {"name": "p", "parameters": )" + schema + "}}",
       "/function/parameters"},
      {R"({"name": "p", "input_schema": )" + schema + "}", "/input_schema"}};
  for (const auto& [text, pointer] : cases)
    EXPECT_EQ(error_of([&] { SchemaDocument{text}; }),
              "schema: the schema itself stands at " + pointer +
                  "; give only what is there, not what is around it");
  for (const std::string& text : {schema, std::string("{}"), std::string(R"({"title": "any"})")})
    EXPECT_EQ(error_of([&] { SchemaDocument{text}; }), "") << text;
}

TEST(SchemaDocumentTest, LongNamesTakeNoMoreRoomThanTheyHave) {
  std::string text = R"({"properties": {")" + std::string(1U << 20U, 'k') + R"(": {"enum": [)";
  text += R"(1]}, "b": {"allOf": [)";
  for (int i = 0; i < 50'000; ++i) text += "{},";
  EXPECT_EQ(error_of([&] { SchemaDocument{text + "{}]}}}"}; }), "");
  EXPECT_EQ(error_of([&] { SchemaDocument{R"({"$id": ")" + std::string(2000, 'i') + "\"}"}; }),
            "schema: $id is longer than 1024 bytes");
}

TEST(SchemaNodeTest, KeepsTheOrderOfNamesAndNumbersAsTheyAreWritten) {
  const SchemaNode node = SchemaNode::parse(
      R"({"b": 1.50, "a": [null, true, "x\u00e9", -0, 12345678901234567890123]})");
  EXPECT_EQ(node.names, (std::vector<std::string>{"b", "a"}));
  EXPECT_EQ(node.find("b")->text, "1.50");
  const SchemaNode& list = *node.find("a");
  ASSERT_TRUE(list.is_list());
  ASSERT_EQ(list.items.size(), 5U);
  EXPECT_TRUE(list.items[0].is_null());
  EXPECT_TRUE(list.items[1].is_boolean() && list.items[1].truth);
  EXPECT_EQ(list.items[2].text, "x\u00e9");
  EXPECT_TRUE(list.items[3].is_number());
  EXPECT_EQ(list.items[4].text, "12345678901234567890123");
  EXPECT_EQ(node.find("c"), nullptr);
}

TEST(SchemaNodeTest, OfANameThatIsThereTwiceTheLastCounts) {
  const SchemaNode node = SchemaNode::parse(R"({"a": 1, "a": {"b": [{}, [2]]}})");
  EXPECT_EQ(node.find("a")->find("b")->items[1].items[0].text, "2");
  EXPECT_EQ(node.members().size(), 2U);
}

TEST(SchemaNodeTest, AValueAloneIsATree) {
  EXPECT_EQ(SchemaNode::parse("7").text, "7");
  EXPECT_TRUE(SchemaNode::parse("[]").is_list());
  EXPECT_TRUE(SchemaNode::parse(" {} ").is_object());
}

TEST(SchemaNodeTest, WhatIsNotJsonIsRefused) {
  for (const char* text : {"", "{", "[1,]", "{\"a\" 1}", "nul", "1 2", "\"\xff\""})
    EXPECT_TRUE(error_of([&] { SchemaNode::parse(text); }).starts_with("schema: column ")) << text;
  EXPECT_TRUE(error_of([] { SchemaNode::parse("1e999"); }).ends_with(": a number is too large"));
  EXPECT_EQ(error_of([] { SchemaNode::parse(std::string(300, '[')); }),
            "schema: column 101: nests deeper than 100 levels");
}

TEST(SchemaNodeTest, ManyNamesAreFoundAsFewAre) {
  std::string text = "{";
  for (int i = 0; i < 40; ++i)
    text += "\"n" + std::to_string(i % 20) + "\": " + std::to_string(i) + (i < 39 ? ", " : "}");
  const SchemaNode node = SchemaNode::parse(text);
  for (int i = 0; i < 20; ++i)
    EXPECT_EQ(node.find("n" + std::to_string(i))->text, std::to_string(20 + i));
  EXPECT_EQ(node.find("n"), nullptr);
  EXPECT_EQ(node.find("z"), nullptr);
}

TEST(SchemaNodeTest, SoManyValuesAndNoMore) {
  std::string text = "[";
  for (int i = 0; i < 300'000; ++i) text += "[],";
  EXPECT_EQ(error_of([&] { SchemaNode::parse(text + "1]"); }),
            "schema: has more than 250000 values");
}

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
