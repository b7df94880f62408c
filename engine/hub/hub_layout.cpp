// SPDX-License-Identifier: MIT
#include "engine/hub/hub_layout.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <span>
#include <system_error>

#include "engine/error.h"
#include "engine/gguf/atomic_file.h"

namespace confab::engine {
namespace {

namespace fs = std::filesystem;

constexpr const char* kMain = "refs/main";

std::string folder_name(std::string repository) {
  const std::size_t slash = repository.find('/');
  if (slash != std::string::npos) repository.replace(slash, 1, "--");
  return "models--" + repository;
}

void check(const std::error_code& error, const fs::path& path, const char* what) {
  if (error) throw ModelError(fmt::format("{}: {}: {}", path.string(), what, error.message()));
}

void create_folders(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  check(error, folder, "cannot be created");
}

// "../../blobs/SHA256", with one more step up for each folder in the path.
fs::path link_target(const std::string& path, const fs::path& blob) {
  fs::path target = "../..";
  for (auto n = std::ranges::count(path, '/'); n > 0; --n) target /= "..";
  return target / "blobs" / blob.filename();
}

bool leads_to(const fs::path& file, const fs::path& blob) {
  std::error_code error;
  if (!fs::is_symlink(file, error)) return false;
  return fs::read_symlink(file, error).filename() == blob.filename();
}

}  // namespace

HubLayout::HubLayout(const fs::path& folder, const std::string& repository)
    : root_(folder / folder_name(repository)) {}

fs::path HubLayout::blob(const std::string& sha256) const {
  return root_ / "blobs" / sha256;
}

fs::path HubLayout::snapshot(const std::string& commit, const std::string& path) const {
  return root_ / "snapshots" / commit / path;
}

void HubLayout::create() const {
  create_folders(root_ / "blobs");
}

void HubLayout::publish(const std::string& commit, const std::string& path,
                        const std::string& sha256) const {
  const fs::path file = snapshot(commit, path), whole = blob(sha256);
  create_folders(file.parent_path());
  if (leads_to(file, whole)) return;
  const fs::path fresh = fmt::format("{}.{}.link", file.string(), ::getpid());
  std::error_code error;
  fs::remove(fresh, error);
  fs::create_symlink(link_target(path, whole), fresh, error);
  const fs::path& from = error ? whole : fresh;  // without links the blob itself moves
  fs::rename(from, file, error);
  check(error, file, "cannot be put there");
}

void HubLayout::set_main(const std::string& commit) const {
  const fs::path main = root_ / kMain;
  create_folders(main.parent_path());
  AtomicFile file(main.string());
  file.write(std::as_bytes(std::span(commit)));
  file.commit();
}

bool HubLayout::is_used(const fs::path& blob) const {
  std::error_code error;
  const fs::recursive_directory_iterator end;
  for (fs::recursive_directory_iterator entry(root_ / "snapshots", error); !error && entry != end;
       entry.increment(error))
    if (leads_to(entry->path(), blob)) return true;
  return static_cast<bool>(error) && error != std::errc::no_such_file_or_directory;
}

// Removes empty folders from the snapshot's folder up to the repository's.
void HubLayout::remove_empty(fs::path folder, const std::string& commit) const {
  std::error_code error;
  const fs::path snapshots = root_ / "snapshots";
  for (; folder != snapshots && fs::remove(folder, error); folder = folder.parent_path()) {
  }
  if (!fs::exists(snapshots / commit, error)) {
    const std::string main = (root_ / kMain).string();
    std::string named(commit.size() + 1, '\0');
    if (std::FILE* file = std::fopen(main.c_str(), "rb"); file != nullptr) {
      named.resize(std::fread(named.data(), 1, named.size(), file));
      std::fclose(file);
    }
    if (named == commit) fs::remove(main, error);
  }
  for (const char* empty : {"snapshots", "refs", "blobs", ""}) fs::remove(root_ / empty, error);
}

std::uint64_t HubLayout::remove(const std::string& commit, const std::string& path,
                                const std::string& sha256) const {
  const fs::path file = snapshot(commit, path), whole = blob(sha256);
  std::error_code error;
  const bool is_link = leads_to(file, whole);
  const bool is_file = !is_link && fs::is_regular_file(fs::symlink_status(file, error));
  std::uint64_t freed = is_file ? fs::file_size(file, error) : 0;
  if (is_link || is_file) {
    fs::remove(file, error);
    check(error, file, "cannot be removed");
  }
  if (fs::is_regular_file(whole, error) && !is_used(whole)) {
    freed += fs::file_size(whole, error);
    fs::remove(whole, error);
    check(error, whole, "cannot be removed");
  }
  remove_empty(file.parent_path(), commit);
  return freed;
}

}  // namespace confab::engine
