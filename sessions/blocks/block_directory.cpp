// SPDX-License-Identifier: MIT
#include "sessions/blocks/block_directory.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstring>
#include <optional>
#include <system_error>

#include "sessions/blocks/block_format.h"
#include "sessions/directory.h"
#include "sessions/error.h"
#include "sessions/publish.h"

namespace confab::sessions {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kVersionFolder = "v2";
static_assert(kBlockFormatVersion == 2);
constexpr std::string_view kFullSuffix = ".kvb";
constexpr std::string_view kTailSuffix = ".kvt";
constexpr std::size_t kKeyDigits = 32;
constexpr auto kTemporaryLife = std::chrono::hours(1);
constexpr int kAttempts = 100;  // to create a directory that somebody else is deleting

// Tells backup programs to leave the directory out: https://bford.info/cachedir/
constexpr std::string_view kCacheTag =
    "Signature: 8a477f597d28d172789f06886806bc55\n"
    "# This file marks a cache directory of confab. It may be deleted at any time.\n";

std::optional<BlockName> parse_name(const BlockKey& root, const std::string& name) {
  if (name.size() != 2 * kKeyDigits + 1 + kFullSuffix.size()) return std::nullopt;
  const std::string_view view = name;
  const auto parent = key_from_hex(view.substr(0, kKeyDigits));
  const auto key = key_from_hex(view.substr(kKeyDigits + 1, kKeyDigits));
  const auto suffix = view.substr(2 * kKeyDigits + 1);
  if (!parent || !key || view[kKeyDigits] != '-') return std::nullopt;
  if (suffix != kFullSuffix && suffix != kTailSuffix) return std::nullopt;
  return BlockName{.root = root, .parent = *parent, .key = *key, .full = suffix == kFullSuffix};
}

// Lists a folder that other programs may be changing or deleting. Entries that cannot be read are
// left out.
std::vector<fs::path> entries(const fs::path& folder) {
  std::vector<fs::path> out;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    out.push_back(it->path());
  }
  return out;
}

std::chrono::nanoseconds modified(const struct stat& status) {
#ifdef __APPLE__
  const timespec& time = status.st_mtimespec;
#else
  const timespec& time = status.st_mtim;
#endif
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

bool is_stale_temporary(const fs::path& path, const struct stat& status) {
  const auto age = std::chrono::system_clock::now().time_since_epoch() - modified(status);
  return path.filename().string().starts_with(kTemporaryPrefix) && age > kTemporaryLife;
}

std::string folder_name_of(const BlockKey& parent) {
  return to_hex(parent).substr(0, 2);
}

// Returns nullopt if the file is not a block, or lies where nobody would look for it.
std::optional<BlockName> name_in(const BlockKey& root, const fs::path& path) {
  auto name = parse_name(root, path.filename().string());
  if (name && folder_name_of(name->parent) != path.parent_path().filename()) name.reset();
  return name;
}

void scan_folder(const BlockKey& root, const fs::path& folder, std::vector<StoredBlockFile>& out) {
  for (const fs::path& path : entries(folder)) {
    struct stat status {};
    if (::lstat(path.c_str(), &status) != 0) continue;
    if (const auto name = name_in(root, path)) {
      out.push_back({*name, static_cast<std::uint64_t>(status.st_size), modified(status)});
    } else if (is_stale_temporary(path, status)) {
      ::unlink(path.c_str());
    }
  }
  ::rmdir(folder.c_str());  // succeeds only if the folder is empty
}

// Links are removed themselves, not followed.
void remove_tree(const fs::path& path, Removed& removed) {
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0) return;
  if (S_ISDIR(status.st_mode)) {
    for (const fs::path& entry : entries(path)) remove_tree(entry, removed);
    ::rmdir(path.c_str());
  } else if (::unlink(path.c_str()) == 0) {
    removed.add(static_cast<std::uint64_t>(status.st_size));
  }
}

void remove_foreign_blocks(const BlockKey& root, const fs::path& folder, Removed& removed) {
  for (const fs::path& path : entries(folder)) {
    struct stat status {};
    if (::lstat(path.c_str(), &status) != 0) continue;
    const bool is_block = S_ISREG(status.st_mode) && name_in(root, path);
    const bool is_being_written =
        path.filename().string().starts_with(kTemporaryPrefix) && !is_stale_temporary(path, status);
    if (!is_block && !is_being_written) remove_tree(path, removed);
  }
}

bool is_folder(const fs::path& path) {
  std::error_code ignored;
  return fs::is_directory(fs::symlink_status(path, ignored));
}

// The format version that this folder belongs to; nullopt if it is not a version's folder.
std::optional<std::uint64_t> version_of(const fs::path& path) {
  const std::string name = path.filename().string();
  const char* const end = name.data() + name.size();
  std::uint64_t version = 0;
  if (name.empty() || name[0] != 'v') return std::nullopt;
  const auto [stop, error] = std::from_chars(name.data() + 1, end, version);
  if (stop != end || error != std::errc()) return std::nullopt;
  return version;
}

void refuse_shared(const fs::path& directory, const struct stat& status) {
  if (status.st_uid != ::geteuid()) {
    throw StoreError(fmt::format("{}: belongs to user {}, expected {}: not used",
                                 directory.string(), status.st_uid, ::geteuid()));
  }
  if ((status.st_mode & 022) != 0) {
    throw StoreError(fmt::format("{}: mode {:04o} lets others write, expected 0700: not used",
                                 directory.string(), status.st_mode & 07777));
  }
}

// Returns 0 or errno; ENOENT means that the directory has been deleted meanwhile.
int look_and_tag(const fs::path& directory) {
  struct stat status {};
  if (::stat(directory.c_str(), &status) != 0) return errno;
  refuse_shared(directory, status);
  const int error = publish_file(directory / "CACHEDIR.TAG", {}, kCacheTag);
  return error == EEXIST ? 0 : error;
}

void prepare(const fs::path& directory) {
  int error = ENOENT;
  for (int attempt = 0; attempt < kAttempts && error == ENOENT; ++attempt) {
    make_private_directories(directory);
    error = look_and_tag(directory);
  }
  if (error != 0) {
    throw StoreError(
        fmt::format("{}: cannot write into it: {}", directory.string(), std::strerror(error)));
  }
}

}  // namespace

BlockDirectory::BlockDirectory(fs::path directory) : directory_(std::move(directory)) {
  prepare(directory_);
}

fs::path BlockDirectory::folder_of(const BlockKey& root, const BlockKey& parent) const {
  return directory_ / kVersionFolder / to_hex(root) / folder_name_of(parent);
}

fs::path BlockDirectory::path_of(const BlockName& name) const {
  return folder_of(name.root, name.parent) / fmt::format("{}-{}{}", to_hex(name.parent),
                                                         to_hex(name.key),
                                                         name.full ? kFullSuffix : kTailSuffix);
}

std::vector<BlockName> BlockDirectory::children(const BlockKey& root,
                                                const BlockKey& parent) const {
  std::vector<BlockName> out;
  for (const fs::path& path : entries(folder_of(root, parent))) {
    const auto name = parse_name(root, path.filename().string());
    if (name && name->parent == parent) out.push_back(*name);
  }
  return out;
}

std::vector<StoredBlockFile> BlockDirectory::scan() const {
  std::vector<StoredBlockFile> out;
  for (const fs::path& root_path : entries(directory_ / kVersionFolder)) {
    const auto root = key_from_hex(root_path.filename().string());
    if (!root) continue;
    for (const fs::path& folder : entries(root_path)) scan_folder(*root, folder, out);
    ::rmdir(root_path.c_str());
  }
  return out;
}

void BlockDirectory::make_folder_of(const BlockName& name) const {
  prepare(directory_);
  make_private_directories(folder_of(name.root, name.parent));
}

void BlockDirectory::touch(const BlockName& name) const noexcept {
  ::utimensat(AT_FDCWD, path_of(name).c_str(), nullptr, AT_SYMLINK_NOFOLLOW);
}

void BlockDirectory::remove(const BlockName& name) const noexcept {
  std::error_code ignored;
  fs::remove(path_of(name), ignored);
}

Removed BlockDirectory::remove_older_versions() const {
  Removed removed;
  for (const fs::path& path : entries(directory_)) {
    const auto version = version_of(path);
    if (version && *version < kBlockFormatVersion) remove_tree(path, removed);
  }
  return removed;
}

Removed BlockDirectory::remove_foreign() const {
  Removed removed;
  for (const fs::path& path : entries(directory_)) {
    struct stat status {};
    const bool is_left_behind =
        ::lstat(path.c_str(), &status) == 0 && is_stale_temporary(path, status);
    const bool is_other = version_of(path) && path.filename() != kVersionFolder;
    if (is_other || is_left_behind) remove_tree(path, removed);
  }
  for (const fs::path& root_path : entries(directory_ / kVersionFolder)) {
    const auto root = key_from_hex(root_path.filename().string());
    if (!root || !is_folder(root_path)) {
      remove_tree(root_path, removed);
      continue;
    }
    for (const fs::path& folder : entries(root_path)) {
      if (is_folder(folder)) {
        remove_foreign_blocks(*root, folder, removed);
      } else {
        remove_tree(folder, removed);
      }
    }
  }
  return removed;
}

Removed BlockDirectory::clear() const {
  Removed removed;
  for (const fs::path& path : entries(directory_)) {
    const std::string name = path.filename().string();
    if (version_of(path) || name == "facts" || name == "uses" ||
        name.starts_with(kTemporaryPrefix)) {
      remove_tree(path, removed);
    }
  }
  return removed;
}

}  // namespace confab::sessions
