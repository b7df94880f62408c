// SPDX-License-Identifier: MIT
#include "app/cli/config.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <optional>
#include <ostream>
#include <sstream>
#include <string_view>
#include <utility>

#include "app/attach/text_encoding.h"
#include "app/engines/engine_choice.h"
#include "app/error.h"
#include "app/models/inference.h"
#include "app/models/model_finder.h"
#include "app/nearest.h"
#include "app/option_table.h"
#include "app/parameters.h"
#include "app/paths.h"
#include "app/themes.h"
#include "app/toml_entries.h"
#include "app/whole_file.h"
#include "base/json.h"
#include "ui/text.h"

namespace confab::app {
namespace {

[[noreturn]] void fail(std::string_view option, const std::string& file, std::string_view fault) {
  throw UsageError(fmt::format("{} {}: {}", option, file, fault));
}

std::string text_of(std::string_view option, const std::string& name) {
  const FileLimits limits{.takes_pipes = true};
  auto file = whole_file(expand_home(name), limits);
  if (!file) fail(option, name, read_fault(errno, limits));
  auto decoded = decode_text(*std::move(file));  // decoded like attached files
  if (!decoded) fail(option, name, "is not a text file");
  std::string& text = decoded->text;
  if (text.ends_with('\n')) text.pop_back();
  if (text.ends_with('\r')) text.pop_back();
  if (text.empty()) fail(option, name, "is empty");
  return std::move(text);
}

void read_into(std::string& text, std::string_view key, const std::string& file,
               const ChatOptions& options) {
  if (file.empty()) return;
  const Option& option = *find_option(key);
  text = text_of(name_for(option, source_of(option, options).origin), file);
}

// The character that the letter after a backslash stands for; 0 if none.
char escaped(char letter) noexcept {
  switch (letter) {
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case 't':
      return '\t';
    case '\'':
    case '"':
    case '\\':
      return letter;
    default:
      return 0;
  }
}

using base::Json;

constexpr int kMaxWidth = 40;  // of a value in the table; confab config KEY shows all of it

// Adds what the model's makers recommend for options that nobody has set.
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

// Empty if the option is not set; default_text() applies then.
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

using Texts = std::vector<std::string>;

// Our variables that are not options.
constexpr auto kOtherVariables = std::to_array<std::string_view>(
    {"CONFAB_ISA", "CONFAB_MODEL_FOLDERS", "CONFAB_POWER", "CONFAB_PRESSURE"});

// Sets the option of a key. Returns a complete error message, or an empty string.
std::string set_key(const TomlEntry& entry, ChatOptions& options, Origin from) {
  const Option* option = find_option(entry.key);
  if (option == nullptr) return unknown_key(entry.key);
  const std::optional<Texts> texts = texts_of(entry.value, option->value);
  if (!texts) return fmt::format("{} must be {}", entry.key, range_text(option->value));
  const std::string fault = set_option(*option, options, *texts, {from, entry.value_line});
  return fault.empty() ? "" : fmt::format("{} {}", entry.key, fault);
}

Texts lines_of(std::string_view text) {
  Texts lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    if (end > 0) lines.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::string unknown_variable(std::string_view name) {
  std::vector<std::string> names(kOtherVariables.begin(), kOtherVariables.end());
  for (const Option& option : option_table()) names.push_back(variable_of(option));
  const std::vector<std::string_view> known(names.begin(), names.end());
  constexpr std::string_view kPrefix = "CONFAB_";
  std::vector<std::string_view> ends;  // the common prefix would make all names seem near
  for (const std::string_view one : known) ends.push_back(one.substr(kPrefix.size()));
  const auto near = nearest(name.substr(kPrefix.size()), ends);
  return fmt::format("the variable {} means nothing to confab; {}", name,
                     near ? fmt::format("did you mean {}{}?", kPrefix, *near)
                          : "confab config lists those that do");
}

const Option* option_of_variable(std::string_view name) {
  const auto all = option_table();
  const auto found =
      std::ranges::find_if(all, [&](const Option& option) { return variable_of(option) == name; });
  return found == all.end() ? nullptr : &*found;
}

void take_variable(std::string_view name, std::string_view value, LoadedOptions& loaded) {
  if (std::ranges::find(kOtherVariables, name) != kOtherVariables.end()) return;
  const Option* option = option_of_variable(name);
  if (option == nullptr) return add_notice(loaded.options, unknown_variable(name));
  const bool is_list = notation_of(option->value) == Notation::texts;
  const Texts texts = is_list ? lines_of(value) : Texts{std::string(value)};
  const std::string fault = set_option(*option, loaded.options, texts, {Origin::environment});
  if (!fault.empty()) loaded.faults.push_back(fmt::format("{} {}", name, fault));
}

// Whether it is a file, or the name of a model in a store.
bool is_model_there(const std::string& model) {
  std::error_code error;
  if (std::filesystem::exists(model, error)) return true;
  if (model.starts_with('/')) return false;
  const std::vector<FoundModel> models = find_models({});
  return std::ranges::find(models, model, &FoundModel::name) != models.end();
}

// Takes only the model from the state.
void keep_model(const ChatOptions& state, ChatOptions& options) {
  options.model.path.clear();
  options.sources.erase("model");
  if (state.model.path.empty()) return;
  options.model.path = state.model.path;
  options.sources["model"] = state.sources.at("model");
}

// Drops a model that was chosen in a chat and is neither on this machine nor served by an engine
// any more.
void drop_lost_model(ChatOptions& options) {
  const auto source = options.sources.find("model");
  if (source == options.sources.end() || source->second.origin != Origin::remembered) return;
  const std::string& path = options.model.path;
  if (engine_choice(path, options.model.engines) || is_model_there(path)) return;
  add_notice(options, fmt::format("{}: your last model no longer exists", shorten_home(path)));
  options.model.path.clear();
  options.sources.erase("model");
}

}  // namespace

std::string unescaped(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    std::size_t n = 1;
    char c = text[0];
    unsigned char byte = 0;
    if (c == '\\' && text.size() > 1 && escaped(text[1]) != 0) {
      c = escaped(text[1]);
      n = 2;
    } else if (text.starts_with("\\x") && text.size() >= 4 &&
               std::from_chars(&text[2], &text[2] + 2, byte, 16).ptr == &text[2] + 2) {
      c = static_cast<char>(byte);
      n = 4;
    }
    out += c;
    text.remove_prefix(n);
  }
  return out;
}

void read_option_files(ChatOptions& options) {
  if (!options.prompt_file.empty()) options.prompt = text_of("--file", options.prompt_file);
  read_into(options.system, "system_file", options.system_file, options);
  read_into(options.model.chat_template, "chat_template_file", options.model.chat_template_file,
            options);
  if (!options.escape) return;
  if (options.prompt) options.prompt = unescaped(*options.prompt);
  if (source_of(*find_option("reverse_prompt"), options).origin != Origin::command_line) return;
  for (std::string& text : options.stop) text = unescaped(text);
}

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
  std::istringstream notices(options.notice);  // one per line
  for (std::string line; std::getline(notices, line);) tell(err, line);
  for (const std::string& fault : faults) tell(err, fault);
  return faults.empty() ? 0 : 2;
}

void add_notice(ChatOptions& options, const std::string& line) {
  options.notice += (options.notice.empty() ? "" : "\n") + line;
}

std::string unknown_key(std::string_view key) {
  std::vector<std::string_view> known;
  for (const Option& option : option_table()) known.push_back(option.key);
  const auto near = nearest(key, known);
  return fmt::format(
      "no key '{}'; {}", key,
      near ? fmt::format("did you mean {}?", *near) : "confab config lists them all");
}

ChatOptions load_state(const Paths& paths, StatePart part) {
  ChatOptions state;
  try {
    state = load_config(paths.state, {}, Origin::remembered);
  } catch (const UsageError& fault) {
    state.notice = fmt::format("{}; ignoring your last choices", fault.what());
  }
  ChatOptions options;
  if (part == StatePart::all) options = state;
  options.notice = state.notice;
  keep_model(state, options);
  try {
    find_theme(options.theme, paths);
  } catch (const std::exception& fault) {
    add_notice(options, fmt::format("your last theme: {}", fault.what()));
    options.theme.clear();
    options.sources.erase("theme");
  }
  return options;
}

LoadedOptions read_config(const std::filesystem::path& file, ChatOptions options, Origin from) {
  LoadedOptions loaded{std::move(options)};
  std::error_code error;
  if (!std::filesystem::exists(file, error)) return loaded;
  const auto text = whole_file(file);
  if (!text) {
    loaded.faults.push_back(fmt::format("{}: cannot be read", file.string()));
    return loaded;
  }
  const auto tell = [&](int line, std::string_view fault) {
    loaded.faults.push_back(fmt::format("{}:{}: {}", file.string(), line, fault));
  };
  const TomlDocument document = read_toml(*text);
  if (!document.fault.empty()) tell(document.fault_line, document.fault);
  for (const TomlEntry& entry : document.entries)
    if (entry.key == "engines") {
      for (const EngineFault& fault : read_engines(entry, loaded.options.model.engines))
        tell(fault.line, fault.text);
    } else if (const auto fault = set_key(entry, loaded.options, from); !fault.empty())
      tell(entry.line, fault);
  return loaded;
}

ChatOptions load_config(const std::filesystem::path& file, ChatOptions options, Origin from) {
  LoadedOptions loaded = read_config(file, std::move(options), from);
  if (!loaded.faults.empty()) throw UsageError(loaded.faults.front());
  return std::move(loaded.options);
}

LoadedOptions read_environment(EnvironmentView environment, ChatOptions options) {
  LoadedOptions loaded{std::move(options)};
  for (const std::string_view variable : environment) {
    const std::size_t equals = variable.find('=');
    if (!variable.starts_with("CONFAB_") || equals == std::string_view::npos) continue;
    if (equals + 1 < variable.size())
      take_variable(variable.substr(0, equals), variable.substr(equals + 1), loaded);
  }
  return loaded;
}

LoadedOptions load_defaults(const Paths& paths, StatePart part, EnvironmentView environment) {
  LoadedOptions of_file = read_config(paths.config_file, load_state(paths, part), Origin::config);
  drop_lost_model(of_file.options);
  LoadedOptions loaded = read_environment(environment, std::move(of_file.options));
  loaded.faults.insert(loaded.faults.begin(), of_file.faults.begin(), of_file.faults.end());
  return loaded;
}

}  // namespace confab::app
