// SPDX-License-Identifier: MIT
#include "app/event_log.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <ctime>
#include <exception>
#include <fstream>

#include "sessions/directory.h"

namespace confab::app {
namespace {

constexpr std::uintmax_t kMaxBytes = 256 << 10;

// Renames a file that has grown too large, replacing the previous one.
void make_place(const std::filesystem::path& file) {
  std::error_code none;
  if (const auto n_bytes = std::filesystem::file_size(file, none); none || n_bytes < kMaxBytes)
    return;
  std::filesystem::rename(file, file.string() + ".1", none);
}

}  // namespace

void EventLog::add(std::string_view text) const noexcept {
  if (file_.empty()) return;
  try {
    sessions::make_private_directories(file_.parent_path());
    make_place(file_);
    const std::tm now = fmt::gmtime(std::time(nullptr));
    std::ofstream(file_, std::ios::app) << fmt::format("{:%Y-%m-%dT%H:%M:%SZ} {}\n", now, text);
  } catch (const std::exception&) {  // a chat goes on without its log
  }
}

}  // namespace confab::app
