// SPDX-License-Identifier: MIT
#include "app/models/read_speed.h"

#include <chrono>
#include <cmath>
#include <string>

#include "app/error.h"
#include "app/models/inference.h"
#include "app/paths.h"
#include "app/save_file.h"
#include "app/whole_file.h"
#include "base/json.h"
#include "sessions/directory.h"
#include "sessions/error.h"

namespace confab::app {

namespace fs = std::filesystem;
using base::Json;

double kept_read_gbs(const fs::path& file, const ReadSpeedKey& key) {
  const Json kept = Json::try_parse(whole_file(file).value_or("")).value_or(Json());
  const Json* n_threads = kept.find("n_threads");
  const Json* gbs = kept.find("read_gbs");
  const bool is_it =
      n_threads != nullptr && *n_threads == Json(key.n_threads) && kept.text_at("isa") == key.isa;
  if (!is_it || gbs == nullptr) return 0;
  const double value = gbs->as_double().value_or(0);
  return std::isfinite(value) && value > 0 ? value : 0;
}

void keep_read_gbs(const fs::path& file, const ReadSpeedKey& key, double read_gbs) {
  const Json kept = {
      {"n_threads", key.n_threads}, {"isa", std::string(key.isa)}, {"read_gbs", read_gbs}};
  try {
    sessions::make_private_directories(file.parent_path());
    save_file(file.string(), kept.dump() + '\n', Existing::replace);
  } catch (const UserError&) {
    return;  // only costs time
  } catch (const sessions::StoreError&) {
    return;
  }
}

bool is_read_speed_fresh(const fs::path& file) {
  constexpr std::chrono::hours kFresh{24};
  std::error_code error;
  const fs::file_time_type time = fs::last_write_time(file, error);
  return !error && fs::file_time_type::clock::now() - time < kFresh;
}

fs::path read_speed_file() {
  return Paths::from_environment().kv.parent_path() / "read_speed.json";
}

double usual_read_gbs() {
  return kept_read_gbs(read_speed_file(), {.n_threads = kernels::usable_cores(),
                                           .isa = kernels::name(chosen_kernel_table().isa)});
}

}  // namespace confab::app
