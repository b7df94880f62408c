// SPDX-License-Identifier: MIT
#include "sessions/blocks/block_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#ifdef __linux__
#include <linux/mman.h>  // an older glibc does not define MADV_POPULATE_READ
#endif

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace confab::sessions {
namespace {

std::uint64_t trailer_bytes_of(std::uint64_t n_tokens, std::uint64_t n_segments) {
  return sizeof(TrailerHead) + n_tokens * sizeof(std::int32_t) + n_segments * sizeof(Segment);
}

template <class T>
void append(std::string& out, const T* values, std::size_t n) {
  out.append(reinterpret_cast<const char*>(values), n * sizeof(T));
}

// Whether the segments cover exactly the payload.
bool add_up(std::span<const Segment> segments, std::uint64_t payload_bytes) {
  std::uint64_t left = payload_bytes;
  for (const Segment& segment : segments) {
    if (segment.n_bytes == 0 || segment.n_bytes > left) return false;
    left -= segment.n_bytes;
  }
  return left == 0;
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

// Whether it is a regular file that only we can write, of a size that a block can have.
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

// If a file is truncated under its mapping, the first access would kill the process. When asked to
// read the pages in, the kernel returns an error instead.
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
    // O_NONBLOCK: do not wait for the writer of a FIFO.
    : fd_(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)) {
  status_ = !fd_ ? status_of_open_error(errno) : examine();
}

BlockStatus BlockFile::examine() {
  struct stat status {};
  if (::fstat(fd_.get(), &status) != 0) return BlockStatus::unavailable;
  if (!is_plausible(status)) return BlockStatus::damaged;
  const auto file_bytes = static_cast<std::uint64_t>(status.st_size);
  Footer footer;
  if (!read_fully(fd_.get(), &footer, sizeof footer, file_bytes - sizeof footer) ||
      !is_consistent(footer, file_bytes)) {
    return BlockStatus::damaged;
  }
  // Includes the footer's fields up to the checksum, which it covers.
  std::vector<std::byte> bytes(footer.trailer_bytes + offsetof(Footer, checksum));
  if (!read_fully(fd_.get(), bytes.data(), bytes.size(), footer.payload_bytes) ||
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
      h.n_tokens > h.block_tokens || h.zero != 0 || h.n_segments == 0 ||
      h.payload_bytes != payload_bytes_ ||
      trailer.size() != trailer_bytes_of(h.n_tokens, h.n_segments)) {
    return false;
  }
  head_ = {.root = h.root,
           .parent = h.parent,
           .key = h.key,
           .index = static_cast<int>(h.index),
           .block_tokens = static_cast<int>(h.block_tokens),
           .tokens = std::vector<std::int32_t>(h.n_tokens)};
  segments_.resize(h.n_segments);
  const std::size_t ids_bytes = h.n_tokens * sizeof(std::int32_t);
  std::memcpy(head_.tokens.data(), trailer.data() + sizeof h, ids_bytes);
  std::memcpy(segments_.data(), trailer.data() + sizeof h + ids_bytes,
              h.n_segments * sizeof(Segment));
  return add_up(segments_, payload_bytes_) && child_key(head_.parent, head_.tokens) == head_.key;
}

std::optional<KvBlock> BlockFile::map(int n_tokens) const {
  if (!verify({})) return std::nullopt;
  const auto n = static_cast<std::size_t>(payload_bytes_);
  void* mapping = ::mmap(nullptr, n, PROT_READ, MAP_PRIVATE, fd_.get(), 0);
  if (mapping == MAP_FAILED) return std::nullopt;
  KvBlock block(std::span(static_cast<const std::byte*>(mapping), n),
                static_cast<int>(head_.tokens.size()), n_tokens);
  if (!populate(mapping, n)) return std::nullopt;
  return block;
}

std::optional<KvBlock> BlockFile::read(int n_tokens) const {
  std::vector<std::byte> bytes(payload_bytes_);
  if (!verify(bytes)) return std::nullopt;
  return KvBlock(std::move(bytes), static_cast<int>(head_.tokens.size()), n_tokens);
}

// Reads and checks the payload; keeps it in `copy` if that has room. A mapping must not be read
// here: if the file were truncated meanwhile, that would kill the process.
bool BlockFile::verify(std::span<std::byte> copy) const {
  constexpr std::uint64_t kPieceBytes = std::uint64_t{256} << 10;  // fits into a core's cache
  std::vector<std::byte> buffer;
  std::uint64_t offset = 0;
  for (auto first = segments_.begin(); first != segments_.end();) {
    auto last = first;
    std::uint64_t n = 0;
    while (last != segments_.end() && (last == first || n + last->n_bytes <= kPieceBytes)) {
      n += (last++)->n_bytes;
    }
    if (copy.empty() && buffer.size() < n) buffer.resize(n);
    std::byte* bytes = copy.empty() ? buffer.data() : copy.data() + offset;
    if (!read_fully(fd_.get(), bytes, n, offset)) return false;
    offset += n;
    for (; first != last; bytes += (first++)->n_bytes) {
      if (XXH3_64bits(bytes, first->n_bytes) != first->checksum) return false;
    }
  }
  return true;
}

std::string encode_trailer(const BlockHead& head, const SegmentedBytes& payload) {
  const TrailerHead h{.magic = kTrailerMagic,
                      .version = kBlockFormatVersion,
                      .block_tokens = static_cast<std::uint32_t>(head.block_tokens),
                      .n_tokens = static_cast<std::uint32_t>(head.tokens.size()),
                      .index = static_cast<std::uint32_t>(head.index),
                      .n_segments = static_cast<std::uint32_t>(payload.segments.size()),
                      .zero = 0,
                      .payload_bytes = payload.bytes.size(),
                      .root = head.root,
                      .parent = head.parent,
                      .key = head.key};
  std::string out;
  append(out, &h, 1);
  append(out, head.tokens.data(), head.tokens.size());
  const std::byte* bytes = payload.bytes.data();
  for (const std::uint64_t n_bytes : payload.segments) {
    const Segment segment{n_bytes, XXH3_64bits(bytes, n_bytes)};
    append(out, &segment, 1);
    bytes += n_bytes;
  }
  Footer footer{.payload_bytes = payload.bytes.size(),
                .trailer_bytes = out.size(),
                .file_bytes = payload.bytes.size() + out.size() + sizeof(Footer),
                .checksum = 0,
                .magic = kFooterMagic};
  append(out, reinterpret_cast<const char*>(&footer), offsetof(Footer, checksum));
  footer.checksum = XXH3_64bits(out.data(), out.size());
  append(out, reinterpret_cast<const char*>(&footer) + offsetof(Footer, checksum),
         sizeof footer - offsetof(Footer, checksum));
  return out;
}

}  // namespace confab::sessions
