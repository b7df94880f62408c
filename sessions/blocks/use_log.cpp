// SPDX-License-Identifier: MIT
#include "sessions/blocks/use_log.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "sessions/fd.h"
#include "sessions/publish.h"

namespace confab::sessions {
namespace {

constexpr mode_t kMode = 0600;
// If a log is longer, only its end is read.
constexpr off_t kMaxReadBytes = off_t{64} << 20;

bool is_own_file(int fd, struct stat& status) noexcept {
  return ::fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_uid == ::geteuid();
}

UseRecord encode(const Use& use) noexcept {
  UseRecord record{.magic = kUseMagic,
                   .time_ms = use.time.count(),
                   .origin = use.origin,
                   .root = use.root,
                   .leaf = use.leaf,
                   .parent = use.parent,
                   .n_hits = use.n_hits,
                   .n_misses = use.n_misses,
                   .n_kept = use.n_kept,
                   .tokens_wanted = use.tokens_wanted,
                   .tokens_found = use.tokens_found,
                   .bytes_mapped = use.bytes_mapped,
                   .bytes_copied = use.bytes_copied,
                   .checksum = 0};
  record.checksum = XXH3_64bits(&record, offsetof(UseRecord, checksum));
  return record;
}

std::optional<Use> decode(std::string_view bytes) {
  UseRecord record;
  if (bytes.size() < sizeof record) return std::nullopt;
  std::memcpy(&record, bytes.data(), sizeof record);
  if (record.magic != kUseMagic ||
      record.checksum != XXH3_64bits(&record, offsetof(UseRecord, checksum))) {
    return std::nullopt;
  }
  return Use{.time = std::chrono::milliseconds(record.time_ms),
             .origin = record.origin,
             .root = record.root,
             .leaf = record.leaf,
             .parent = record.parent,
             .n_hits = record.n_hits,
             .n_misses = record.n_misses,
             .n_kept = record.n_kept,
             .tokens_wanted = record.tokens_wanted,
             .tokens_found = record.tokens_found,
             .bytes_mapped = record.bytes_mapped,
             .bytes_copied = record.bytes_copied};
}

// After a torn record the following ones may start at any offset; their magic finds them.
std::vector<Use> decode_all(std::string_view bytes) {
  const std::string_view magic(kUseMagic.data(), kUseMagic.size());
  std::vector<Use> uses;
  for (std::size_t at = 0; (at = bytes.find(magic, at)) != std::string_view::npos;) {
    if (const auto use = decode(bytes.substr(at))) {
      uses.push_back(*use);
      at += sizeof(UseRecord);
    } else {
      at += magic.size();
    }
  }
  return uses;
}

std::string read_from(int fd, off_t offset) {
  std::string bytes;
  char buffer[64 * 1024];
  for (;;) {
    const ssize_t n = ::pread(fd, buffer, sizeof buffer, offset);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return bytes;
    bytes.append(buffer, static_cast<std::size_t>(n));
    offset += n;
  }
}

// Returns no file if there is no log, or something else has its name.
Fd open_to_read(const std::filesystem::path& path, struct stat& status) {
  Fd fd(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  return fd && is_own_file(fd.get(), status) ? std::move(fd) : Fd();
}

void add(Use& sum, const Use& use) {
  sum.time = std::max(sum.time, use.time);
  if (sum.parent == BlockKey{}) sum.parent = use.parent;
  sum.n_hits += use.n_hits;
  sum.n_misses += use.n_misses;
  sum.n_kept += use.n_kept;
  sum.tokens_wanted += use.tokens_wanted;
  sum.tokens_found += use.tokens_found;
  sum.bytes_mapped += use.bytes_mapped;
  sum.bytes_copied += use.bytes_copied;
}

std::string encode_sums(const std::vector<Use>& uses) {
  std::map<std::tuple<std::int64_t, BlockKey, BlockKey>, Use> sums;
  for (const Use& use : uses) {
    const auto [it, first] = sums.try_emplace({use.origin, use.root, use.leaf}, use);
    if (!first) add(it->second, use);
  }
  std::string bytes;
  for (const auto& [key, sum] : sums) {
    const UseRecord record = encode(sum);
    bytes.append(reinterpret_cast<const char*>(&record), sizeof record);
  }
  return bytes;
}

}  // namespace

std::chrono::milliseconds use_time_now() noexcept {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
      std::chrono::system_clock::now().time_since_epoch());
}

UseLog::UseLog(const std::filesystem::path& directory) : path_(directory / "uses") {}

void UseLog::append(const Use& use) const noexcept {
  const Fd fd(::open(path_.c_str(),
                     O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, kMode));
  struct stat status {};
  if (!fd || !is_own_file(fd.get(), status)) return;
  const UseRecord record = encode(use);
  // One call, so that records of several programs do not mix. A record that is cut short will be
  // skipped.
  while (::write(fd.get(), &record, sizeof record) < 0 && errno == EINTR) {
  }
}

std::vector<Use> UseLog::read() const {
  struct stat status {};
  const Fd fd = open_to_read(path_, status);
  if (!fd) return {};
  return decode_all(read_from(fd.get(), std::max<off_t>(0, status.st_size - kMaxReadBytes)));
}

bool UseLog::is_large() const noexcept {
  struct stat status {};
  return ::lstat(path_.c_str(), &status) == 0 && status.st_size > static_cast<off_t>(kLargeBytes);
}

bool UseLog::compact(
    const std::function<bool(const BlockKey& root, const BlockKey& leaf)>& exists) const {
  return rewrite([&](Use& use) {
    if (use.leaf != BlockKey{} && exists(use.root, use.leaf)) return;
    const bool has_parent = use.parent != BlockKey{} && exists(use.root, use.parent);
    use.leaf = has_parent ? use.parent : BlockKey{};
    use.parent = {};
    if (!has_parent) use.root = {};
  });
}

bool UseLog::forget(std::int64_t origin) const {
  return rewrite([&](Use& use) {
    if (use.origin != origin) return;
    use.origin = 0;
    use.root = {};
    use.leaf = {};
    use.parent = {};
  });
}

bool UseLog::rewrite(const std::function<void(Use&)>& edit) const {
  struct stat status {};
  if (::lstat(path_.c_str(), &status) != 0) return errno == ENOENT;  // nothing to do
  const Fd old = open_to_read(path_, status);
  if (!old) return false;
  const std::string bytes = read_from(old.get(), 0);
  std::vector<Use> uses = decode_all(bytes);
  for (Use& use : uses) edit(use);
  const auto temporary = temporary_path(path_.parent_path());
  const Fd fresh(
      ::open(temporary.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_EXCL | O_CLOEXEC, kMode));
  if (!fresh) return false;
  if (write_fully(fresh.get(), encode_sums(uses)) != 0 ||
      ::rename(temporary.c_str(), path_.c_str()) != 0) {
    ::unlink(temporary.c_str());
    return false;
  }
  // Records that others appended in the meantime.
  std::vector<Use> late = decode_all(read_from(old.get(), static_cast<off_t>(bytes.size())));
  for (Use& use : late) edit(use);
  for (const Use& use : late) append(use);
  return true;
}

}  // namespace confab::sessions
