// SPDX-License-Identifier: MIT
#include "engine/platform/memory.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#ifdef __APPLE__
#include <mach/mach.h>
#include <unistd.h>
#endif

namespace confab::engine::platform {
namespace {

constexpr std::uint64_t kUnknown = std::numeric_limits<std::uint64_t>::max();

#ifdef __linux__

namespace fs = std::filesystem;

std::optional<std::uint64_t> parse(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{}) return std::nullopt;
  return value;
}

// The number in a file of one line; nullopt for "max" and for files that are not there.
std::optional<std::uint64_t> read_number(const fs::path& path) {
  std::ifstream in(path);
  std::string line;
  std::getline(in, line);
  return parse(line);
}

// The number after `key` at the start of a line.
std::optional<std::uint64_t> read_entry(const fs::path& path, std::string_view key) {
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with(key)) return parse(std::string_view(line).substr(key.size()));
  }
  return std::nullopt;
}

// Where the two versions of control groups keep their figures.
struct GroupFiles {
  const char* limit;
  const char* usage;
  const char* active_file;  // entries of memory.stat: page cache, which is given up on demand
  const char* inactive_file;
};
constexpr GroupFiles kV2{"memory.max", "memory.current", "active_file ", "inactive_file "};
constexpr GroupFiles kV1{"memory.limit_in_bytes", "memory.usage_in_bytes", "total_active_file ",
                         "total_inactive_file "};

std::uint64_t left_in_group(const fs::path& folder, const GroupFiles& files) {
  const auto limit = read_number(folder / files.limit);
  const auto usage = read_number(folder / files.usage);
  if (!limit || !usage) return kUnknown;
  const fs::path stat = folder / "memory.stat";
  const std::uint64_t cached = read_entry(stat, files.active_file).value_or(0) +
                               read_entry(stat, files.inactive_file).value_or(0);
  const std::uint64_t used = *usage - std::min(*usage, cached);
  return *limit - std::min(*limit, used);
}

// A group is held by the limits of all above it. Inside a container the path may name folders that
// are not mounted; then the mount point has the container's own figures.
std::uint64_t left_in_groups(const fs::path& mount, std::string_view group,
                             const GroupFiles& files) {
  std::uint64_t left = left_in_group(mount, files);
  fs::path folder = mount;
  for (const fs::path& part : fs::path(group).relative_path()) {
    if (part == "..") break;  // a group outside of this name space
    folder /= part;
    left = std::min(left, left_in_group(folder, files));
  }
  return left;
}

// Lines of /proc/self/cgroup are "ID:CONTROLLERS:PATH"; version 2 has ID 0 and no controllers.
std::uint64_t left_by_control_groups(const fs::path& root) {
  const fs::path mount = root / "sys/fs/cgroup";
  std::uint64_t left = kUnknown;
  std::ifstream in(root / "proc/self/cgroup");
  for (std::string line; std::getline(in, line);) {
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = ',' + line.substr(first + 1, second - first - 1) + ',';
    const std::string group = line.substr(second + 1);
    if (controllers == ",,") {
      left = std::min(left, left_in_groups(mount, group, kV2));
    } else if (controllers.find(",memory,") != std::string::npos) {
      left = std::min(left, left_in_groups(mount / "memory", group, kV1));
    }
  }
  return left;
}

#endif

}  // namespace

#ifdef __linux__

std::uint64_t available_memory(const fs::path& root) {
  const auto kib = read_entry(root / "proc/meminfo", "MemAvailable:");
  return std::min(kib ? *kib * 1024 : kUnknown, left_by_control_groups(root));
}

std::uint64_t available_memory() {
  return available_memory("/");
}

#elif defined(__APPLE__)

// Pages that are free, that hold files, or that their owners let go of. Read-ahead pages count as
// free and as pages of files. Source: mach/vm_statistics.h.
std::uint64_t available_memory() {
  vm_statistics64_data_t pages{};
  mach_msg_type_number_t n = HOST_VM_INFO64_COUNT;
  if (host_statistics64(mach_host_self(), HOST_VM_INFO64, reinterpret_cast<host_info64_t>(&pages),
                        &n) != KERN_SUCCESS) {
    return kUnknown;
  }
  const std::uint64_t n_free =
      pages.free_count - std::min(pages.free_count, pages.speculative_count);
  return (n_free + pages.external_page_count + pages.purgeable_count) *
         static_cast<std::uint64_t>(getpagesize());
}

#else

std::uint64_t available_memory() {
  return kUnknown;
}

#endif

}  // namespace confab::engine::platform
