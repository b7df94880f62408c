// SPDX-License-Identifier: MIT
#include "app/line/greeting.h"

#include <string_view>
#include <utility>

namespace confab::app {

std::string in_ascii(std::string line) {
  for (const std::string_view sign : {"·", "─"})
    for (std::size_t at = 0; (at = line.find(sign, at)) != std::string::npos;)
      line.replace(at, sign.size(), "-");
  return line;
}

std::vector<std::string> greeting(const engine::ModelInfo& model, bool is_demo, Keeping keeping) {
  const auto suggestion = is_demo ? std::optional(suggest_model()) : std::nullopt;
  std::vector<std::string> lines;
  for (std::string& line : welcome(model, is_demo, suggestion, keeping))
    lines.push_back(in_ascii(std::move(line)));
  lines.emplace_back("/ or ? lists the commands and keys; @FILE attaches a file; Ctrl+D leaves.");
  return lines;
}

}  // namespace confab::app
