// SPDX-License-Identifier: MIT
#include "app/history.h"

#include <fmt/format.h>

#include "ui/error.h"
#include "ui/history_file.h"

namespace confab::app {

std::vector<std::string> History::load() const {
  if (!keep_) return {};
  try {
    return ui::load_history(file_.string());
  } catch (const ui::TerminalError&) {
    return {};
  }
}

std::string History::add(std::string_view entry) {
  if (!keep_) return {};
  try {
    std::error_code error;
    const std::filesystem::path folder = file_.parent_path();
    if (!std::filesystem::exists(folder, error)) {
      std::filesystem::create_directories(folder, error);
      std::filesystem::permissions(folder, std::filesystem::perms::owner_all, error);
    }
    ui::append_history(file_.string(), entry);
    return {};
  } catch (const ui::TerminalError& fault) {
    keep_ = false;
    return fmt::format("{}; what you type is not remembered in this run", fault.what());
  }
}

}  // namespace confab::app
