// SPDX-License-Identifier: MIT
// How much memory this machine has, what of it this process can still have, and what it has.
#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>

namespace confab::engine::platform {

inline constexpr std::uint64_t kUnknownBytes = std::numeric_limits<std::uint64_t>::max();

// The control group (v1, v2) that leaves least, of those that the process is in.
struct GroupLimit {
  std::string group;  // "/user.slice/app"; "/": that of the mount point
  std::uint64_t limit_bytes = 0;
  std::uint64_t left_bytes = 0;
};

// Of this process, what it may have mapped at all (RLIMIT_AS, `ulimit -v`).
struct AddressLimit {
  std::uint64_t limit_bytes = 0;
  std::uint64_t left_bytes = 0;
};

// What is not known is kUnknownBytes, or 0 of swap.
struct MemoryFacts {
  std::uint64_t physical_bytes = kUnknownBytes;
  // What the system thinks can be used without swapping, page cache counted as free. Linux:
  // MemAvailable. macOS: pages that are free, hold files or may be purged.
  std::uint64_t estimate_bytes = kUnknownBytes;
  // Of that, pages of files that programs have mapped and read: their code, and models of others.
  // Who takes these makes somebody read them again, so they are not free. Linux: Mapped of
  // /proc/meminfo, at most Active(file) + Inactive(file); macOS does not say.
  std::uint64_t mapped_bytes = 0;
  std::uint64_t swap_bytes = 0;
  std::uint64_t swap_used_bytes = 0;
  std::optional<GroupLimit> group = {};
  std::optional<AddressLimit> address_space = {};  // nullopt: it has no limit

  // What can be used without swapping, without taking what others use, and within all limits.
  std::uint64_t available_bytes() const noexcept;
  // Whether that is so little because of one limit or the other.
  bool group_decides() const noexcept;
  bool address_space_decides() const noexcept;
};

MemoryFacts memory_facts();
// MemoryFacts's alone, for the price of two small files.
std::optional<AddressLimit> address_limit();
// Where there is one, keeps the allocator from reserving much of it for each thread. To be called
// before there are any.
void save_address_space() noexcept;
// available_bytes() of these.
std::uint64_t available_memory();

// What this process has. Anonymous: its own, which only swap could take; mapped: pages of files
// that it has read, shared with others.
struct MemoryUse {
  std::uint64_t anonymous_bytes = 0;
  std::uint64_t mapped_bytes = 0;
  std::uint64_t peak_bytes = 0;  // of both together, since it began
};

// All 0 when nobody says. Costs the reading of a small file.
MemoryUse memory_use();

// The bytes of a file that are in memory because another process has mapped it too; 0: none has.
// Costs a look at each process of this user (Linux; elsewhere nobody says).
std::uint64_t bytes_shared_with_others(const std::filesystem::path& file);

#ifdef __linux__
// The same with /proc and /sys below another root.
MemoryFacts memory_facts(const std::filesystem::path& root);
std::optional<AddressLimit> address_limit(const std::filesystem::path& root);
std::uint64_t available_memory(const std::filesystem::path& root);
MemoryUse memory_use(const std::filesystem::path& root);
bool is_mapped_by_others(const std::filesystem::path& file, const std::filesystem::path& root);
#endif

}  // namespace confab::engine::platform
