// SPDX-License-Identifier: MIT
#include "engine/constrain/json/schema_document.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <numeric>
#include <utility>

#include "base/json.h"
#include "engine/error.h"

namespace confab::engine {
namespace {

// The largest published schemas have 100,000.
constexpr std::size_t kMaxValues = 250'000;
constexpr std::size_t kFewNames = 8;  // up to this many are searched one by one

// Builds the tree while the text is read.
class Builder final : public base::JsonEvents {
 public:
  explicit Builder(SchemaNode& root) : root_(root) {}

  void leaf(base::Json value, std::string_view number) override {
    using Kind = SchemaNode::Kind;
    if (value.is_null()) return add({});
    if (const auto truth = value.as_bool()) return add({.kind = Kind::boolean, .truth = *truth});
    if (const std::string* text = value.as_text())
      return add({.kind = Kind::string, .text = *text});
    add({.kind = Kind::number, .text = number.empty() ? value.dump() : std::string(number)});
  }
  void key(std::string name) override { open_.back()->names.push_back(std::move(name)); }
  void open(bool is_object) override {
    open_.push_back(
        &place({.kind = is_object ? SchemaNode::Kind::object : SchemaNode::Kind::list}));
  }
  void close() override {
    open_.back()->sort_names();
    open_.pop_back();
  }

 private:
  // Pointers to open nodes stay valid, because only the last item grows.
  SchemaNode& place(SchemaNode node) {
    if (open_.empty()) return root_ = std::move(node);
    open_.back()->items.push_back(std::move(node));
    return open_.back()->items.back();
  }
  void add(SchemaNode node) { place(std::move(node)); }

  SchemaNode& root_;
  std::vector<SchemaNode*> open_;
};

constexpr std::size_t kMaxBytes = std::size_t{4} << 20U;
constexpr std::size_t kMaxUri = 1024;     // bytes of a schema's URI
constexpr std::size_t kMaxPointer = 200;  // bytes of a pointer that are kept

struct Since {
  std::string_view name;
  int draft;
};
constexpr auto kDrafts = std::to_array<Since>(
    {{"draft-03", 3}, {"draft-04", 4}, {"draft-06", 6}, {"draft-07", 7}, {"2019-09", 2019}});
constexpr auto kKeywords = std::to_array<Since>({{"const", 6},
                                                 {"contains", 6},
                                                 {"propertyNames", 6},
                                                 {"if", 7},
                                                 {"then", 7},
                                                 {"else", 7},
                                                 {"minContains", 2019},
                                                 {"maxContains", 2019},
                                                 {"dependentRequired", 2019},
                                                 {"dependentSchemas", 2019},
                                                 {"unevaluatedItems", 2019},
                                                 {"unevaluatedProperties", 2019},
                                                 {"prefixItems", 2020},
                                                 {"$dynamicRef", 2020}});

bool is_absolute(std::string_view uri) {
  const std::size_t colon = uri.find(':');
  return colon != std::string_view::npos && colon > 0 && uri.find('/') > colon;
}

// Removes dot segments by RFC 3986 section 5.2.4 from the path that starts at `begin`.
std::string without_dots(const std::string& uri, std::size_t begin) {
  std::string done = uri.substr(0, begin);
  for (std::size_t at = begin; at < uri.size();) {
    const std::size_t end = std::min(uri.find('/', at), uri.size() - 1) + 1;
    const std::string step = uri.substr(at, end - at);
    at = end;
    if (step == "." || step == "./") continue;
    if (step != ".." && step != "../") {
      done += step;
      continue;
    }
    const std::size_t slash = done.size() > begin ? done.rfind('/', done.size() - 2) : begin;
    done.resize(slash == std::string::npos || slash < begin ? begin : slash + 1);
  }
  return done;
}

// Joins a base and a reference by RFC 3986 section 5.3, as far as URIs of schemas need it, without
// fragments.
std::string joined(const std::string& base, std::string_view reference) {
  if (reference.empty()) return base;
  if (is_absolute(reference)) return std::string(reference);
  const std::size_t scheme = base.find("://");
  const std::size_t host_end =
      scheme == std::string::npos ? 0 : std::min(base.find('/', scheme + 3), base.size());
  const std::string host = base.substr(0, host_end) + (host_end > 0 ? "/" : "");
  if (reference.starts_with('/'))
    return without_dots(base.substr(0, host_end) + std::string(reference), host_end + 1);
  const std::size_t slash = base.rfind('/');
  const bool has_path = slash != std::string::npos && slash >= host_end;
  return without_dots((has_path ? base.substr(0, slash + 1) : host) + std::string(reference),
                      host.size());
}

std::string escaped_step(std::string_view step) {
  std::string text;
  for (const char c : step) text += c == '~' ? "~0" : c == '/' ? "~1" : std::string(1, c);
  return text;
}

// Decodes %25, ~1 and ~0 in a step of a pointer in a fragment.
std::string plain_step(std::string_view step) {
  const auto hex = [](char c) { return c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10; };
  std::string text;
  for (std::size_t i = 0; i < step.size(); ++i) {
    const bool is_coded = step[i] == '%' && i + 2 < step.size() &&
                          std::isxdigit(static_cast<unsigned char>(step[i + 1])) != 0 &&
                          std::isxdigit(static_cast<unsigned char>(step[i + 2])) != 0;
    text += is_coded ? static_cast<char>(hex(step[i + 1]) * 16 + hex(step[i + 2])) : step[i];
    if (is_coded) i += 2;
  }
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_escape =
        text[i] == '~' && i + 1 < text.size() && (text[i + 1] == '0' || text[i + 1] == '1');
    plain += !is_escape ? text[i] : text[i + 1] == '0' ? '~' : '/';
    if (is_escape) ++i;
  }
  return plain;
}

// Whether the values of the keyword are data, not schemas.
bool is_data(std::string_view key) {
  return key == "enum" || key == "const" || key == "default" || key == "examples" ||
         key == "example";
}

// The pointer to a child. Long pointers are cut at the end, because there may be as many as values.
std::string pointer_below(const std::string& pointer, std::string_view step) {
  if (pointer.size() > kMaxPointer) return pointer;
  std::string below = pointer + "/" + escaped_step(step.substr(0, kMaxPointer));
  if (below.size() > kMaxPointer) below.replace(kMaxPointer, std::string::npos, "...");
  return below;
}

// Keywords that show that an object is a schema. Keywords that by themselves do not say which
// values are valid are left out.
constexpr auto kRules = std::to_array<std::string_view>(
    {"$ref", "$dynamicRef", "$recursiveRef", "$defs", "definitions", "enum", "const", "properties",
     "patternProperties", "additionalProperties", "required", "items", "prefixItems", "allOf",
     "anyOf", "oneOf", "not", "if"});

// The pointer to the schema inside the wrapper of an API, as in {"type": "json_schema",
// "json_schema": {"name": ..., "schema": {...}}}. Empty if there is no wrapper.
std::string pointer_in_wrapper(const SchemaNode& root) {
  std::string pointer;
  for (const SchemaNode* at = &root; at->is_object();) {
    const SchemaNode* type = at->find("type");
    const bool has_type =
        type != nullptr &&
        !(type->is_string() && (type->text == "json_schema" || type->text == "function"));
    const auto is_there = [&](std::string_view key) { return at->contains(key); };
    if (has_type || std::ranges::any_of(kRules, is_there)) break;
    const SchemaNode* inside = nullptr;
    for (const char* key : {"schema", "json_schema", "response_format", "function", "parameters",
                            "input_schema", "inputSchema"})
      if (const SchemaNode* found = at->find(key);
          inside == nullptr && found && found->is_object()) {
        inside = found;
        pointer += fmt::format("/{}", key);
      }
    if (inside == nullptr) break;
    at = inside;
  }
  return pointer;
}

std::string text_at(const SchemaNode& node, const char* key) {
  const SchemaNode* found = node.find(key);
  return found != nullptr && found->is_string() ? found->text : "";
}

constexpr std::size_t kMaxScopes = 1000;

}  // namespace

SchemaNode SchemaNode::parse(std::string_view json) {
  SchemaNode root;
  Builder builder(root);
  try {
    base::read_json(json, builder, {.most_values = kMaxValues});
  } catch (const base::JsonError& fault) {
    throw ModelError(fmt::format("schema: {}", fault.what()));
  }
  return root;
}

void SchemaNode::sort_names() {
  if (names.size() <= kFewNames) return;
  by_name.resize(names.size());
  std::iota(by_name.begin(), by_name.end(), 0);
  std::ranges::stable_sort(by_name, {},
                           [this](std::uint32_t i) -> const std::string& { return names[i]; });
}

const SchemaNode* SchemaNode::find(std::string_view name) const noexcept {
  if (!by_name.empty()) {
    const auto after = std::ranges::upper_bound(
        by_name, name, {}, [this](std::uint32_t i) { return std::string_view(names[i]); });
    const bool is_there = after != by_name.begin() && names[*(after - 1)] == name;
    return is_there ? &items[*(after - 1)] : nullptr;
  }
  for (std::size_t i = names.size(); i > 0; --i)
    if (names[i - 1] == name) return &items[i - 1];
  return nullptr;
}

std::vector<SchemaNode::Member> SchemaNode::members() const {
  std::vector<Member> all;
  for (std::size_t i = 0; i < names.size(); ++i) all.push_back({names[i], items[i]});
  return all;
}

SchemaDocument::SchemaDocument(std::string_view text) {
  if (text.size() > kMaxBytes) throw ModelError("schema: larger than 4 MiB");
  root_ = SchemaNode::parse(text);
  if (!root_.is_object() && !root_.is_boolean())
    throw ModelError("schema: must be an object, true or false");
  if (const std::string inside = pointer_in_wrapper(root_); !inside.empty())
    throw ModelError(fmt::format(
        "schema: the schema itself stands at {}; give only what is there, not what is around it",
        inside));
  const std::string draft = root_.is_object() ? text_at(root_, "$schema") : "";
  if (!draft.empty() && draft.find("json-schema.org") == std::string::npos)
    throw ModelError(
        fmt::format("schema: $schema is '{}', not a draft of JSON Schema", printable(draft)));
  for (const auto& [name, number] : kDrafts)
    if (draft.find(name) != std::string::npos) draft_ = number;
  visit(root_, {&*base_uris_.insert("").first, "", &root_});
}

// Records the names of the schema at the place, and whether a new resource begins there.
void SchemaDocument::visit_names(const SchemaNode& node, Place& place) {
  const std::string id = text_at(node, "$id").empty() ? text_at(node, "id") : text_at(node, "$id");
  const std::size_t fragment = std::min(id.find('#'), id.size());
  const std::string& outer = *place.base;
  if (!id.empty() && !(references_stand_alone() && node.contains("$ref"))) {
    std::string base = joined(outer, std::string_view(id).substr(0, fragment));
    if (std::max(base.size(), id.size()) > kMaxUri)
      throw ModelError(fmt::format(
          "schema: {}$id is longer than {} bytes",
          place.pointer.empty() ? "" : "at " + printable(place.pointer) + ": ", kMaxUri));
    place.base = &*base_uris_.insert(std::move(base)).first;
    if (fragment + 1 < id.size()) by_uri_.try_emplace(*place.base + id.substr(fragment), &node);
  }
  if (&node == &root_ || place.base != &outer) {
    by_uri_.try_emplace(*place.base, &node);
    place.resource = &node;
  }
  for (const char* key : {"$anchor", "$dynamicAnchor"})
    if (const std::string anchor = text_at(node, key); !anchor.empty())
      by_uri_.try_emplace(*place.base + "#" + anchor, &node);
  if (const std::string anchor = text_at(node, "$dynamicAnchor"); !anchor.empty())
    dynamic_anchors_[place.resource].try_emplace(anchor, &node);
  const SchemaNode* recursive = node.find("$recursiveAnchor");
  if (place.resource == &node && recursive != nullptr && recursive->truth)
    dynamic_anchors_[place.resource].try_emplace("", &node);
  bases_[&node] = place.base;
  resources_[&node] = place.resource;
}

void SchemaDocument::visit(const SchemaNode& node, const Place& place) {
  pointers_[&node] = place.pointer;
  if (node.is_object()) {
    Place here = place;
    visit_names(node, here);
    for (const auto& [key, value] : node.members())
      if (!is_data(key))
        visit(value, {here.base, pointer_below(place.pointer, key), here.resource});
    return;
  }
  for (std::size_t i = 0; i < node.items.size(); ++i)
    visit(node.items[i],
          {place.base, pointer_below(place.pointer, std::to_string(i)), place.resource});
}

const SchemaNode* SchemaDocument::follow(const SchemaNode& from, std::string_view pointer) const {
  const SchemaNode* at = &from;
  while (!pointer.empty() && at != nullptr) {
    pointer.remove_prefix(1);
    const std::size_t end = std::min(pointer.find('/'), pointer.size());
    const std::string step = plain_step(pointer.substr(0, end));
    pointer.remove_prefix(end);
    if (at->is_object()) {
      at = at->find(step);
    } else if (at->is_list()) {
      const bool is_number = !step.empty() && step.size() < 8 &&
                             step.find_first_not_of("0123456789") == std::string::npos;
      const std::size_t i = is_number ? std::stoul(step) : at->items.size();
      at = i < at->items.size() ? &at->items[i] : nullptr;
    } else {
      at = nullptr;
    }
  }
  return at;
}

const SchemaNode& SchemaDocument::resolve(const SchemaNode& from,
                                          const std::string& reference) const {
  const std::size_t hash = std::min(reference.find('#'), reference.size());
  const auto base = bases_.find(&from);
  const std::string uri = joined(base == bases_.end() ? "" : *base->second,
                                 std::string_view(reference).substr(0, hash));
  const std::string fragment = hash < reference.size() ? reference.substr(hash + 1) : "";
  const auto named = by_uri_.find(fragment.empty() ? uri : uri + "#" + fragment);
  if (named != by_uri_.end()) return *named->second;
  const auto root = by_uri_.find(uri);
  const bool is_pointer = fragment.empty() || fragment.starts_with('/');
  const SchemaNode* found =
      root != by_uri_.end() && is_pointer ? follow(*root->second, fragment) : nullptr;
  if (found == nullptr)
    throw ModelError(
        fmt::format("refers to '{}', which is not in the schema", printable(reference)));
  return *found;
}

bool SchemaDocument::knows(std::string_view keyword) const {
  const auto found = std::ranges::find(kKeywords, keyword, &Since::name);
  return found == kKeywords.end() || found->draft <= draft_;
}

const SchemaDocument::Anchors& SchemaDocument::dynamic_anchors(const SchemaNode& node) const {
  static const Anchors kNone;
  const auto resource = resources_.find(&node);
  if (resource == resources_.end() || dynamic_anchors_.empty()) return kNone;
  const auto found = dynamic_anchors_.find(resource->second);
  return found == dynamic_anchors_.end() ? kNone : found->second;
}

std::string_view SchemaDocument::pointer_to(const SchemaNode& node) const {
  const auto found = pointers_.find(&node);
  return found == pointers_.end() ? std::string_view() : found->second;
}

DynamicScopes::Id DynamicScopes::enter(Id from, const SchemaNode& node) {
  const auto& anchors = document_.dynamic_anchors(node);
  if (anchors.empty()) return from;
  if (scopes_.size() > kMaxScopes)
    throw ModelError("leads through too many schemas with dynamic anchors");
  Scope scope = scopes_[static_cast<std::size_t>(from)];
  scope.insert(anchors.begin(), anchors.end());
  const auto [at, is_new] = ids_.try_emplace(scope, static_cast<Id>(scopes_.size()));
  if (is_new) scopes_.push_back(std::move(scope));
  return at->second;
}

const SchemaNode& DynamicScopes::resolve(Id in, const SchemaNode& target,
                                         const std::string& reference) const {
  const auto& anchors = document_.dynamic_anchors(target);
  const std::string name =
      reference.substr(std::min(reference.find('#'), reference.size() - 1) + 1);
  const auto own = anchors.find(name);
  if (own == anchors.end() || own->second != &target) return target;
  const Scope& scope = scopes_[static_cast<std::size_t>(in)];
  const auto first = scope.find(name);
  return first == scope.end() ? target : *first->second;
}

}  // namespace confab::engine
