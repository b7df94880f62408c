// SPDX-License-Identifier: MIT
// What a process has in memory of a file that it maps.
#pragma once

#include <fstream>
#include <string>

namespace confab {

#ifdef __linux__

// KiB of the files whose paths end so (proc_pid_smaps(5)). process: "self", or its id.
inline int resident_kib(const std::string& path, const std::string& process = "self") {
  std::ifstream in("/proc/" + process + "/smaps");
  bool of_file = false;
  int sum = 0;
  for (std::string line; std::getline(in, line);) {
    if (line.find(':') > line.find('-')) of_file = line.ends_with(path);
    if (of_file && line.starts_with("Rss:")) sum += std::stoi(line.substr(4));
  }
  return sum;
}

#endif

}  // namespace confab
