// SPDX-License-Identifier: MIT
#include "engine/platform/pressure.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#ifdef __APPLE__
#include <mach/mach.h>
#endif

#include "engine/platform/descriptor.h"
#include "engine/platform/mapped_range.h"
#include "engine/platform/system_file.h"

namespace confab::engine::platform {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kParts = 64;
constexpr std::int64_t kPartBytes = std::int64_t{1} << 20;

struct Pages {
  std::int64_t cached = 0;
  std::int64_t all = 0;
};

// Counts the pages of bytes [offset, offset + n_bytes) of a file. `offset` must be a multiple of
// the page size.
Pages count_pages(int fd, std::int64_t offset, std::int64_t n_bytes) {
  const auto n = static_cast<std::size_t>(n_bytes);
  void* const begin = mmap(nullptr, n, PROT_READ, MAP_SHARED, fd, offset);
  if (begin == MAP_FAILED) return {};
  const std::size_t page = page_bytes();
#ifdef __APPLE__
  std::vector<char> resident((n + page - 1) / page);
#else
  std::vector<unsigned char> resident((n + page - 1) / page);
#endif
  Pages pages;
  if (mincore(begin, n, resident.data()) == 0) {
    pages.all = std::ssize(resident);
    pages.cached = std::ranges::count_if(resident, [](auto flags) { return (flags & 1) != 0; });
  }
  munmap(begin, n);
  return pages;
}

rusage own_usage() noexcept {
  rusage usage{};
  return getrusage(RUSAGE_SELF, &usage) == 0 ? usage : rusage{};
}

void add_usage(PressureSample& sample) {
  const rusage usage = own_usage();
  sample.major_faults = usage.ru_majflt;
  const auto ticks = [](const timeval& time) {
    const std::int64_t per_second = sysconf(_SC_CLK_TCK);
    return time.tv_sec * per_second + time.tv_usec * per_second / 1'000'000;
  };
  sample.own_ticks = ticks(usage.ru_utime) + ticks(usage.ru_stime);
}

#ifdef __linux__

// proc_pid_statm(5): the first two numbers are the size and the resident pages.
std::int64_t resident_bytes(const fs::path& root) {
  std::ifstream in(root / "proc/self/statm");
  std::int64_t size = 0, resident = 0;
  return in >> size >> resident ? resident * static_cast<std::int64_t>(page_bytes()) : 0;
}

std::int64_t swapped_pages(const fs::path& root) {
  std::ifstream in(root / "proc/vmstat");
  std::int64_t sum = 0, n = 0;
  for (std::string name; in >> name >> n;)
    if (name == "pswpin" || name == "pswpout") sum += n;
  return sum;
}

// proc_stat(5): user, nice, system, idle, iowait, irq, softirq, steal. Guest time is included in
// user.
void add_ticks(PressureSample& sample, const fs::path& root) {
  std::ifstream in(root / "proc/stat");
  std::string name;
  in >> name;
  std::int64_t n = 0;
  for (int i = 0; i < 8 && in >> n; ++i) {
    sample.all_ticks += n;
    if (i != 3 && i != 4) sample.busy_ticks += n;
  }
}

#endif

}  // namespace

#ifdef __linux__

PressureSample sample_pressure() {
  return sample_pressure("/");
}

PressureSample sample_pressure(const fs::path& root) {
  PressureSample sample;
  add_usage(sample);
  add_ticks(sample, root);
  sample.resident_bytes = resident_bytes(root);
  sample.swapped_pages = swapped_pages(root);
  return sample;
}

#elif defined(__APPLE__)

PressureSample sample_pressure() {
  PressureSample sample;
  add_usage(sample);
  const mach_port_t host = mach_host_self();
  mach_task_basic_info_data_t task{};
  mach_msg_type_number_t n = MACH_TASK_BASIC_INFO_COUNT;
  if (task_info(mach_task_self(), MACH_TASK_BASIC_INFO, reinterpret_cast<task_info_t>(&task), &n) ==
      KERN_SUCCESS)
    sample.resident_bytes = static_cast<std::int64_t>(task.resident_size);
  vm_statistics64_data_t pages{};
  n = HOST_VM_INFO64_COUNT;
  if (host_statistics64(host, HOST_VM_INFO64, reinterpret_cast<host_info64_t>(&pages), &n) ==
      KERN_SUCCESS)
    sample.swapped_pages = static_cast<std::int64_t>(pages.swapins + pages.swapouts);
  host_cpu_load_info_data_t load{};
  n = HOST_CPU_LOAD_INFO_COUNT;
  if (host_statistics(host, HOST_CPU_LOAD_INFO, reinterpret_cast<host_info_t>(&load), &n) ==
      KERN_SUCCESS) {
    for (int state = 0; state < CPU_STATE_MAX; ++state) {
      sample.all_ticks += load.cpu_ticks[state];
      if (state != CPU_STATE_IDLE) sample.busy_ticks += load.cpu_ticks[state];
    }
  }
  return sample;
}

#else

PressureSample sample_pressure() {
  PressureSample sample;
  add_usage(sample);
  return sample;
}

#endif

std::int64_t major_faults() noexcept {
  return own_usage().ru_majflt;
}

double cached_share(const fs::path& file) {
  const Descriptor descriptor(open(file.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat status {};
  if (descriptor.get() < 0 || fstat(descriptor.get(), &status) != 0 || status.st_size == 0)
    return 1;
  const std::int64_t size = status.st_size;
  const auto page = static_cast<std::int64_t>(page_bytes());
  const std::int64_t step = std::max(size / kParts / page * page, kPartBytes);
  Pages sum;
  for (std::int64_t offset = 0; offset < size; offset += step) {
    const Pages part = count_pages(descriptor.get(), offset, std::min(kPartBytes, size - offset));
    sum.cached += part.cached;
    sum.all += part.all;
  }
  return sum.all == 0 ? 1 : static_cast<double>(sum.cached) / static_cast<double>(sum.all);
}

}  // namespace confab::engine::platform
