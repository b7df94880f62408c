// SPDX-License-Identifier: MIT
#include "engine/constrain/json/schema_node.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "engine/error.h"

namespace confab::engine {
namespace {

using Json = nlohmann::json;
constexpr std::size_t kMaxDepth = 200;

// Builds the tree while the text is read.
class Builder final : public nlohmann::json_sax<Json> {
 public:
  explicit Builder(SchemaNode& root) { open_.push_back(&root); }

  bool null() override { return add({}); }
  bool boolean(bool value) override {
    return add({.kind = SchemaNode::Kind::boolean, .truth = value});
  }
  bool number_integer(number_integer_t value) override {
    return add_number(fmt::format("{}", value));
  }
  bool number_unsigned(number_unsigned_t value) override {
    return add_number(fmt::format("{}", value));
  }
  bool number_float(number_float_t /*value*/, const string_t& text) override {
    return add_number(text);
  }
  bool string(string_t& value) override {
    return add({.kind = SchemaNode::Kind::string, .text = std::move(value)});
  }
  bool binary(binary_t& /*value*/) override { return false; }
  bool start_object(std::size_t /*size*/) override { return start(SchemaNode::Kind::object); }
  bool start_array(std::size_t /*size*/) override { return start(SchemaNode::Kind::list); }
  bool end_object() override { return end(); }
  bool end_array() override { return end(); }
  bool key(string_t& name) override {
    open_.back()->names.push_back(std::move(name));
    return true;
  }
  bool parse_error(std::size_t at, const std::string& /*token*/,
                   const Json::exception& fault) override {
    // A number that no double can hold is one all the same, but not one to count with.
    const bool is_range = dynamic_cast<const Json::out_of_range*>(&fault) != nullptr;
    throw ModelError(is_range ? "schema: has a number that is too large"
                              : fmt::format("schema: is not JSON (at byte {})", at));
  }

 private:
  // The first value is the root itself. Pointers to what is open stay, as only the last item grows.
  SchemaNode& place(SchemaNode node) {
    if (!has_root_) {
      has_root_ = true;
      *open_.back() = std::move(node);
      return *open_.back();
    }
    open_.back()->items.push_back(std::move(node));
    return open_.back()->items.back();
  }
  bool add(SchemaNode node) {
    place(std::move(node));
    return true;
  }
  bool add_number(std::string text) {
    return add({.kind = SchemaNode::Kind::number, .text = std::move(text)});
  }
  bool start(SchemaNode::Kind kind) {
    if (open_.size() > kMaxDepth) throw ModelError("schema: nested too deeply");
    const bool is_root = !has_root_;
    SchemaNode& node = place({.kind = kind});
    if (!is_root) open_.push_back(&node);
    return true;
  }
  bool end() {
    if (open_.size() > 1) open_.pop_back();
    return true;
  }

  std::vector<SchemaNode*> open_;
  bool has_root_ = false;
};

}  // namespace

SchemaNode SchemaNode::parse(std::string_view json) {
  SchemaNode root;
  Builder builder(root);
  Json::sax_parse(json, &builder);
  return root;
}

const SchemaNode* SchemaNode::find(std::string_view name) const noexcept {
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
