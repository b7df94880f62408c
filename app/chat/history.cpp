// SPDX-License-Identifier: MIT
#include "app/chat/history.h"

#include <fmt/format.h>

#include <stdexcept>

#include "sessions/directory.h"
#include "ui/error.h"
#include "ui/input/history_file.h"

namespace confab::app {

History::Stamp History::stamp() const noexcept {
  std::error_code error;
  Stamp stamp;
  const std::uintmax_t size = std::filesystem::file_size(file_, error);
  if (!error) stamp.size = size;
  const std::filesystem::file_time_type time = std::filesystem::last_write_time(file_, error);
  if (!error) stamp.time = time;
  return stamp;
}

std::vector<std::string> History::load() {
  if (!keep_) return {};
  loaded_ = stamp();  // taken before reading, so that later additions are read again
  try {
    return ui::load_history(file_.string());
  } catch (const ui::TerminalError&) {
    return {};
  }
}

std::optional<std::vector<std::string>> History::changed() {
  if (!keep_ || stamp() == loaded_) return std::nullopt;
  return load();
}

std::string History::add(std::string_view entry) {
  if (!keep_) return {};
  try {
    sessions::make_private_directories(file_.parent_path());
    ui::append_history(file_.string(), entry);
    return {};
    // TerminalError from the file, StoreError from its folder
  } catch (const std::runtime_error& fault) {
    keep_ = false;
    return fmt::format("{}; what you type will not be remembered", fault.what());
  }
}

}  // namespace confab::app
