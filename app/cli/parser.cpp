// SPDX-License-Identifier: MIT
#include "app/cli/parser.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "app/error.h"

namespace confab::app {

std::optional<PrintAndExit> run_parser(CLI::App& app, std::vector<std::string> words) {
  std::reverse(words.begin(), words.end());  // as CLI11 wants them
  try {
    app.parse(std::move(words));
    return std::nullopt;
  } catch (const CLI::CallForHelp&) {
    return PrintAndExit{app.help()};
  } catch (const CLI::CallForAllHelp&) {
    return PrintAndExit{app.help("", CLI::AppFormatMode::All)};
  } catch (const CLI::CallForVersion&) {
    return PrintAndExit{fmt::format("{}\n", kVersion)};
  } catch (const CLI::ParseError& error) {
    throw UsageError(fmt::format("{}; see {} --help", error.what(), app.get_name()));
  }
}

}  // namespace confab::app
