// SPDX-License-Identifier: MIT
#include "engine/prompt/jinja/request.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "base/json.h"
#include "engine/error.h"
#include "engine/prompt/jinja/text.h"

namespace confab::engine::jinja {
namespace {

[[noreturn]] void fail(std::string_view message) {
  throw ModelError(fmt::format("request: {}", message));
}

// Builds values directly from the parser's events, so that depth is bounded while reading and the
// place of each string in the request is known.
class Builder : public base::JsonEvents {
 public:
  void leaf(base::Json value, std::string_view number) override;
  void key(std::string name) override;
  void open(bool is_object) override;
  void close() override;
  Value take() { return std::move(result_); }

 private:
  struct Container {
    bool is_dict;
    std::string key;
    DictBuilder dict;
    std::vector<Value> list;
    int depth = 1;
  };

  void add(Value value);

  std::vector<Container> open_;
  Value result_;
  int source_ = kElsewhere;
};

void Builder::leaf(base::Json value, std::string_view /*number*/) {
  if (const std::string* text = value.as_text())
    add(Value(std::make_shared<const Text>(*text, source_)));
  else if (const auto flag = value.as_bool())
    add(*flag);
  else if (const auto integer = value.as_int())
    add(*integer);
  else if (const auto number = value.as_double())
    add(*number);
  else
    add(Value());
}

// In a message, open_ holds the request, its list of messages and the message.
void Builder::key(std::string name) {
  if (open_.size() == 3 && open_[0].key == "messages" && open_[0].is_dict && !open_[1].is_dict) {
    source_ = name == "content" ? static_cast<int>(open_[1].list.size()) : kElsewhere;
  }
  open_.back().key = std::move(name);
}

void Builder::open(bool is_object) {
  if (open_.size() >= kMaxRequestNesting) {
    fail(fmt::format("nests deeper than {}", kMaxRequestNesting));
  }
  open_.push_back({is_object, {}, {}, {}});
}

void Builder::close() {
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

void Builder::add(Value value) {
  if (open_.empty()) {
    result_ = std::move(value);
    return;
  }
  Container& parent = open_.back();
  parent.depth = std::max(parent.depth, value.depth() + 1);
  if (parent.is_dict) {
    parent.dict.set(Text(parent.key, source_), std::move(value));
  } else {
    parent.list.push_back(std::move(value));
  }
}

// Parses a time like "2026-08-15T12:34:56", and fills in the day of the week and of the year.
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
  try {
    base::read_json(json, builder);
  } catch (const base::JsonError& error) {
    fail(fmt::format("not JSON: {}", error.what()));
  }
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
