// SPDX-License-Identifier: MIT
// How fast this machine reads memory, as it was measured before, since that takes a second or two.
// Kept with the caches: it can be deleted at any time.
#pragma once

#include <filesystem>
#include <string_view>

namespace confab::app {

// What a measurement is of.
struct ReadSpeedKey {
  int n_threads = 0;
  std::string_view isa;
};

// Units of 1e9 bytes a second; 0: none is kept for these.
double kept_read_gbs(const std::filesystem::path& file, const ReadSpeedKey& key);
// Whether nobody need measure it again today. What else runs can make it slower, not faster: of two
// measurements the larger one holds.
bool is_read_speed_fresh(const std::filesystem::path& file);
// Where it cannot be written, it is measured again next time.
void keep_read_gbs(const std::filesystem::path& file, const ReadSpeedKey& key, double read_gbs);

// In the folder of caches.
std::filesystem::path read_speed_file();
// Of the threads and instructions that are used here unless somebody asks for others; 0: none.
double usual_read_gbs();

}  // namespace confab::app
