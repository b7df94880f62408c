// SPDX-License-Identifier: MIT
#include "app/prompts/prompt_template.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <utility>

#include "app/error.h"
#include "app/nearest.h"
#include "app/paths.h"
#include "app/toml_entries.h"
#include "app/whole_file.h"
#include "engine/error.h"
#include "ui/words.h"

namespace confab::app {
namespace {

using Fault = std::string;  // "" if nothing is wrong
using Kind = engine::ConstraintSpec::Kind;

constexpr std::string_view kNeedsText = "must be a string, in quotes";

// Options that a template may set besides the parameters of answers. Other options concern the
// program, not a question.
constexpr std::string_view kOptionKeys = "model ctx_size system thinking reverse_prompt";

struct ShapeKey {
  std::string_view key;
  Kind kind;
  bool is_file;
};
constexpr auto kShapeKeys = std::to_array<ShapeKey>({
    {"json_schema", Kind::json_schema, false},
    {"json_schema_file", Kind::json_schema, true},
    {"grammar", Kind::gbnf, false},
    {"grammar_file", Kind::gbnf, true},
    {"regex", Kind::pattern, false},
});

constexpr auto kOtherKeys = std::to_array<std::string_view>(
    {"description", "instruction", "arguments", "overflow", "expect"});

bool is_taken(const Option& option) {
  return option.group == OptionGroup::sampling || ui::has_word(kOptionKeys, option.key);
}

Fault unknown_key(std::string_view key) {
  std::vector<std::string_view> known(kOtherKeys.begin(), kOtherKeys.end());
  for (const ShapeKey& shape : kShapeKeys) known.push_back(shape.key);
  for (const Option& option : option_table())
    if (is_taken(option)) known.push_back(option.key);
  if (find_option(key) != nullptr)
    return fmt::format("{} cannot be set by a template; it is a key of config.toml", key);
  const auto near = nearest(key, known);
  return fmt::format(
      "no key '{}'; {}", key,
      near ? fmt::format("did you mean {}?", *near) : "confab templates review shows a template");
}

bool is_name_of_argument(std::string_view name) {
  return !name.empty() && name != kInput && std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  });
}

// The name in {{name}} at this offset; "" if the braces are plain text.
std::string name_at(std::string_view text, std::size_t at, std::size_t& end) {
  const std::size_t close = text.find("}}", at);
  if (close == std::string_view::npos) return {};
  end = close + 2;
  const std::string name(ui::trimmed(text.substr(at + 2, close - at - 2), " "));
  return is_name_of_argument(name) || name == kInput ? name : "";
}

std::vector<TemplatePiece> pieces_of(std::string_view text) {
  std::vector<TemplatePiece> pieces;
  std::string plain;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at + 1;
    const std::string name = text.substr(at, 2) == "{{" ? name_at(text, at, end) : "";
    if (name.empty()) {
      plain += text[at++];
      continue;
    }
    if (!plain.empty()) pieces.push_back({std::exchange(plain, {})});
    pieces.push_back({name, true});
    at = end;
  }
  if (!plain.empty()) pieces.push_back({plain});
  return pieces;
}

class TemplateReader {
 public:
  explicit TemplateReader(PromptTemplate& read) : read_(read) {}

  // Takes an entry and returns what is wrong with it.
  Fault take(const TomlEntry& entry) {
    const auto* text = std::get_if<std::string>(&entry.value);
    const auto* shape = std::ranges::find(kShapeKeys, entry.key, &ShapeKey::key);
    if (shape != kShapeKeys.end()) return text ? take_shape(*shape, *text) : needs_text(entry);
    if (entry.key == "arguments") return take_arguments(entry);
    if (const Option* option = find_option(entry.key); option != nullptr && is_taken(*option))
      return take_option(*option, entry);
    if (std::ranges::find(kOtherKeys, entry.key) == kOtherKeys.end()) return unknown_key(entry.key);
    return text ? take_text(entry.key, *text) : needs_text(entry);
  }

  // Checks that every name in the instruction is an argument, and that no incompatible keys are
  // used together.
  Fault check() {
    if (read_.expected.is_wanted() && read_.shape.kind != Kind::none)
      return "expect cannot be used with json_schema, grammar or regex: give one of them";
    for (const TemplatePiece& piece : read_.instruction) {
      if (!piece.is_name || piece.text == kInput || has_argument(piece.text)) continue;
      const bool is_number = piece.text.find_first_not_of("0123456789") == std::string::npos;
      if (!is_number)
        return fmt::format("no argument '{0}' for {{{{{0}}}}}; declare it below [arguments]",
                           piece.text);
      read_.arguments.push_back({.name = piece.text});
    }
    return {};
  }

 private:
  static Fault needs_text(const TomlEntry& entry) {
    return fmt::format("{} {}", entry.key, kNeedsText);
  }
  bool has_argument(const std::string& name) const {
    return std::ranges::find(read_.arguments, name, &TemplateArgument::name) !=
           read_.arguments.end();
  }

  Fault take_text(std::string_view key, const std::string& text) {
    if (key == "description") read_.description = text;
    if (key == "expect") return take_expectation(text);
    if (key == "instruction") read_.instruction = pieces_of(ui::trimmed(text, " \t\r\n"));
    if (key != "overflow") return {};
    constexpr auto kNames = std::to_array<std::pair<std::string_view, Overflow>>(
        {{"error", Overflow::error}, {"truncate", Overflow::truncate}, {"split", Overflow::split}});
    for (const auto& [name, overflow] : kNames)
      if (text == name) read_.overflow = overflow;
    return read_.overflow ? ""
                          : fmt::format("overflow must be error, split or truncate, not {}", text);
  }

  Fault take_expectation(const std::string& text) {
    try {
      read_.expected = parse_expectation(text);
    } catch (const UserError& fault) {
      return fmt::format("expect: {}", fault.what());
    }
    return {};
  }

  Fault take_shape(const ShapeKey& key, const std::string& given) {
    if (read_.shape.kind != Kind::none)
      return fmt::format("{} cannot be used with another shape: give one of them", key.key);
    std::string text = given;
    if (key.is_file) {
      const std::filesystem::path named = expand_home(given);
      const auto content =
          whole_file(named.is_absolute() ? named : read_.file.parent_path() / named);
      if (!content) return fmt::format("{}: {} cannot be read", key.key, given);
      text = *content;
    }
    const engine::ConstraintSpec shape{.kind = key.kind, .text = text};
    try {
      engine::check_constraint(shape);
    } catch (const engine::ModelError& fault) {
      return fmt::format("{}: {}", key.key, fault.what());
    }
    read_.shape = shape;
    return {};
  }

  Fault take_option(const Option& option, const TomlEntry& entry) {
    const auto texts = texts_of(entry.value, option.value);
    if (!texts) return fmt::format("{} must be {}", entry.key, range_text(option.value));
    ChatOptions checked;
    const Fault fault = put_value(option.value, checked, *texts, Origin::own_template);
    if (!fault.empty()) return fmt::format("{} {}", entry.key, fault);
    read_.settings.push_back({&option, *texts});
    return {};
  }

  Fault take_arguments(const TomlEntry& entry) {
    const auto* entries = std::get_if<std::vector<TomlEntry>>(&entry.value);
    if (entries == nullptr)
      return "arguments must be a table: [arguments], then a line for each: to = \"English\"";
    for (const TomlEntry& argument : *entries)
      if (Fault fault = take_argument(argument); !fault.empty()) return fault;
    return {};
  }

  // NAME = "DEFAULT" or NAME = { help = "...", default = "..." }.
  Fault take_argument(const TomlEntry& entry) {
    TemplateArgument argument{.name = entry.key};
    if (!is_name_of_argument(entry.key))
      return fmt::format(
          "the argument '{}' needs another name: small letters, digits and _, not input",
          entry.key);
    if (const auto* text = std::get_if<std::string>(&entry.value)) argument.by_default = *text;
    const auto* parts = std::get_if<std::vector<TomlEntry>>(&entry.value);
    if (parts == nullptr && !argument.by_default)
      return fmt::format(
          "the argument {0} must be \"DEFAULT\", or {{ help = \"...\", default = "
          "\"...\" }}",
          entry.key);
    if (parts != nullptr)
      for (const TomlEntry& part : *parts) {
        const auto* text = std::get_if<std::string>(&part.value);
        if (part.key != "help" && part.key != "default")
          return fmt::format("no key '{}' of an argument; it has help and default", part.key);
        if (text == nullptr) return fmt::format("{} of {} {}", part.key, entry.key, kNeedsText);
        if (part.key == "help") argument.help = *text;
        if (part.key == "default") argument.by_default = *text;
      }
    read_.arguments.push_back(std::move(argument));
    return {};
  }

  PromptTemplate& read_;
};

}  // namespace

bool PromptTemplate::has_input() const noexcept {
  return std::ranges::any_of(instruction, [](const TemplatePiece& piece) {
    return piece.is_name && piece.text == kInput;
  });
}

ReadTemplate read_template(const std::string& name, const std::string& source,
                           const std::filesystem::path& file) {
  ReadTemplate out{.read = {.name = name, .file = file, .source = source}};
  const auto tell = [&](int line, std::string_view fault) {
    out.faults.push_back(fmt::format("{}:{}: {}", file.string(), line, fault));
  };
  const TomlDocument document = read_toml(source);
  if (!document.fault.empty()) tell(document.fault_line, document.fault);
  TemplateReader reader(out.read);
  int instruction_line = 1;
  for (const TomlEntry& entry : document.entries) {
    if (entry.key == "instruction") instruction_line = entry.line;
    if (const Fault fault = reader.take(entry); !fault.empty()) tell(entry.line, fault);
  }
  if (!out.faults.empty()) return out;
  if (const Fault fault = reader.check(); !fault.empty()) tell(instruction_line, fault);
  return out;
}

}  // namespace confab::app
