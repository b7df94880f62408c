// SPDX-License-Identifier: MIT
#include "engine/platform/memory_pressure.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <string>
#include <utility>
#include <vector>
#ifdef __linux__
#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/inotify.h>
#include <unistd.h>
#endif
#ifdef __APPLE__
#include <dispatch/dispatch.h>

#include <atomic>
#endif

#include "engine/platform/descriptor.h"
#include "engine/platform/memory.h"
#include "engine/platform/system_file.h"
#include "engine/platform/wake_fd.h"

namespace confab::engine::platform {
namespace {

namespace fs = std::filesystem;
using Milliseconds = std::chrono::milliseconds;

// For sources that cannot wake anybody.
constexpr Milliseconds kPollInterval{2000};

MemoryPressure read_file(const fs::path& file) {
  const std::string word = first_word(file);
  if (word == "full") return MemoryPressure::full;
  return word == "some" ? MemoryPressure::some : MemoryPressure::none;
}

class FileSource final : public PressureSource {
 public:
  explicit FileSource(fs::path file);

  int fd() const noexcept override { return watch_.get(); }
  MemoryPressure take() override;
  std::optional<Milliseconds> poll_interval() const noexcept override {
    return fd() >= 0 ? std::nullopt : std::optional(kPollInterval);
  }

 private:
  fs::path file_;
  Descriptor watch_;
};

#ifdef __linux__

// Watches the folder, because the file may not exist yet or may be replaced by another. The watch
// ends if its folder is removed.
int watch_folder(const fs::path& folder) {
  Descriptor watch(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC));
  constexpr std::uint32_t kEvents = IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE;
  if (watch.get() < 0 || ::inotify_add_watch(watch.get(), folder.c_str(), kEvents) < 0) return -1;
  return ::fcntl(watch.get(), F_DUPFD_CLOEXEC, 0);
}

FileSource::FileSource(fs::path file)
    : file_(std::move(file)),
      watch_(watch_folder(file_.has_parent_path() ? file_.parent_path() : ".")) {}

MemoryPressure FileSource::take() {
  char events[4096];
  while (fd() >= 0 && ::read(fd(), events, sizeof events) > 0) {
  }
  return read_file(file_);
}

// How long programs have waited for memory so far.
struct Stalls {
  std::uint64_t some_us = 0, full_us = 0;
  double some_avg10 = 0, full_avg10 = 0;  // %, of the last 10 seconds
};

// Lines are "some avg10=0.00 avg60=0.00 avg300=0.00 total=0".
std::optional<Stalls> read_stalls(const fs::path& file) {
  std::ifstream in(file);
  std::optional<Stalls> stalls;
  std::string kind, avg10, avg60, avg300, total;
  while (in >> kind >> avg10 >> avg60 >> avg300 >> total) {
    if (!avg10.starts_with("avg10=") || !total.starts_with("total=")) return std::nullopt;
    if (!stalls) stalls.emplace();
    const double average = std::strtod(avg10.c_str() + 6, nullptr);
    const std::uint64_t sum = std::strtoull(total.c_str() + 6, nullptr, 10);
    (kind == "full" ? stalls->full_avg10 : stalls->some_avg10) = average;
    (kind == "full" ? stalls->full_us : stalls->some_us) = sum;
  }
  return stalls;
}

// Two seconds is the shortest window that needs no privilege. Within it, a program that uses the
// disk normally waits a few milliseconds; if pages of weights are taken and read again, it waits
// hundreds. Full pressure is rarer and worse: nobody computes meanwhile.
constexpr std::chrono::seconds kWindow{2};
constexpr std::uint64_t kSomeUs = 150'000, kFullUs = 100'000;
// The same thresholds for averages, in %: 150 ms and 100 ms of every 2 s.
constexpr double kSomePercent = 7.5, kFullPercent = 5;

MemoryPressure level_of_averages(const Stalls& stalls) {
  if (stalls.full_avg10 >= kFullPercent) return MemoryPressure::full;
  return stalls.some_avg10 >= kSomePercent ? MemoryPressure::some : MemoryPressure::none;
}

MemoryPressure level_between(const Stalls& before, const Stalls& after) {
  if (after.full_us - before.full_us >= kFullUs) return MemoryPressure::full;
  return after.some_us - before.some_us >= kSomeUs ? MemoryPressure::some : MemoryPressure::none;
}

// Sets a trigger on a file of pressure stall information. The result is negative if that fails. The
// descriptor must be polled for EPOLLPRI. Nothing is written to a file that cannot be polled at
// all.
Descriptor set_trigger(const fs::path& file, const std::string& trigger, int epoll) {
  Descriptor fd(::open(file.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC));
  epoll_event event{.events = EPOLLPRI, .data = {}};
  if (fd.get() < 0 || ::epoll_ctl(epoll, EPOLL_CTL_ADD, fd.get(), &event) != 0)
    return Descriptor(-1);
  ::epoll_ctl(epoll, EPOLL_CTL_DEL, fd.get(), nullptr);
  const auto n = static_cast<ssize_t>(trigger.size() + 1);
  if (::write(fd.get(), trigger.c_str(), trigger.size() + 1) != n ||
      ::epoll_ctl(epoll, EPOLL_CTL_ADD, fd.get(), &event) != 0)
    return Descriptor(-1);
  return fd;
}

// Stalls of the whole machine or of one group.
class StallFile {
 public:
  using Clock = std::chrono::steady_clock;

  StallFile(fs::path file, int epoll) : file_(std::move(file)) {
    const auto add = [&](const char* kind, std::uint64_t us) {
      const auto window = std::chrono::microseconds(kWindow).count();
      Descriptor fd =
          set_trigger(file_, kind + std::to_string(us) + ' ' + std::to_string(window), epoll);
      if (fd.get() >= 0) triggers_.push_back(std::move(fd));
    };
    add("some ", kSomeUs);
    add("full ", kFullUs);
    latest_ = before_ = read_stalls(file_).value_or(Stalls());
  }

  bool has_triggers() const noexcept { return !triggers_.empty(); }
  // Polling the descriptor consumes the event, so the stall counters show which trigger fired. They
  // are compared with those of the previous call, or of one window ago if that is longer.
  MemoryPressure take() {
    const std::optional<Stalls> now = read_stalls(file_);
    if (!now) return MemoryPressure::none;
    if (!has_triggers()) return level_of_averages(*now);
    if (Clock::now() - read_ >= kWindow) {
      before_ = std::exchange(latest_, *now);
      read_ = Clock::now();
    }
    return level_between(before_, *now);
  }

 private:
  fs::path file_;
  std::vector<Descriptor> triggers_ = {};
  Stalls before_, latest_;  // before_ is one window older, unless it is the first
  Clock::time_point read_ = Clock::now() - kWindow;
};

// The files of the machine and of the process's version 2 control group.
std::vector<fs::path> stall_files(const fs::path& root) {
  std::vector<fs::path> files{root / "proc/pressure/memory"};
  std::ifstream in(root / "proc/self/cgroup");
  for (std::string line; std::getline(in, line);)
    if (line.starts_with("0::/") && line.size() > 4)
      files.push_back(root / "sys/fs/cgroup" / line.substr(4) / "memory.pressure");
  std::erase_if(files, [](const fs::path& file) { return !read_stalls(file); });
  return files;
}

class StallSource final : public PressureSource {
 public:
  explicit StallSource(const std::vector<fs::path>& files)
      : epoll_(::epoll_create1(EPOLL_CLOEXEC)) {
    for (const fs::path& file : files) files_.emplace_back(file, epoll_.get());
  }

  int fd() const noexcept override { return wakes() ? epoll_.get() : -1; }
  MemoryPressure take() override {
    epoll_event events[4];
    ::epoll_wait(epoll_.get(), events, 4, 0);
    MemoryPressure worst = MemoryPressure::none;
    for (StallFile& file : files_) worst = std::max(worst, file.take());
    return worst;
  }
  std::optional<Milliseconds> poll_interval() const noexcept override {
    return wakes() ? std::nullopt : std::optional(kPollInterval);
  }

 private:
  bool wakes() const noexcept { return std::ranges::any_of(files_, &StallFile::has_triggers); }

  Descriptor epoll_;
  std::vector<StallFile> files_ = {};
};

// For systems without stall counters. Judges by the memory left when a machine begins to swap or to
// take pages of files that are in use.
class AvailableSource final : public PressureSource {
 public:
  explicit AvailableSource(fs::path root) : root_(std::move(root)) {}

  int fd() const noexcept override { return -1; }
  MemoryPressure take() override {
    const MemoryFacts facts = memory_facts(root_);
    if (facts.estimate_bytes == kUnknownBytes || facts.physical_bytes == kUnknownBytes)
      return MemoryPressure::none;
    if (facts.estimate_bytes < facts.physical_bytes / 50) return MemoryPressure::full;
    return facts.estimate_bytes < facts.physical_bytes / 20 ? MemoryPressure::some
                                                            : MemoryPressure::none;
  }
  std::optional<Milliseconds> poll_interval() const noexcept override { return kPollInterval; }

 private:
  fs::path root_;
};

#else

FileSource::FileSource(fs::path file) : file_(std::move(file)), watch_(-1) {}

MemoryPressure FileSource::take() {
  return read_file(file_);
}

#endif

#ifdef __APPLE__

// Source: dispatch/source.h. The system's queue calls back on its own thread; the level waits here
// until it is taken.
class DispatchSource final : public PressureSource {
 public:
  DispatchSource()
      : queue_(dispatch_queue_create("confab.pressure", nullptr)),
        source_(dispatch_source_create(DISPATCH_SOURCE_TYPE_MEMORYPRESSURE, 0,
                                       DISPATCH_MEMORYPRESSURE_NORMAL |
                                           DISPATCH_MEMORYPRESSURE_WARN |
                                           DISPATCH_MEMORYPRESSURE_CRITICAL,
                                       queue_)) {
    if (source_ == nullptr) return;
    dispatch_set_context(source_, this);
    dispatch_source_set_event_handler_f(
        source_, [](void* self) { static_cast<DispatchSource*>(self)->note(); });
    dispatch_resume(source_);
  }
  ~DispatchSource() override {
    if (source_ != nullptr) {
      dispatch_source_cancel(source_);
      dispatch_sync_f(queue_, nullptr, [](void*) {});  // waits for a call that has begun
      dispatch_release(source_);
    }
    dispatch_release(queue_);
  }
  DispatchSource(const DispatchSource&) = delete;
  DispatchSource& operator=(const DispatchSource&) = delete;

  int fd() const noexcept override { return wake_.fd(); }
  MemoryPressure take() override {
    wake_.clear();
    return level_.load();
  }
  std::optional<Milliseconds> poll_interval() const noexcept override { return std::nullopt; }

 private:
  void note() {
    const unsigned long what = dispatch_source_get_data(source_);
    level_ = (what & DISPATCH_MEMORYPRESSURE_CRITICAL) != 0 ? MemoryPressure::full
             : (what & DISPATCH_MEMORYPRESSURE_WARN) != 0   ? MemoryPressure::some
                                                            : MemoryPressure::none;
    wake_.set();
  }

  WakeFd wake_;
  std::atomic<MemoryPressure> level_{MemoryPressure::none};  // the latest; a flag
  dispatch_queue_t queue_;
  dispatch_source_t source_;
};

#endif

#if !defined(__linux__) && !defined(__APPLE__)

class NoSource final : public PressureSource {
 public:
  int fd() const noexcept override { return -1; }
  MemoryPressure take() override { return MemoryPressure::none; }
  std::optional<Milliseconds> poll_interval() const noexcept override { return std::nullopt; }
};

#endif

}  // namespace

std::unique_ptr<PressureSource> make_file_pressure_source(const fs::path& file) {
  return std::make_unique<FileSource>(file);
}

#ifdef __linux__

std::unique_ptr<PressureSource> make_system_pressure_source(const fs::path& root) {
  const std::vector<fs::path> files = stall_files(root);
  if (files.empty()) return std::make_unique<AvailableSource>(root);
  return std::make_unique<StallSource>(files);
}

#endif

std::unique_ptr<PressureSource> make_pressure_source() {
  const char* file = std::getenv("CONFAB_PRESSURE");
  if (file != nullptr && *file != '\0') return make_file_pressure_source(file);
#if defined(__linux__)
  return make_system_pressure_source("/");
#elif defined(__APPLE__)
  return std::make_unique<DispatchSource>();
#else
  return std::make_unique<NoSource>();
#endif
}

}  // namespace confab::engine::platform
