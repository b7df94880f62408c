// SPDX-License-Identifier: MIT
#include "app/chat/kept_models.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

namespace confab::app {
namespace {

// Empty where there is no such file.
std::string state_of(const std::string& path) {
  std::error_code error;
  const auto bytes = std::filesystem::file_size(path, error);
  if (error) return {};
  const auto time = std::filesystem::last_write_time(path, error);
  return error ? std::string{} : fmt::format("{} {}", bytes, time.time_since_epoch().count());
}

}  // namespace

void KeptModels::add(LoadedModel left) {
  left.model->unload();
  std::string file = state_of(left.model->info().path);
  kept_.push_front({std::move(left), std::move(file)});
  if (kept_.size() > kMost) kept_.pop_back();
}

LoadedModel KeptModels::take(const std::string& path) {
  const auto is_wanted = [&](const Kept& kept) {
    return kept.left.model->info().path == path || kept.left.options.path == path;
  };
  const auto found = std::ranges::find_if(kept_, is_wanted);
  if (found == kept_.end()) return {};
  Kept kept = std::move(*found);
  kept_.erase(found);
  if (kept.file.empty() || kept.file != state_of(kept.left.model->info().path)) return {};
  while (kept.left.model->next_event()) continue;
  return std::move(kept.left);
}

}  // namespace confab::app
