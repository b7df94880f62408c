// SPDX-License-Identifier: MIT
#include "sessions/block_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "sessions/block_format.h"

namespace confab::sessions {
namespace {

std::uint64_t n_segments_of(std::uint64_t payload_bytes, std::uint32_t segment_bytes) {
  return (payload_bytes + segment_bytes - 1) / segment_bytes;
}

std::uint64_t trailer_bytes_of(std::uint64_t n_tokens, std::uint64_t n_segments) {
  return sizeof(TrailerHead) + n_tokens * sizeof(std::int32_t) + n_segments * sizeof(std::uint64_t);
}

template <class T>
void append(std::string& out, const T* values, std::size_t n) {
  out.append(reinterpret_cast<const char*>(values), n * sizeof(T));
}

bool read_fully(int fd, void* to, std::size_t n, std::uint64_t offset) {
  auto* out = static_cast<char*>(to);
  while (n > 0) {
    const ssize_t got = ::pread(fd, out, n, static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    out += got;
    n -= static_cast<std::size_t>(got);
    offset += static_cast<std::uint64_t>(got);
  }
  return true;
}

BlockStatus status_of_open_error(int error) {
  switch (error) {
    case ENOENT:
    case ENOTDIR:
      return BlockStatus::missing;
    case ELOOP:  // a symbolic link
    case ENXIO:  // a socket
      return BlockStatus::damaged;
    default:
      return BlockStatus::unavailable;
  }
}

// Ours alone, a plain file, and of a size that a block can have.
bool is_plausible(const struct stat& status) {
  return S_ISREG(status.st_mode) && status.st_uid == ::geteuid() && (status.st_mode & 022) == 0 &&
         status.st_size > static_cast<off_t>(sizeof(TrailerHead) + sizeof(Footer));
}

bool is_consistent(const Footer& footer, std::uint64_t file_bytes) {
  return footer.magic == kFooterMagic && footer.file_bytes == file_bytes &&
         footer.payload_bytes > 0 && footer.payload_bytes <= kMaxPayloadBytes &&
         footer.trailer_bytes >= sizeof(TrailerHead) && footer.trailer_bytes <= kMaxTrailerBytes &&
         footer.payload_bytes + footer.trailer_bytes + sizeof(Footer) == file_bytes;
}

// A file that is truncated under the mapping would kill the process at the first touch; asked to
// read the pages in, the kernel says so instead.
bool populate(void* mapping, std::size_t n) {
#ifdef MADV_POPULATE_READ
  return ::madvise(mapping, n, MADV_POPULATE_READ) == 0 || errno == EINVAL;
#else
  ::madvise(mapping, n, MADV_WILLNEED);
  return true;
#endif
}

}  // namespace

BlockFile::BlockFile(const std::filesystem::path& path)
    // O_NONBLOCK: opening a FIFO does not wait for its writer.
    : fd_(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)) {
  status_ = fd_ < 0 ? status_of_open_error(errno) : read();
}

BlockFile::~BlockFile() {
  if (fd_ >= 0) ::close(fd_);
}

BlockStatus BlockFile::read() {
  struct stat status {};
  if (::fstat(fd_, &status) != 0) return BlockStatus::unavailable;
  if (!is_plausible(status)) return BlockStatus::damaged;
  const auto file_bytes = static_cast<std::uint64_t>(status.st_size);
  Footer footer;
  if (!read_fully(fd_, &footer, sizeof footer, file_bytes - sizeof footer) ||
      !is_consistent(footer, file_bytes)) {
    return BlockStatus::damaged;
  }
  // With the footer's fields before the checksum, which it covers.
  std::vector<std::byte> bytes(footer.trailer_bytes + offsetof(Footer, checksum));
  if (!read_fully(fd_, bytes.data(), bytes.size(), footer.payload_bytes) ||
      XXH3_64bits(bytes.data(), bytes.size()) != footer.checksum) {
    return BlockStatus::damaged;
  }
  payload_bytes_ = footer.payload_bytes;
  return parse(std::span(bytes).first(footer.trailer_bytes)) ? BlockStatus::ok
                                                             : BlockStatus::damaged;
}

bool BlockFile::parse(std::span<const std::byte> trailer) {
  TrailerHead h;
  std::memcpy(&h, trailer.data(), sizeof h);
  if (h.magic != kTrailerMagic || h.version != kBlockFormatVersion || h.n_tokens == 0 ||
      h.n_tokens > h.block_tokens || h.segment_bytes == 0 || h.payload_bytes != payload_bytes_ ||
      h.n_segments != n_segments_of(payload_bytes_, h.segment_bytes) ||
      trailer.size() != trailer_bytes_of(h.n_tokens, h.n_segments)) {
    return false;
  }
  head_ = {.root = h.root,
           .parent = h.parent,
           .key = h.key,
           .index = static_cast<int>(h.index),
           .block_tokens = static_cast<int>(h.block_tokens),
           .tokens = std::vector<std::int32_t>(h.n_tokens)};
  segment_bytes_ = h.segment_bytes;
  checksums_.resize(h.n_segments);
  const std::size_t ids_bytes = h.n_tokens * sizeof(std::int32_t);
  std::memcpy(head_.tokens.data(), trailer.data() + sizeof h, ids_bytes);
  std::memcpy(checksums_.data(), trailer.data() + sizeof h + ids_bytes,
              h.n_segments * sizeof(std::uint64_t));
  return child_key(head_.parent, head_.tokens) == head_.key;
}

std::optional<KvBlock> BlockFile::map(int n_tokens) const {
  const auto n = static_cast<std::size_t>(payload_bytes_);
  void* mapping = ::mmap(nullptr, n, PROT_READ, MAP_PRIVATE, fd_, 0);
  if (mapping == MAP_FAILED) return std::nullopt;
  KvBlock block(static_cast<const std::byte*>(mapping), n, n, n_tokens);
  if (!populate(mapping, n)) return std::nullopt;
  for (std::size_t i = 0; i < checksums_.size(); ++i) {
    const std::size_t begin = i * segment_bytes_;
    const std::size_t length = std::min<std::size_t>(segment_bytes_, n - begin);
    if (XXH3_64bits(block.payload().data() + begin, length) != checksums_[i]) return std::nullopt;
  }
  return block;
}

std::string encode_trailer(const BlockHead& head, std::span<const std::byte> payload) {
  const auto n_segments = static_cast<std::uint32_t>(n_segments_of(payload.size(), kSegmentBytes));
  const TrailerHead h{.magic = kTrailerMagic,
                      .version = kBlockFormatVersion,
                      .block_tokens = static_cast<std::uint32_t>(head.block_tokens),
                      .n_tokens = static_cast<std::uint32_t>(head.tokens.size()),
                      .index = static_cast<std::uint32_t>(head.index),
                      .segment_bytes = kSegmentBytes,
                      .n_segments = n_segments,
                      .payload_bytes = payload.size(),
                      .root = head.root,
                      .parent = head.parent,
                      .key = head.key};
  std::string out;
  append(out, &h, 1);
  append(out, head.tokens.data(), head.tokens.size());
  for (std::size_t begin = 0; begin < payload.size(); begin += kSegmentBytes) {
    const auto segment =
        payload.subspan(begin, std::min<std::size_t>(kSegmentBytes, payload.size() - begin));
    const std::uint64_t checksum = XXH3_64bits(segment.data(), segment.size());
    append(out, &checksum, 1);
  }
  Footer footer{.payload_bytes = payload.size(),
                .trailer_bytes = out.size(),
                .file_bytes = payload.size() + out.size() + sizeof(Footer),
                .checksum = 0,
                .magic = kFooterMagic};
  append(out, reinterpret_cast<const char*>(&footer), offsetof(Footer, checksum));
  footer.checksum = XXH3_64bits(out.data(), out.size());
  append(out, reinterpret_cast<const char*>(&footer) + offsetof(Footer, checksum),
         sizeof footer - offsetof(Footer, checksum));
  return out;
}

}  // namespace confab::sessions
