// SPDX-License-Identifier: MIT
#include "engine/platform/memory.h"

#include <algorithm>
#ifdef __linux__
#include <malloc.h>
#include <sys/stat.h>
#include <unistd.h>

#include <charconv>
#include <fstream>
#include <string_view>
#endif
#ifdef __APPLE__
#include <mach/mach.h>
#include <sys/sysctl.h>
#include <unistd.h>
#endif

#include "engine/platform/pressure.h"

namespace confab::engine::platform {

namespace {

// Memory that the machine can give to all programs together.
std::uint64_t free_bytes(const MemoryFacts& facts) noexcept {
  if (facts.estimate_bytes == kUnknownBytes) return kUnknownBytes;
  return facts.estimate_bytes - std::min(facts.estimate_bytes, facts.mapped_bytes);
}

std::uint64_t left_by_group(const MemoryFacts& facts) noexcept {
  return facts.group ? facts.group->left_bytes : kUnknownBytes;
}

std::uint64_t left_by_address_space(const MemoryFacts& facts) noexcept {
  return facts.address_space ? facts.address_space->left_bytes : kUnknownBytes;
}

}  // namespace

std::uint64_t MemoryFacts::available_bytes() const noexcept {
  return std::min({free_bytes(*this), left_by_group(*this), left_by_address_space(*this)});
}

bool MemoryFacts::group_decides() const noexcept {
  return left_by_group(*this) < std::min(free_bytes(*this), left_by_address_space(*this));
}

bool MemoryFacts::address_space_decides() const noexcept {
  return left_by_address_space(*this) < std::min(free_bytes(*this), left_by_group(*this));
}

std::uint64_t available_memory() {
  return memory_facts().available_bytes();
}

#ifdef __linux__
namespace {

namespace fs = std::filesystem;

std::optional<std::uint64_t> parse(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{}) return std::nullopt;
  return value;
}

// The number in a one-line file. nullopt for "max" and for files that do not exist.
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

std::optional<std::uint64_t> read_kib(const fs::path& path, std::string_view key) {
  const auto kib = read_entry(path, key);
  return kib ? std::optional(*kib * 1024) : std::nullopt;
}

// The files in which each version of control groups keeps its figures.
struct GroupFiles {
  const char* limit;
  const char* usage;
  const char* active_file;  // entries of memory.stat: page cache, which is reclaimed on demand
  const char* inactive_file;
  const char* mapped_file;  // the part of it that programs of the group have mapped
};
constexpr GroupFiles kV2{"memory.max", "memory.current", "active_file ", "inactive_file ",
                         "file_mapped "};
constexpr GroupFiles kV1{"memory.limit_in_bytes", "memory.usage_in_bytes", "total_active_file ",
                         "total_inactive_file ", "total_mapped_file "};

// Version 1 expresses "no limit" as a huge number; any limit from here on means that.
constexpr std::uint64_t kNoLimit = std::uint64_t{1} << 60;

class Groups {
 public:
  // A group is bound by the limits of all groups above it. Inside a container the path may name
  // folders that are not mounted; the mount point then has the container's own figures.
  void add(const fs::path& mount, std::string_view group, const GroupFiles& files) {
    add_one(mount, "/", files);
    fs::path folder = mount, name = "/";
    for (const fs::path& part : fs::path(group).relative_path()) {
      if (part == "..") break;  // a group outside this namespace
      folder /= part;
      name /= part;
      add_one(folder, name.string(), files);
    }
  }
  std::optional<GroupLimit> tightest() const { return tightest_; }

 private:
  void add_one(const fs::path& folder, const std::string& name, const GroupFiles& files) {
    const auto limit = read_number(folder / files.limit);
    const auto usage = read_number(folder / files.usage);
    if (!limit || !usage || *limit >= kNoLimit) return;
    const fs::path stat = folder / "memory.stat";
    const auto entry = [&stat](const char* key) { return read_entry(stat, key).value_or(0); };
    const std::uint64_t cached = entry(files.active_file) + entry(files.inactive_file);
    const std::uint64_t free_cache = cached - std::min(cached, entry(files.mapped_file));
    const std::uint64_t used = *usage - std::min(*usage, free_cache);
    const std::uint64_t left = *limit - std::min(*limit, used);
    if (!tightest_ || left < tightest_->left_bytes) tightest_ = GroupLimit{name, *limit, left};
  }

  std::optional<GroupLimit> tightest_;
};

// Lines of /proc/self/cgroup are "ID:CONTROLLERS:PATH"; version 2 has ID 0 and no controllers.
std::optional<GroupLimit> tightest_group(const fs::path& root) {
  const fs::path mount = root / "sys/fs/cgroup";
  Groups groups;
  std::ifstream in(root / "proc/self/cgroup");
  for (std::string line; std::getline(in, line);) {
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = ',' + line.substr(first + 1, second - first - 1) + ',';
    const std::string group = line.substr(second + 1);
    if (controllers == ",,")
      groups.add(mount, group, kV2);
    else if (controllers.find(",memory,") != std::string::npos)
      groups.add(mount / "memory", group, kV1);
  }
  return groups.tightest();
}

// "Max address space", in bytes, soft limit before hard limit: proc(5). "unlimited" is not a
// number.
constexpr const char* kAddressSpace = "Max address space ";

// Whether a line of /proc/PID/maps, "ADDRESSES MODE OFFSET DEVICE INODE PATH", is about this file.
// The device is not compared, because some file systems report a different one to stat().
bool is_mapping_of(std::string_view line, std::string_view inode, std::string_view name) {
  const std::size_t at = line.find(inode);
  return at != std::string_view::npos && line.ends_with(name);
}

}  // namespace

// The entries are described in Linux's Documentation/filesystems/proc.rst. MemAvailable includes
// pages of files whether or not they are mapped (mm/show_mem.c, si_mem_available()).
MemoryFacts memory_facts(const fs::path& root) {
  const fs::path meminfo = root / "proc/meminfo";
  const auto bytes = [&meminfo](const char* key) { return read_kib(meminfo, key); };
  MemoryFacts facts;
  facts.physical_bytes = bytes("MemTotal:").value_or(kUnknownBytes);
  facts.estimate_bytes = bytes("MemAvailable:").value_or(kUnknownBytes);
  const std::uint64_t of_files =
      bytes("Active(file):").value_or(0) + bytes("Inactive(file):").value_or(0);
  facts.mapped_bytes = std::min(bytes("Mapped:").value_or(0), of_files);
  facts.swap_bytes = bytes("SwapTotal:").value_or(0);
  facts.swap_used_bytes =
      facts.swap_bytes - std::min(facts.swap_bytes, bytes("SwapFree:").value_or(facts.swap_bytes));
  facts.group = tightest_group(root);
  facts.address_space = address_limit(root);
  return facts;
}

std::optional<AddressLimit> address_limit(const fs::path& root) {
  const auto limit = read_entry(root / "proc/self/limits", kAddressSpace);
  const auto used = read_kib(root / "proc/self/status", "VmSize:");
  if (!limit || !used) return std::nullopt;
  return AddressLimit{*limit, *limit - std::min(*limit, *used)};
}

std::optional<AddressLimit> address_limit() {
  return address_limit("/");
}

// Each of glibc's arenas reserves 64 MiB.
void save_address_space() noexcept {
#ifdef M_ARENA_MAX
  if (address_limit()) ::mallopt(M_ARENA_MAX, 1);
#endif
}

MemoryFacts memory_facts() {
  return memory_facts("/");
}

std::uint64_t available_memory(const fs::path& root) {
  return memory_facts(root).available_bytes();
}

MemoryUse memory_use(const fs::path& root) {
  const fs::path status = root / "proc/self/status";
  const auto bytes = [&status](const char* key) { return read_kib(status, key).value_or(0); };
  return {bytes("RssAnon:"), bytes("RssFile:"), bytes("VmHWM:")};
}

MemoryUse memory_use() {
  return memory_use("/");
}

bool is_mapped_by_others(const fs::path& file, const fs::path& root) {
  struct stat status {};
  if (::stat(file.c_str(), &status) != 0) return false;
  const std::string inode = ' ' + std::to_string(status.st_ino) + ' ';
  const std::string name = '/' + file.filename().string();
  const std::string own = std::to_string(::getpid());
  std::error_code error;
  for (fs::directory_iterator process(root / "proc", error), end; !error && process != end;
       process.increment(error)) {
    const std::string id = process->path().filename().string();
    if (id == own || id.find_first_not_of("0123456789") != std::string::npos) continue;
    std::ifstream maps(process->path() / "maps");  // other users' files cannot be opened
    for (std::string line; std::getline(maps, line);)
      if (is_mapping_of(line, inode, name)) return true;
  }
  return false;
}

std::uint64_t bytes_shared_with_others(const fs::path& file) {
  std::error_code error;
  const std::uintmax_t size = fs::file_size(file, error);
  if (error || !is_mapped_by_others(file, "/")) return 0;
  return static_cast<std::uint64_t>(static_cast<double>(size) * cached_share(file));
}

#elif defined(__APPLE__)
namespace {

template <typename T>
std::optional<T> system_value(const char* name) {
  T value{};
  std::size_t n = sizeof value;
  if (::sysctlbyname(name, &value, &n, nullptr, 0) != 0) return std::nullopt;
  return value;
}

// Pages that are free, that hold files, or that their owners allow to be purged. Read-ahead pages
// count both as free and as pages of files. Source: mach/vm_statistics.h.
std::uint64_t estimate() {
  vm_statistics64_data_t pages{};
  mach_msg_type_number_t n = HOST_VM_INFO64_COUNT;
  if (host_statistics64(mach_host_self(), HOST_VM_INFO64, reinterpret_cast<host_info64_t>(&pages),
                        &n) != KERN_SUCCESS) {
    return kUnknownBytes;
  }
  const std::uint64_t n_free =
      pages.free_count - std::min(pages.free_count, pages.speculative_count);
  return (n_free + pages.external_page_count + pages.purgeable_count) *
         static_cast<std::uint64_t>(getpagesize());
}

}  // namespace

MemoryFacts memory_facts() {
  MemoryFacts facts;
  facts.physical_bytes = system_value<std::uint64_t>("hw.memsize").value_or(kUnknownBytes);
  facts.estimate_bytes = estimate();
  const auto swap = system_value<xsw_usage>("vm.swapusage").value_or(xsw_usage{});
  facts.swap_bytes = swap.xsu_total;
  facts.swap_used_bytes = swap.xsu_used;
  return facts;
}

// macOS knows this limit but does not enforce it.
std::optional<AddressLimit> address_limit() {
  return std::nullopt;
}

void save_address_space() noexcept {}

// Source: mach/task_info.h. Compressed pages also belong to the process.
MemoryUse memory_use() {
  task_vm_info_data_t info{};
  mach_msg_type_number_t n = TASK_VM_INFO_COUNT;
  if (task_info(mach_task_self(), TASK_VM_INFO, reinterpret_cast<task_info_t>(&info), &n) !=
      KERN_SUCCESS) {
    return {};
  }
  return {info.internal + info.compressed, info.external, info.resident_size_peak};
}

std::uint64_t bytes_shared_with_others(const std::filesystem::path&) {
  return 0;
}

#else

MemoryFacts memory_facts() {
  return {};
}

std::optional<AddressLimit> address_limit() {
  return std::nullopt;
}

void save_address_space() noexcept {}

MemoryUse memory_use() {
  return {};
}

std::uint64_t bytes_shared_with_others(const std::filesystem::path&) {
  return 0;
}

#endif

}  // namespace confab::engine::platform
