// SPDX-License-Identifier: MIT
#include "app/batch/batch_output.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "app/error.h"
#include "app/save_file.h"
#include "base/json.h"
#include "engine/platform/descriptor.h"

namespace confab::app {
namespace {

using base::Json;

// Reads the whole file.
int read_all(int fd, std::string& text) {
  std::array<char, 65536> bytes;
  for (;;) {
    const ssize_t n = ::read(fd, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return n == 0 ? 0 : errno;
    text.append(bytes.data(), static_cast<std::size_t>(n));
  }
}

// Whether the text may be the beginning of an answer_line() or error_line(). A crash may leave a
// part of such a line.
bool may_begin_answer(std::string_view text) {
  return std::ranges::any_of(std::array<std::string_view, 2>{R"({"line":)", R"({"id":"batch_req_)"},
                             [&](std::string_view begin) {
                               const std::size_t n = std::min(begin.size(), text.size());
                               return begin.substr(0, n) == text.substr(0, n);
                             });
}

}  // namespace

BatchOutput::BatchOutput(std::string path, const std::string& in) : path_(std::move(path)) {
  const std::string inputs[] = {in};
  const std::string file = output_file(path_, Existing::replace, inputs);
  fd_ = sessions::Fd(::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
  if (!fd_) fail(errno);
  lock();
  read();
}

void BatchOutput::fail(int error) const {
  throw UserError(fmt::format("{}: cannot be written: {}", path_, std::strerror(error)));
}

// The lock ends with the process, however that ends.
void BatchOutput::lock() const {
  if (::flock(fd_.get(), LOCK_EX | LOCK_NB) == 0) return;
  if (errno == EWOULDBLOCK)
    throw UserError(fmt::format("{}: another confab batch is writing to it", path_));
}

std::string BatchOutput::all() const {
  std::string text;
  if (::lseek(fd_.get(), 0, SEEK_SET) < 0) fail(errno);
  if (const int error = read_all(fd_.get(), text); error != 0)
    throw UserError(fmt::format("{}: cannot be read: {}", path_, std::strerror(error)));
  return text;
}

void BatchOutput::read() {
  const std::string text = all();
  int line = 0;
  for (std::size_t end = 0; (end = text.find('\n', n_bytes_)) != std::string::npos;) {
    read_line(std::string_view(text).substr(n_bytes_, end - n_bytes_), ++line);
    n_bytes_ = end + 1;
  }
  if (!may_begin_answer(std::string_view(text).substr(n_bytes_))) fail_foreign(line + 1);
  has_torn_line_ = n_bytes_ < text.size();
  if (::lseek(fd_.get(), static_cast<off_t>(n_bytes_), SEEK_SET) < 0) fail(errno);
}

void BatchOutput::read_line(std::string_view text, int line) {
  const Json answer = Json::try_parse(text).value_or(Json());
  const auto member = [&](const char* key) {
    const Json* value = answer.find(key);
    return value == nullptr ? Json() : *value;
  };
  const Json custom = member("custom_id"), id = member("id"), error = member("error");
  const std::optional<std::int64_t> number = member("line").as_int();
  const Place place{n_bytes_, text.size() + 1};
  const bool is_answer = member("answer").is_string() || !error.is_null();
  if (custom.is_string() && (member("response").is_object() || error.is_object()))
    ids_.emplace(custom.dump(), place);
  else if (!is_answer || !number || !std::in_range<int>(*number))
    fail_foreign(line);
  else if (id.is_string() || id.is_integer())
    ids_.emplace(id.dump(), place);
  else
    lines_.emplace(static_cast<int>(*number), place);
  if (!error.is_null()) ++n_failed_;
}

void BatchOutput::fail_foreign(int line) const {
  throw UserError(fmt::format(
      "{}: line {} is not an answer of a batch; give another file, or remove it", path_, line));
}

void BatchOutput::cut() const {
  if (::ftruncate(fd_.get(), static_cast<off_t>(n_bytes_)) != 0) fail(errno);
}

const BatchOutput::Place* BatchOutput::find(const BatchEntry& entry) const {
  const auto in = [](const auto& places, const auto& key) {
    const auto found = places.find(key);
    return found == places.end() ? nullptr : &found->second;
  };
  return entry.id.empty() ? in(lines_, entry.line) : in(ids_, entry.id);
}

void BatchOutput::append(const BatchEntry& entry, std::string_view line, bool failed) {
  std::string bytes(line);
  bytes += '\n';
  if (std::exchange(has_torn_line_, false)) cut();
  int error = sessions::write_fully(fd_.get(), bytes);
  if (error == 0 && engine::platform::sync_file(fd_.get()) != 0 && errno != EINVAL) error = errno;
  if (error != 0) {
    cut();
    fail(error);
  }
  const Place place{n_bytes_, bytes.size()};
  n_bytes_ += bytes.size();
  n_failed_ += failed ? 1 : 0;
  if (entry.id.empty())
    lines_.emplace(entry.line, place);
  else
    ids_.emplace(entry.id, place);
}

void BatchOutput::put_in_order(std::span<const BatchEntry> entries) {
  std::vector<Place> places;
  for (const BatchEntry& entry : entries)
    if (const Place* place = find(entry)) places.push_back(*place);
  if (std::ranges::is_sorted(places, {}, &Place::begin)) return;
  const std::string text = all();
  std::string ordered, others;
  for (const Place& place : places) ordered.append(text, place.begin, place.n_bytes);
  std::ranges::sort(places, {}, &Place::begin);
  std::size_t at = 0;
  for (const Place& place : places) {
    others.append(text, at, place.begin - at);
    at = place.begin + place.n_bytes;
  }
  save_file(path_, others + text.substr(at) + ordered, Existing::replace);
}

}  // namespace confab::app
