// SPDX-License-Identifier: MIT
// How much memory this machine has, how much this process can still get, and how much it has.
#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>

namespace confab::engine::platform {

inline constexpr std::uint64_t kUnknownBytes = std::numeric_limits<std::uint64_t>::max();

// The control group (v1 or v2) that leaves the process the least memory.
struct GroupLimit {
  std::string group;  // "/user.slice/app"; "/" for the mount point's own group
  std::uint64_t limit_bytes = 0;
  std::uint64_t left_bytes = 0;
};

// How much this process may map in all (RLIMIT_AS, `ulimit -v`).
struct AddressLimit {
  std::uint64_t limit_bytes = 0;
  std::uint64_t left_bytes = 0;
};

// Unknown values are kUnknownBytes; for swap, 0.
struct MemoryFacts {
  std::uint64_t physical_bytes = kUnknownBytes;
  // The system's estimate of memory that can be used without swapping, counting page cache as free.
  // Linux: MemAvailable. macOS: pages that are free, hold files or may be purged.
  std::uint64_t estimate_bytes = kUnknownBytes;
  // The part of that which programs have mapped and read from files: their code, and other
  // processes' models. It does not count as free, because taking it makes somebody read it again.
  // Linux: Mapped in /proc/meminfo, at most Active(file) + Inactive(file). macOS does not report
  // it.
  std::uint64_t mapped_bytes = 0;
  std::uint64_t swap_bytes = 0;
  std::uint64_t swap_used_bytes = 0;
  std::optional<GroupLimit> group = {};
  std::optional<AddressLimit> address_space = {};  // nullopt if there is no limit

  // Memory that this process can use without swapping, without taking any from others, and within
  // all limits.
  std::uint64_t available_bytes() const noexcept;
  // Whether this limit is the reason that no more is available.
  bool group_decides() const noexcept;
  bool address_space_decides() const noexcept;
};

MemoryFacts memory_facts();
// MemoryFacts::address_space alone; reads only two small files.
std::optional<AddressLimit> address_limit();
// If the address space is limited, stops the allocator from reserving much of it for each thread.
// Call it before any threads exist.
void save_address_space() noexcept;
// memory_facts().available_bytes().
std::uint64_t available_memory();

// Memory that this process uses. Anonymous memory is its own and can only go to swap; mapped memory
// is pages of files that it has read, which others may share.
struct MemoryUse {
  std::uint64_t anonymous_bytes = 0;
  std::uint64_t mapped_bytes = 0;
  std::uint64_t peak_bytes = 0;  // both together, since the process started
};

// All 0 if the system does not report them. Reads one small file.
MemoryUse memory_use();

// Bytes of a file that are in memory because another process has mapped it too; 0 if none has.
// Looks at each process of this user. Linux only; elsewhere always 0.
std::uint64_t bytes_shared_with_others(const std::filesystem::path& file);

#ifdef __linux__
// The same, with /proc and /sys below another root.
MemoryFacts memory_facts(const std::filesystem::path& root);
std::optional<AddressLimit> address_limit(const std::filesystem::path& root);
std::uint64_t available_memory(const std::filesystem::path& root);
MemoryUse memory_use(const std::filesystem::path& root);
bool is_mapped_by_others(const std::filesystem::path& file, const std::filesystem::path& root);
#endif

}  // namespace confab::engine::platform
