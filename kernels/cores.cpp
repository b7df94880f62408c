// SPDX-License-Identifier: MIT
#include "kernels/cores.h"

#include <algorithm>
#include <climits>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string_view>
#include <thread>

#include "kernels/thread_pool.h"

#ifdef __linux__
#include <sched.h>
#endif
#ifdef __APPLE__
#include <sys/sysctl.h>
#endif

namespace confab::kernels {
namespace {

std::string first_line(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

// "max" and -1 mean no limit. Anything else that is not two positive numbers also counts as no
// limit.
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

// The smallest limit of `group` and the groups above it. Inside a container the group's own path
// may not be visible; then only the top is readable.
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

constexpr int kMaxProcessors = 1 << 16;

// The processors that this thread's affinity mask allows; empty if unknown.
std::vector<int> allowed_processors() {
  std::vector<int> processors;
#ifdef __linux__
  // The kernel rejects a mask smaller than its own, so try larger ones.
  for (int n = 1024; n <= kMaxProcessors; n *= 4) {
    cpu_set_t* set = CPU_ALLOC(n);
    if (set == nullptr) break;
    const std::size_t bytes = CPU_ALLOC_SIZE(n);
    const bool ok = sched_getaffinity(0, bytes, set) == 0;
    for (int i = 0; ok && i < n; ++i) {
      if (CPU_ISSET_S(static_cast<std::size_t>(i), bytes, set)) processors.push_back(i);
    }
    CPU_FREE(set);
    if (ok) break;
  }
#endif
  return processors;
}

int all_cores() noexcept {
#ifdef __APPLE__
  // Source: "Determining system capabilities" in Apple's kernel documentation.
  for (const char* name : {"hw.perflevel0.physicalcpu", "hw.physicalcpu"}) {
    int n = 0;
    std::size_t size = sizeof n;
    if (sysctlbyname(name, &n, &size, nullptr, 0) == 0 && n > 0) return n;
  }
#endif
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

std::string cpu_file(const std::string& root, int processor, const char* name) {
  return first_line(root + "/sys/devices/system/cpu/cpu" + std::to_string(processor) + name);
}

// The members of `processors` that are also in `among`, or all of them if none is.
std::vector<int> common(std::span<const int> processors, const std::vector<int>& among) {
  std::vector<int> both;
  std::ranges::copy_if(processors, std::back_inserter(both),
                       [&](int p) { return std::ranges::find(among, p) != among.end(); });
  if (both.empty()) both.assign(processors.begin(), processors.end());
  return both;
}

// Processors with at least half the largest capacity, or all if no capacity is known.
std::vector<int> of_large_capacity(const std::string& root, const std::vector<int>& processors) {
  std::vector<long> capacities;
  for (const int p : processors) {
    capacities.push_back(std::strtol(cpu_file(root, p, "/cpu_capacity").c_str(), nullptr, 10));
  }
  const long largest = capacities.empty() ? 0 : std::ranges::max(capacities);
  std::vector<int> large;
  for (std::size_t i = 0; i < processors.size(); ++i) {
    if (capacities[i] >= largest - largest / 2) large.push_back(processors[i]);
  }
  return large;
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

std::vector<int> processor_list(const std::string& list) {
  std::vector<int> numbers;
  const auto number = [](const char* at, char** end) {
    return std::clamp(std::strtol(at, end, 10), 0L, long{kMaxProcessors});
  };
  for (const char* at = list.c_str(); *at != 0;) {
    char* end = nullptr;
    const long first = number(at, &end);
    if (end == at) break;
    const long last = *end == '-' ? number(end + 1, &end) : first;
    for (long i = first; i <= last; ++i) numbers.push_back(static_cast<int>(i));
    if (*end != ',') break;
    at = end + 1;
  }
  return numbers;
}

int performance_cores(const std::string& root, std::span<const int> processors) {
  const std::vector<int> hybrid = processor_list(first_line(root + "/sys/devices/cpu_core/cpus"));
  const std::vector<int> large = of_large_capacity(root, common(processors, hybrid));
  int cores = 0;
  for (const int p : large) {
    const std::vector<int> siblings =
        processor_list(cpu_file(root, p, "/topology/thread_siblings_list"));
    const bool counted = std::ranges::any_of(siblings, [&](int sibling) {
      return sibling < p && std::ranges::find(large, sibling) != large.end();
    });
    if (!counted) ++cores;
  }
  return std::max(1, cores);
}

int usable_cores() noexcept {
  try {
    const std::vector<int> processors = allowed_processors();
    const int cores = processors.empty() ? all_cores() : performance_cores("", processors);
    return std::min(cores, cgroup_cores(""));
  } catch (...) {  // out of memory
    return all_cores();
  }
}

}  // namespace confab::kernels
