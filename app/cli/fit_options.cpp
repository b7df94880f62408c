// SPDX-License-Identifier: MIT
#include "app/cli/fit_options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <cstdlib>
#include <string>

#include "app/cli/option_flags.h"
#include "app/cli/parser.h"
#include "app/error.h"

namespace confab::app {

void add_fit_options(CLI::App& app, FitWords& words, ChatOptions& options) {
  using enum OptionGroup;
  app.add_option("MODEL", words.model, "GGUF file, folder of a model, or a name (or -m)")
      ->type_name("");
  add_options(app, options, {model, context, draft});
  app.add_flag("--table", words.table,
               "Show which sizes of models fit, from 3B to 405B, by bits and context");
  app.add_option("--memory", words.memory, "For a machine with so much memory free: 16G")
      ->type_name("SIZE");
  app.add_flag("--json", words.json, "Print JSON");
}

FitOptions finish_fit_options(const FitWords& words, ModelOptions model) {
  FitOptions options{.model = std::move(model), .table = words.table, .json = words.json};
  if (!words.model.empty()) {
    if (options.model.named && options.model.path != words.model)
      throw UsageError("--model and MODEL cannot be used together: give one of them");
    options.model.path = words.model;
    options.model.named = true;
  }
  if (words.table && options.model.named)
    throw UsageError("--table and a model cannot be used together: give one of them");
  if (words.memory.empty()) return options;
  options.memory_bytes = parse_memory(words.memory);
  if (!options.memory_bytes)
    throw UsageError(
        fmt::format("--memory must be a size such as 16G or 512M, not {}", words.memory));
  return options;
}

std::optional<std::uint64_t> parse_memory(std::string_view text) {
  constexpr std::string_view kUnits = "KMGT";
  // libc++ has from_chars() for floating point since version 20 only. strtod() would take signs,
  // exponents and hexadecimal digits besides: it gets digits and points alone.
  const std::string number(text.substr(0, text.find_first_not_of("0123456789.")));
  char* stop = nullptr;
  double value = std::strtod(number.c_str(), &stop);
  if (!(value > 0)) return std::nullopt;
  std::string_view unit = text.substr(static_cast<std::size_t>(stop - number.c_str()));
  if (unit.starts_with(' ')) unit.remove_prefix(1);
  if (!unit.empty() && unit != "B") {
    const std::size_t power = kUnits.find(static_cast<char>(unit[0] & ~0x20));
    unit.remove_prefix(1);
    if (power == std::string_view::npos || (!unit.empty() && unit != "B" && unit != "iB"))
      return std::nullopt;
    value = std::ldexp(value, 10 * static_cast<int>(power + 1));
  }
  if (value < 1 || value > std::ldexp(1, 60)) return std::nullopt;
  return static_cast<std::uint64_t>(value);
}

}  // namespace confab::app
