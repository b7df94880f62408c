// SPDX-License-Identifier: MIT
#include "sessions/blocks/facts.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include <array>
#include <bit>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <exception>
#include <type_traits>

#include "sessions/blocks/block_key.h"
#include "sessions/directory.h"
#include "sessions/fd.h"
#include "sessions/publish.h"

namespace confab::sessions {
namespace {

namespace fs = std::filesystem;

static_assert(std::endian::native == std::endian::little);
constexpr std::array<char, 8> kFactMagic{'C', 'F', 'K', 'V', 'F', 'A', 'C', '1'};
constexpr const char* kFolder = "facts";

struct FactHead {  // followed by the name, the value, and XXH3-64 of all that
  std::array<char, 8> magic;
  std::uint32_t name_bytes;
  std::uint32_t value_bytes;
};
static_assert(sizeof(FactHead) == 16 && std::has_unique_object_representations_v<FactHead>);

using Checksum = std::uint64_t;

fs::path path_of(const fs::path& directory, std::string_view name) {
  return directory / kFolder / to_hex(hash_of(name));
}

std::string encode(std::string_view name, std::string_view value) {
  const FactHead head{.magic = kFactMagic,
                      .name_bytes = static_cast<std::uint32_t>(name.size()),
                      .value_bytes = static_cast<std::uint32_t>(value.size())};
  std::string bytes(reinterpret_cast<const char*>(&head), sizeof head);
  bytes.append(name).append(value);
  const Checksum checksum = XXH3_64bits(bytes.data(), bytes.size());
  return bytes.append(reinterpret_cast<const char*>(&checksum), sizeof checksum);
}

// Returns nullopt if the fact is damaged, or belongs to another name with the same hash.
std::optional<std::string> decode(std::string_view bytes, std::string_view name) {
  FactHead head;
  Checksum checksum;
  if (bytes.size() < sizeof head + sizeof checksum) return std::nullopt;
  std::memcpy(&head, bytes.data(), sizeof head);
  const std::size_t n = bytes.size() - sizeof checksum;
  std::memcpy(&checksum, bytes.data() + n, sizeof checksum);
  if (head.magic != kFactMagic || XXH3_64bits(bytes.data(), n) != checksum ||
      n != sizeof head + std::size_t{head.name_bytes} + head.value_bytes ||
      bytes.substr(sizeof head, head.name_bytes) != name) {
    return std::nullopt;
  }
  return std::string(bytes.substr(sizeof head + head.name_bytes, head.value_bytes));
}

bool is_plausible(int fd) {
  struct stat status {};
  return ::fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_uid == ::geteuid() &&
         (status.st_mode & 022) == 0;
}

// Reads at most one byte more than a fact may have.
std::string read_some(int fd) {
  std::string bytes(kMaxFactBytes + sizeof(FactHead) + sizeof(Checksum) + 1, '\0');
  std::size_t n = 0;
  while (n < bytes.size()) {
    const ssize_t got = ::read(fd, bytes.data() + n, bytes.size() - n);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    n += static_cast<std::size_t>(got);
  }
  bytes.resize(n);
  return bytes;
}

}  // namespace

std::optional<std::string> recall(const fs::path& directory, std::string_view name) {
  const fs::path path = path_of(directory, name);
  // O_NONBLOCK: do not wait for the writer of a FIFO.
  const Fd fd(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!fd) {
    if (errno == ELOOP) ::unlink(path.c_str());
    return std::nullopt;
  }
  std::optional<std::string> value;
  if (is_plausible(fd.get())) value = decode(read_some(fd.get()), name);
  if (value) ::futimens(fd.get(), nullptr);  // marks it as used now
  if (!value) ::unlink(path.c_str());
  return value;
}

void remember(const fs::path& directory, std::string_view name, std::string_view value) noexcept {
  if (name.size() + value.size() > kMaxFactBytes) return;
  try {
    if (recall(directory, name) == value) return;
    const fs::path path = path_of(directory, name);
    make_private_directories(path.parent_path());
    ::unlink(path.c_str());
    publish_file(path, {}, encode(name, value));
  } catch (const std::exception&) {
    // The fact will be computed again.
  }
}

int forget_facts(const fs::path& directory, std::chrono::hours unused) noexcept {
  int n = 0;
  try {
    const auto oldest = fs::file_time_type::clock::now() - unused;
    std::error_code error;
    for (fs::directory_iterator it(directory / kFolder, error), end; !error && it != end;
         it.increment(error)) {
      std::error_code gone;
      if (!it->is_symlink(gone) && it->last_write_time(gone) >= oldest) continue;
      if (::unlink(it->path().c_str()) == 0) ++n;
    }
  } catch (const std::exception&) {
    // The facts stay until the next time.
  }
  return n;
}

}  // namespace confab::sessions
