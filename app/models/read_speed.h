// SPDX-License-Identifier: MIT
// The speed at which this machine reads memory. It is measured once and kept, because measuring
// takes a second or two. It is kept with the caches, so it can be deleted at any time.
#pragma once

#include <filesystem>
#include <string_view>

namespace confab::app {

// The conditions of a measurement.
struct ReadSpeedKey {
  int n_threads = 0;
  std::string_view isa;
};

// In units of 1e9 bytes per second; 0 if no measurement is kept for these conditions.
double kept_read_gbs(const std::filesystem::path& file, const ReadSpeedKey& key);
// Whether the measurement is recent enough for today. Other programs can make a measurement slower
// but not faster, so the larger of two counts.
bool is_read_speed_fresh(const std::filesystem::path& file);
// If it cannot be written, it is measured again next time.
void keep_read_gbs(const std::filesystem::path& file, const ReadSpeedKey& key, double read_gbs);

// The file, in the folder of caches.
std::filesystem::path read_speed_file();
// The speed for the default number of threads and instruction set; 0 if none is kept.
double usual_read_gbs();

}  // namespace confab::app
