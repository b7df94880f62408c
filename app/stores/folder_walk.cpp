// SPDX-License-Identifier: MIT
#include "app/stores/folder_walk.h"

#include <sys/stat.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <set>
#include <utility>

#include "app/stores/store_file.h"

namespace confab::app {
namespace {

namespace fs = std::filesystem;

class Walk {
 public:
  std::vector<fs::path> take(const fs::path& folder, int depth) {
    look_into(folder, depth);
    return std::move(files_);
  }

 private:
  void look_into(const fs::path& folder, int depth) {
    struct stat status {};
    if (::stat(folder.c_str(), &status) != 0 ||
        !seen_.emplace(static_cast<std::uint64_t>(status.st_dev), status.st_ino).second)
      return;
    for (const fs::path& entry : entries_of(folder)) {
      if (n_left_-- == 0) return;
      std::error_code error;
      const fs::file_type type = fs::status(entry, error).type();
      if (type == fs::file_type::regular)
        files_.push_back(entry);
      else if (type == fs::file_type::directory && depth > 0)
        look_into(entry, depth - 1);
      if (n_left_ <= 0) return;
    }
  }

  std::vector<fs::path> files_;
  std::set<std::pair<std::uint64_t, std::uint64_t>> seen_;  // device and inode of folders
  int n_left_ = static_cast<int>(kMostEntries);
};

}  // namespace

std::vector<fs::path> entries_of(const fs::path& folder) {
  std::vector<fs::path> entries;
  std::error_code error;
  fs::directory_iterator entry(folder, error);
  for (; !error && entry != fs::directory_iterator() && entries.size() < kMostEntries;
       entry.increment(error))
    entries.push_back(entry->path());
  std::ranges::sort(entries);
  return entries;
}

std::vector<fs::path> files_in(const fs::path& folder, int depth) {
  return Walk().take(folder, depth);
}

std::vector<fs::path> gguf_files_in(const fs::path& folder, int depth) {
  std::vector<fs::path> files = files_in(folder, depth);
  std::erase_if(files, [](const fs::path& file) { return !is_gguf(file); });
  return files;
}

std::string small_text(const fs::path& file, std::uintmax_t most_bytes) {
  std::error_code error;
  if (!fs::is_regular_file(file, error)) return {};  // opening a pipe would wait for a writer
  const std::uintmax_t size = fs::file_size(file, error);
  if (error || size > most_bytes) return {};
  std::ifstream in(file, std::ios::binary);
  std::string text(static_cast<std::size_t>(size), '\0');
  in.read(text.data(), static_cast<std::streamsize>(size));
  text.resize(static_cast<std::size_t>(std::max<std::streamsize>(in.gcount(), 0)));
  return text;
}

bool is_partial(const fs::path& file) {
  std::error_code error;
  const std::string blob = fs::weakly_canonical(file, error).extension().string();
  return blob == ".incomplete" || blob == ".downloadInProgress";
}

bool is_plain_name(const std::string& name) {
  return !name.empty() && name != "." && name != ".." && name.find('/') == std::string::npos &&
         name.find('\0') == std::string::npos;
}

}  // namespace confab::app
