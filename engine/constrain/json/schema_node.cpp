// SPDX-License-Identifier: MIT
#include "engine/constrain/json/schema_node.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/json.h"
#include "engine/error.h"

namespace confab::engine {
namespace {

// The largest schemas that are published have 100,000.
constexpr std::size_t kMaxValues = 250'000;
constexpr std::size_t kFewNames = 8;  // are found by looking at each

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
  // Pointers to what is open stay, as only the last item grows.
  SchemaNode& place(SchemaNode node) {
    if (open_.empty()) return root_ = std::move(node);
    open_.back()->items.push_back(std::move(node));
    return open_.back()->items.back();
  }
  void add(SchemaNode node) { place(std::move(node)); }

  SchemaNode& root_;
  std::vector<SchemaNode*> open_;
};

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

}  // namespace confab::engine
