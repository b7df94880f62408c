// SPDX-License-Identifier: MIT
#include "engine/prompt/jinja/request.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <nlohmann/json.hpp>

#include "engine/error.h"
#include "engine/prompt/jinja/text.h"

namespace confab::engine::jinja {
namespace {

[[noreturn]] void fail(std::string_view message) {
  throw ModelError(fmt::format("request: {}", message));
}

// Builds values straight from the parser's events, so that depth is bounded while reading and the
// place of each string in the request is known.
class Builder : public nlohmann::json_sax<nlohmann::json> {
 public:
  bool null() override { return add(Value()); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(number_integer_t value) override { return add(std::int64_t{value}); }
  bool number_unsigned(number_unsigned_t value) override {
    constexpr auto kMax = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    return add(value <= kMax ? Value(static_cast<std::int64_t>(value))
                             : Value(static_cast<double>(value)));
  }
  bool number_float(number_float_t value, const string_t&) override { return add(value); }
  bool string(string_t& value) override {
    return add(Value(std::make_shared<const Text>(value, source_)));
  }
  bool binary(binary_t&) override { return false; }
  bool start_object(std::size_t) override { return open(true); }
  bool start_array(std::size_t) override { return open(false); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool key(string_t& name) override;
  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::detail::exception&) override {
    fail(fmt::format("not JSON at byte {}", position));
  }
  Value take() { return std::move(result_); }

 private:
  struct Container {
    bool is_dict;
    std::string key;
    DictBuilder dict;
    std::vector<Value> list;
    int depth = 1;
  };

  bool open(bool is_dict);
  bool close();
  bool add(Value value);

  std::vector<Container> open_;
  Value result_;
  int source_ = kElsewhere;
};

// open_ is then: the request, its list of messages, a message.
bool Builder::key(string_t& name) {
  open_.back().key = name;
  if (open_.size() == 3 && open_[0].key == "messages" && open_[0].is_dict && !open_[1].is_dict) {
    source_ = name == "content" ? static_cast<int>(open_[1].list.size()) : kElsewhere;
  }
  return true;
}

bool Builder::open(bool is_dict) {
  if (open_.size() >= kMaxRequestNesting) {
    fail(fmt::format("nests deeper than {}", kMaxRequestNesting));
  }
  open_.push_back({is_dict, {}, {}, {}});
  return true;
}

bool Builder::close() {
  Container done = std::move(open_.back());
  open_.pop_back();
  if (open_.size() <= 2) source_ = kElsewhere;
  if (!done.is_dict) {
    return add(Value(
        std::make_shared<const List>(List{std::move(done.list), ListKind::list, done.depth})));
  }
  Dict dict = std::move(done.dict).take();
  dict.depth = done.depth;
  return add(Value(std::make_shared<const Dict>(std::move(dict))));
}

bool Builder::add(Value value) {
  if (open_.empty()) {
    result_ = std::move(value);
    return true;
  }
  Container& parent = open_.back();
  parent.depth = std::max(parent.depth, value.depth() + 1);
  if (parent.is_dict) {
    parent.dict.set(Text(parent.key, source_), std::move(value));
  } else {
    parent.list.push_back(std::move(value));
  }
  return true;
}

// "2026-08-15T12:34:56", with the day of the week and of the year filled in.
std::tm parse_time(std::string_view text) {
  constexpr std::string_view kPattern = "dddd-dd-ddTdd:dd:dd";
  bool well_formed = text.size() == kPattern.size();
  for (std::size_t i = 0; well_formed && i < text.size(); ++i) {
    well_formed = kPattern[i] == 'd' ? text[i] >= '0' && text[i] <= '9' : text[i] == kPattern[i];
  }
  std::tm time{};
  const auto number = [text](std::size_t begin, std::size_t size) {
    int n = 0;
    std::from_chars(text.data() + begin, text.data() + begin + size, n);
    return n;
  };
  if (well_formed) {
    time.tm_year = number(0, 4) - 1900;
    time.tm_mon = number(5, 2) - 1;
    time.tm_mday = number(8, 2);
    time.tm_hour = number(11, 2);
    time.tm_min = number(14, 2);
    time.tm_sec = number(17, 2);
  }
  std::tm normal = time;
  if (!well_formed || timegm(&normal) == -1 || normal.tm_mday != time.tm_mday ||
      normal.tm_mon != time.tm_mon || normal.tm_sec != time.tm_sec ||
      normal.tm_hour != time.tm_hour || normal.tm_min != time.tm_min) {
    fail(fmt::format("'now' is '{:.40}', expected a time like 2026-08-15T12:34:56", text));
  }
  return normal;
}

void check_messages(const Value& messages) {
  if (messages.list() == nullptr) {
    fail(fmt::format("'messages' is {}, expected a list", messages.type_name()));
  }
  const auto& items = messages.list()->items;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (items[i].dict() == nullptr) {
      fail(fmt::format("messages[{}] is {}, expected an object", i, items[i].type_name()));
    }
  }
}

void take_member(Request& request, std::string_view name, const Value& value) {
  if (name == "messages") {
    check_messages(value);
    request.n_messages = value.list()->items.size();
    request.variables.insert_or_assign("messages", value);
  } else if (name == "tools") {
    if (value.list() == nullptr && !value.is_none()) {
      fail(fmt::format("'tools' is {}, expected a list", value.type_name()));
    }
    request.variables.insert_or_assign("tools", value);
  } else if (name == "add_generation_prompt") {
    if (!value.is_bool()) {
      fail(fmt::format("'add_generation_prompt' is {}, expected true or false", value.type_name()));
    }
    request.variables.insert_or_assign("add_generation_prompt", value);
  } else if (name == "now") {
    if (!value.is_text()) fail(fmt::format("'now' is {}, expected a string", value.type_name()));
    request.now = parse_time(value.text().view());
  } else if (name != "vars") {
    fail(fmt::format(
        "unknown key '{:.40}', expected messages, tools, add_generation_prompt, vars or now",
        name));
  }
}

}  // namespace

Request parse_request(std::string_view json) {
  Builder builder;
  nlohmann::json::sax_parse(json, &builder);
  const Value root = builder.take();
  if (root.dict() == nullptr) fail(fmt::format("found {}, expected an object", root.type_name()));
  Request request;
  for (const auto& [key, value] : root.dict()->items) {
    take_member(request, key.text().view(), value);
  }
  if (!request.variables.contains("messages")) fail("'messages' is missing");
  const Value* vars = root.dict()->find("vars");
  if (vars == nullptr) return request;
  if (vars->dict() == nullptr) {
    fail(fmt::format("'vars' is {}, expected an object", vars->type_name()));
  }
  for (const auto& [key, value] : vars->dict()->items) {
    request.variables.insert_or_assign(std::string(key.text().view()), value);
  }
  return request;
}

}  // namespace confab::engine::jinja
