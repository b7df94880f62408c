// SPDX-License-Identifier: MIT
#include "app/cli/config_command.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <ostream>
#include <sstream>
#include <string_view>

#include "app/models/recommended.h"
#include "app/option_table.h"
#include "app/parameters.h"
#include "base/json.h"
#include "ui/text.h"

namespace confab::app {
namespace {

using base::Json;

constexpr int kMaxWidth = 40;  // of a value in the table; all of it: confab config KEY

// Also what the model's makers recommend where nobody has said anything.
ChatOptions complete(ChatOptions options) {
  static_cast<AnswerOptions&>(options) =
      with_recommended(options, recommended_sampling(options.model));
  return options;
}

std::string from_text(const Option& option, const Source& source) {
  switch (source.origin) {
    case Origin::config:
      return fmt::format("config.toml:{}", source.line);
    case Origin::environment:
    case Origin::command_line:
      return name_for(option, source.origin);
    default:
      return std::string(origin_text(source.origin));
  }
}

// Empty where nothing stands there: then default_text() holds.
std::vector<std::string> texts_of(const Option& option, const ChatOptions& options) {
  if (!option.unset.empty() && source_of(option, options).origin == Origin::built_in) return {};
  return value_texts(option.value, options);
}

std::string shown_value(const Option& option, const ChatOptions& options) {
  const std::vector<std::string> texts = texts_of(option, options);
  if (!texts.empty()) return ui::one_line(fmt::format("{}", fmt::join(texts, ", ")));
  const std::string by_default = default_text(option);
  return by_default.empty() ? "-" : fmt::format("({})", by_default);
}

std::string cut(const std::string& text) {
  if (ui::width(text).value <= kMaxWidth) return text;
  std::string kept = text.substr(0, kMaxWidth);
  while (!kept.empty() &&
         (ui::width(kept + "...").value > kMaxWidth || (text[kept.size()] & 0xC0) == 0x80))
    kept.pop_back();
  return kept + "...";
}

void print_table(const ChatOptions& options, std::ostream& out) {
  struct Row {
    std::string key, value, from;
  };
  std::vector<Row> rows{{"KEY", "VALUE", "FROM"}};
  for (const Option& option : option_table())
    rows.push_back({std::string(option.key), cut(shown_value(option, options)),
                    from_text(option, source_of(option, options))});
  int keys = 0, values = 0;
  for (const Row& row : rows) {
    keys = std::max(keys, ui::width(row.key).value);
    values = std::max(values, ui::width(row.value).value);
  }
  for (const Row& row : rows)
    out << fmt::format("{:{}}  {}{:{}}  {}\n", row.key, keys, row.value, "",
                       values - ui::width(row.value).value, row.from);
}

Json value_json(const Option& option, const ChatOptions& options) {
  const std::vector<std::string> texts = texts_of(option, options);
  const Notation notation = notation_of(option.value);
  if (notation == Notation::texts) return texts;
  if (texts.empty()) return nullptr;
  if (notation == Notation::text) return texts.front();
  return Json::try_parse(texts.front()).value_or(Json(texts.front()));  // true, false, 40 or 0.8
}

Json json_of(const Option& option, const ChatOptions& options) {
  return {{"value", value_json(option, options)},
          {"from", from_text(option, source_of(option, options))}};
}

void print_json(const ConfigQuery& query, const ChatOptions& options, std::ostream& out) {
  Json json = Json::object();
  if (!query.key.empty())
    json = json_of(*find_option(query.key), options);
  else
    for (const Option& option : option_table()) json[option.key] = json_of(option, options);
  out << json.dump(2) << '\n';
}

void print_value(const Option& option, const ChatOptions& options, std::ostream& out,
                 std::ostream& err) {
  const std::vector<std::string> texts = texts_of(option, options);
  for (const std::string& text : texts) out << text << '\n';
  const std::string by_default = default_text(option);
  if (texts.empty())
    err << fmt::format("confab: {} is not set{}\n", option.key,
                       by_default.empty() ? "" : fmt::format("; by default: {}", by_default));
}

void tell(std::ostream& err, std::string_view text) {
  err << fmt::format("confab: {}\n", ui::sanitize(text));
}

}  // namespace

int run_config(const ConfigQuery& query, const std::vector<std::string>& faults, const Paths& paths,
               std::ostream& out, std::ostream& err) {
  if (query.path) {
    out << paths.config_file.string() << '\n';
    return 0;
  }
  const ChatOptions options = complete(query.options);
  if (query.json)
    print_json(query, options, out);
  else if (query.key.empty())
    print_table(options, out);
  else
    print_value(*find_option(query.key), options, out, err);
  out.flush();
  std::istringstream notices(options.notice);  // a line each
  for (std::string line; std::getline(notices, line);) tell(err, line);
  for (const std::string& fault : faults) tell(err, fault);
  return faults.empty() ? 0 : 2;
}

}  // namespace confab::app
