// SPDX-License-Identifier: MIT
#include "app/batch/batch_output.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>
#include <utility>

#include "app/error.h"
#include "app/paths.h"
#include "engine/platform/sync_file.h"

namespace confab::app {
namespace {

using nlohmann::json;

// All of a file.
int read_all(int fd, std::string& text) {
  std::array<char, 65536> bytes;
  for (;;) {
    const ssize_t n = ::read(fd, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return n == 0 ? 0 : errno;
    text.append(bytes.data(), static_cast<std::size_t>(n));
  }
}

}  // namespace

BatchOutput::BatchOutput(std::string path)
    : path_(std::move(path)),
      fd_(::open(expand_home(path_).c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666)) {
  if (!fd_) fail(errno);
  struct stat status {};
  if (::fstat(fd_.get(), &status) != 0) fail(errno);
  if (!S_ISREG(status.st_mode))
    throw UserError(fmt::format("{}: is not a file that a batch can go on with", path_));
  lock();
  read();
}

void BatchOutput::fail(int error) const {
  throw UserError(fmt::format("{}: cannot be written: {}", path_, std::strerror(error)));
}

// Gone with the process, however that ends.
void BatchOutput::lock() const {
  if (::flock(fd_.get(), LOCK_EX | LOCK_NB) == 0) return;
  if (errno == EWOULDBLOCK)
    throw UserError(fmt::format("{}: another confab batch is writing to it", path_));
}

void BatchOutput::read() {
  std::string text;
  if (const int error = read_all(fd_.get(), text); error != 0)
    throw UserError(fmt::format("{}: cannot be read: {}", path_, std::strerror(error)));
  int line = 0;
  for (std::size_t end = 0; (end = text.find('\n', n_bytes_)) != std::string::npos;) {
    read_line(std::string_view(text).substr(n_bytes_, end - n_bytes_), ++line);
    n_bytes_ = end + 1;
  }
  if (n_bytes_ < text.size()) cut(n_bytes_);
  if (::lseek(fd_.get(), static_cast<off_t>(n_bytes_), SEEK_SET) < 0) fail(errno);
}

void BatchOutput::read_line(std::string_view text, int line) {
  const json answer = json::parse(text, nullptr, false);
  const auto member = [&](const char* key) {
    const auto found = answer.is_object() ? answer.find(key) : answer.end();
    return answer.is_object() && found != answer.end() ? *found : json();
  };
  const json custom = member("custom_id"), id = member("id"), number = member("line");
  if (custom.is_string())
    ids_.insert(custom.dump());
  else if (number.is_number_integer() && (id.is_string() || id.is_number_integer()))
    ids_.insert(id.dump());
  else if (number.is_number_integer())
    lines_.insert(number.get<int>());
  else
    throw UserError(fmt::format(
        "{}: line {} is not an answer of a batch; give another file, or remove it", path_, line));
  if (!member("error").is_null()) ++n_failed_;
}

void BatchOutput::cut(std::size_t n_bytes) const {
  if (::ftruncate(fd_.get(), static_cast<off_t>(n_bytes)) != 0) fail(errno);
}

bool BatchOutput::has(const BatchEntry& entry) const {
  return entry.id.empty() ? lines_.contains(entry.line) : ids_.contains(entry.id);
}

void BatchOutput::append(const BatchEntry& entry, std::string_view line, bool failed) {
  std::string bytes(line);
  bytes += '\n';
  int error = sessions::write_fully(fd_.get(), bytes);
  if (error == 0 && engine::platform::sync_file(fd_.get()) != 0 && errno != EINVAL) error = errno;
  if (error != 0) {
    cut(n_bytes_);
    fail(error);
  }
  n_bytes_ += bytes.size();
  n_failed_ += failed ? 1 : 0;
  if (entry.id.empty())
    lines_.insert(entry.line);
  else
    ids_.insert(entry.id);
}

}  // namespace confab::app
