// SPDX-License-Identifier: MIT
#include "engine/constrain/json/schema_document.h"

#include <fmt/format.h>

#include <array>
#include <cctype>

#include "engine/error.h"

namespace confab::engine {
namespace {

constexpr std::size_t kMaxBytes = std::size_t{4} << 20U;

bool is_absolute(std::string_view uri) {
  const std::size_t colon = uri.find(':');
  return colon != std::string_view::npos && colon > 0 && uri.find('/') > colon;
}

// RFC 3986 section 5.3, as far as names of schemas need it: without a fragment.
std::string joined(const std::string& base, std::string_view reference) {
  if (reference.empty()) return base;
  if (is_absolute(reference)) return std::string(reference);
  const std::size_t scheme = base.find("://");
  const std::size_t host_end =
      scheme == std::string::npos ? 0 : std::min(base.find('/', scheme + 3), base.size());
  if (reference.starts_with('/')) return base.substr(0, host_end) + std::string(reference);
  const std::size_t slash = base.rfind('/');
  if (slash == std::string::npos || slash < host_end)
    return base.substr(0, host_end) + (host_end > 0 ? "/" : "") + std::string(reference);
  return base.substr(0, slash + 1) + std::string(reference);
}

std::string escaped_step(std::string_view step) {
  std::string text;
  for (const char c : step) text += c == '~' ? "~0" : c == '/' ? "~1" : std::string(1, c);
  return text;
}

// A step of a pointer in a fragment: %25, ~1 and ~0 undone.
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

// Keywords whose values are data, not schemas.
bool is_data(std::string_view key) {
  return key == "enum" || key == "const" || key == "default" || key == "examples" ||
         key == "example";
}

std::string text_at(const SchemaNode& node, const char* key) {
  const SchemaNode* found = node.find(key);
  return found != nullptr && found->is_string() ? found->text : "";
}

}  // namespace

SchemaDocument::SchemaDocument(std::string_view text) {
  if (text.size() > kMaxBytes) throw ModelError("schema: larger than 4 MiB");
  root_ = SchemaNode::parse(text);
  if (!root_.is_object() && !root_.is_boolean())
    throw ModelError("schema: must be an object, true or false");
  const std::string draft = root_.is_object() ? text_at(root_, "$schema") : "";
  if (!draft.empty() && draft.find("json-schema.org") == std::string::npos)
    throw ModelError(
        fmt::format("schema: $schema is '{}', not a draft of JSON Schema", printable(draft)));
  for (const std::string_view old : {"draft-03", "draft-04", "draft-06", "draft-07"})
    is_old_ = is_old_ || draft.find(old) != std::string::npos;
  visit(root_, "", "", 0);
}

void SchemaDocument::visit(const SchemaNode& node, const std::string& base,
                           const std::string& pointer, int depth) {
  pointers_[&node] = pointer;
  std::string here = base;
  if (node.is_object()) {
    const std::string id =
        text_at(node, "$id").empty() ? text_at(node, "id") : text_at(node, "$id");
    const std::size_t fragment = std::min(id.find('#'), id.size());
    if (!id.empty() && !(is_old_ && node.contains("$ref"))) {
      here = joined(base, std::string_view(id).substr(0, fragment));
      if (fragment + 1 < id.size()) by_uri_.try_emplace(here + id.substr(fragment), &node);
    }
    if (depth == 0 || here != base) by_uri_.try_emplace(here, &node);
    for (const char* key : {"$anchor", "$dynamicAnchor"})
      if (const std::string anchor = text_at(node, key); !anchor.empty())
        by_uri_.try_emplace(here + "#" + anchor, &node);
    bases_[&node] = here;
    for (const auto& [key, value] : node.members())
      if (!is_data(key)) visit(value, here, pointer + "/" + escaped_step(key), depth + 1);
    return;
  }
  for (std::size_t i = 0; i < node.items.size(); ++i)
    visit(node.items[i], here, fmt::format("{}/{}", pointer, i), depth + 1);
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
  const std::string uri =
      joined(base == bases_.end() ? "" : base->second, std::string_view(reference).substr(0, hash));
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

std::string SchemaDocument::pointer_to(const SchemaNode& node) const {
  const auto found = pointers_.find(&node);
  return found == pointers_.end() ? "" : found->second;
}

}  // namespace confab::engine
