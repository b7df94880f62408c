// SPDX-License-Identifier: MIT
#include "engine/hub/range_journal.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <system_error>
#include <utility>

#include "engine/error.h"
#include "engine/platform/descriptor.h"

namespace confab::engine {

void ByteRanges::add(ByteRange range) {
  if (range.end <= range.begin) return;
  auto next = ends_.upper_bound(range.begin);
  if (next != ends_.begin() && std::prev(next)->second >= range.begin) --next;
  while (next != ends_.end() && next->first <= range.end) {
    range.begin = std::min(range.begin, next->first);
    range.end = std::max(range.end, next->second);
    next = ends_.erase(next);
  }
  ends_.emplace(range.begin, range.end);
}

std::uint64_t ByteRanges::total() const noexcept {
  std::uint64_t bytes = 0;
  for (const auto& [begin, end] : ends_) bytes += end - begin;
  return bytes;
}

std::uint64_t ByteRanges::end() const noexcept {
  return ends_.empty() ? 0 : ends_.rbegin()->second;
}

std::vector<ByteRange> ByteRanges::list() const {
  std::vector<ByteRange> ranges;
  for (const auto& [begin, end] : ends_) ranges.push_back({begin, end});
  return ranges;
}

std::vector<ByteRange> ByteRanges::missing(std::uint64_t bytes) const {
  ByteRanges whole;
  whole.add({0, bytes});
  return whole.without(*this);
}

std::vector<ByteRange> ByteRanges::without(const ByteRanges& other) const {
  std::vector<ByteRange> left;
  for (const auto& [from, end] : ends_) {
    std::uint64_t begin = from;
    auto cut = other.ends_.upper_bound(begin);
    if (cut != other.ends_.begin()) --cut;
    for (; cut != other.ends_.end() && cut->first < end && begin < end; ++cut) {
      if (cut->second <= begin) continue;
      if (cut->first > begin) left.push_back({begin, cut->first});
      begin = cut->second;
    }
    if (begin < end) left.push_back({begin, end});
  }
  return left;
}

namespace {

constexpr std::size_t kMostBytes = 64U << 20;  // of a journal
constexpr std::string_view kEtag = "etag ";
constexpr std::string_view kDone = "done ";

bool take_number(std::string_view& text, std::uint64_t& number) noexcept {
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (fault != std::errc{}) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return true;
}

}  // namespace

RangeJournal::RangeJournal(std::filesystem::path path, std::uint64_t bytes,
                           const std::string& sha256)
    : path_(std::move(path)),
      title_(fmt::format("confab-pull 1 {} {}", bytes, sha256)),
      bytes_(bytes),
      fd_(::open(path_.c_str(), O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0666)) {
  if (fd_.get() < 0) fail("cannot be opened");
  lock();
  read();
}

void RangeJournal::fail(const char* what) const {
  throw ModelError(
      fmt::format("{}: {}: {}", path_.string(), what, std::generic_category().message(errno)));
}

void RangeJournal::lock() {
  if (::flock(fd_.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) return;  // the file system does not support locks
    throw ModelError("another confab is pulling this file: wait for it to end");
  }
  // The program that held the lock until now may have finished and removed the file.
  struct stat mine {
  }, named{};
  if (::fstat(fd_.get(), &mine) != 0 || ::stat(path_.c_str(), &named) != 0 ||
      mine.st_ino != named.st_ino)
    throw ModelError("another confab has just pulled this file: run the command again");
}

void RangeJournal::read() {
  std::string text;
  std::string buffer(std::size_t{1} << 16, '\0');
  while (text.size() < kMostBytes) {
    const ssize_t n =
        ::pread(fd_.get(), buffer.data(), buffer.size(), static_cast<off_t>(text.size()));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail("cannot be read");
    if (n == 0) break;
    text.append(buffer, 0, static_cast<std::size_t>(n));
  }
  std::size_t at = text.find('\n');
  if (at == std::string::npos || text.substr(0, at) != title_) return restart();
  for (std::size_t end = 0; (end = text.find('\n', ++at)) != std::string::npos; at = end)
    if (!take(text.substr(at, end - at))) break;
  if (at != text.size() && ::ftruncate(fd_.get(), static_cast<off_t>(at)) != 0)
    fail("cannot be cut");
}

// Returns false if the line is not valid, and so was not written completely.
bool RangeJournal::take(const std::string& line) {
  std::string_view rest = line;
  if (rest.starts_with(kEtag)) {
    etag_ = rest.substr(kEtag.size());
    return true;
  }
  if (!rest.starts_with(kDone)) return false;
  rest.remove_prefix(kDone.size());
  ByteRange range;
  if (!take_number(rest, range.begin) || !rest.starts_with(' ')) return false;
  rest.remove_prefix(1);
  if (!take_number(rest, range.end) || !rest.empty()) return false;
  if (range.end <= range.begin || range.end > bytes_) return false;
  done_.add(range);
  return true;
}

void RangeJournal::write(const std::string& text) {
  if (::write(fd_.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size()))
    fail("cannot be written");
  platform::sync_file(fd_.get());
}

void RangeJournal::add(const std::vector<ByteRange>& ranges) {
  std::string text;
  for (const ByteRange& range : ranges)
    text += fmt::format("{}{} {}\n", kDone, range.begin, range.end);
  if (text.empty()) return;
  write(text);
  for (const ByteRange& range : ranges) done_.add(range);
}

void RangeJournal::set_etag(const std::string& etag) {
  if (etag.find('\n') != std::string::npos) return;
  write(fmt::format("{}{}\n", kEtag, etag));
  etag_ = etag;
}

void RangeJournal::restart() {
  if (::ftruncate(fd_.get(), 0) != 0) fail("cannot be cut");
  done_ = {};
  etag_.clear();
  write(title_ + "\n");
}

void RangeJournal::remove() noexcept {
  ::unlink(path_.c_str());
}

}  // namespace confab::engine
