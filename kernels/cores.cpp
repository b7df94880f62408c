// SPDX-License-Identifier: MIT
#include "kernels/cores.h"

#include <algorithm>
#include <climits>
#include <fstream>
#include <string_view>
#include <thread>

#include "kernels/thread_pool.h"

#ifdef __linux__
#include <sched.h>
#endif

namespace confab::kernels {
namespace {

std::string first_line(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

// "max" and -1 mean no limit; so does anything that is not two positive numbers.
int cores_from(const std::string& quota, const std::string& period) {
  char* end = nullptr;
  const long long q = std::strtoll(quota.c_str(), &end, 10);
  if (end == quota.c_str() || q <= 0) return INT_MAX;
  const long long p = std::strtoll(period.c_str(), &end, 10);
  if (end == period.c_str() || p <= 0) return INT_MAX;
  return static_cast<int>(std::clamp<long long>(q / p, 1, INT_MAX));
}

int limit_v2(const std::string& folder) {
  const std::string line = first_line(folder + "/cpu.max");
  const auto space = line.find(' ');
  if (space == std::string::npos) return INT_MAX;
  return cores_from(line.substr(0, space), line.substr(space + 1));
}

int limit_v1(const std::string& folder) {
  return cores_from(first_line(folder + "/cpu.cfs_quota_us"),
                    first_line(folder + "/cpu.cfs_period_us"));
}

// The smallest limit of `group` and those above it; inside a container its own path may not be
// visible, and then only the top is there to be read.
int smallest_limit(const std::string& mount, std::string group, int (*limit)(const std::string&)) {
  int cores = limit(mount);
  while (group.size() > 1) {
    cores = std::min(cores, limit(mount + group));
    group.resize(group.rfind('/'));
  }
  return cores;
}

bool has_cpu(std::string_view controllers) {
  while (!controllers.empty()) {
    const auto comma = std::min(controllers.find(','), controllers.size());
    if (controllers.substr(0, comma) == "cpu") return true;
    controllers.remove_prefix(std::min(comma + 1, controllers.size()));
  }
  return false;
}

int affinity_cores() {
#ifdef __linux__
  // The kernel refuses a mask smaller than its own, so try larger ones.
  for (int n = 1024; n <= 1 << 20; n *= 4) {
    cpu_set_t* set = CPU_ALLOC(n);
    if (set == nullptr) break;
    const std::size_t bytes = CPU_ALLOC_SIZE(n);
    const bool ok = sched_getaffinity(0, bytes, set) == 0;
    const int count = ok ? CPU_COUNT_S(bytes, set) : 0;
    CPU_FREE(set);
    if (ok) return std::max(1, count);
  }
#endif
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

}  // namespace

int cgroup_cores(const std::string& root) {
  std::ifstream groups(root + "/proc/self/cgroup");
  const std::string fs = root + "/sys/fs/cgroup";
  int cores = INT_MAX;
  for (std::string line; std::getline(groups, line);) {  // "id:controllers:/path"
    const auto first = line.find(':');
    const auto second = line.find(':', std::min(first, line.size() - 1) + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const std::string path = line.substr(second + 1);
    if (path.empty() || path[0] != '/') continue;
    if (controllers.empty()) {
      cores = std::min(cores, smallest_limit(fs, path, limit_v2));
    } else if (has_cpu(controllers)) {
      cores = std::min(cores, smallest_limit(fs + "/cpu", path, limit_v1));
    }
  }
  return cores;
}

int usable_cores() noexcept {
  try {
    return std::min(affinity_cores(), cgroup_cores(""));
  } catch (...) {  // out of memory while reading: the mask alone
    return affinity_cores();
  }
}

}  // namespace confab::kernels
