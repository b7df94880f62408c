// SPDX-License-Identifier: MIT
#include "app/pull/pulled_record.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <span>
#include <sstream>

#include "app/whole_file.h"
#include "engine/error.h"
#include "engine/gguf/atomic_file.h"
#include "engine/hub/hub_name.h"
#include "engine/hub/sha256.h"
#include "engine/platform/descriptor.h"
#include "engine/remote/json_fields.h"

namespace confab::app {
namespace {

using engine::field;
using engine::text_of;

bool is_plain(const PulledFile& file) {
  const auto name = engine::parse_hub_name(file.repository);
  return name && name->repository() == file.repository && engine::is_sha256(file.sha256) &&
         engine::is_safe_path(file.path) && engine::is_safe_path(file.commit) &&
         file.commit.find('/') == std::string::npos && file.hub.starts_with('/');
}

void write(const std::filesystem::path& path, const std::vector<PulledFile>& files) {
  std::string text;
  for (const PulledFile& file : files)
    text += engine::to_text({{"hub", file.hub},
                             {"repository", file.repository},
                             {"commit", file.commit},
                             {"path", file.path},
                             {"sha256", file.sha256},
                             {"bytes", file.bytes}}) +
            "\n";
  engine::AtomicFile whole(path.string());
  whole.write(std::as_bytes(std::span(text)));
  whole.commit();
}

// Held from reading the file to its new contents.
engine::platform::Descriptor locked(const std::filesystem::path& path) {
  std::error_code error;
  std::filesystem::create_directories(path.parent_path(), error);
  const std::string name = path.string() + ".lock";
  engine::platform::Descriptor fd(::open(name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (fd.get() < 0) throw engine::ModelError(fmt::format("{}: cannot be opened", name));
  ::flock(fd.get(), LOCK_EX);
  return fd;
}

}  // namespace

std::filesystem::path PulledRecord::file_of(const Paths& paths) {
  return paths.database.parent_path() / "pulled.jsonl";
}

std::vector<PulledFile> PulledRecord::list() const {
  std::vector<PulledFile> files;
  std::istringstream lines(whole_file(file_).value_or(""));
  for (std::string line; std::getline(lines, line);) {
    const auto json = engine::parse_json(line);
    if (!json) continue;
    PulledFile file{
        text_of(field(*json, "hub")),
        text_of(field(*json, "repository")),
        text_of(field(*json, "commit")),
        text_of(field(*json, "path")),
        text_of(field(*json, "sha256")),
        static_cast<std::uint64_t>(engine::whole_of(field(*json, "bytes")).value_or(0))};
    if (is_plain(file)) files.push_back(std::move(file));
  }
  return files;
}

void PulledRecord::add(const PulledFile& file) const {
  const auto lock = locked(file_);
  std::vector<PulledFile> files = list();
  if (std::ranges::find(files, file) != files.end()) return;
  files.push_back(file);
  write(file_, files);
}

void PulledRecord::remove(const PulledFile& file) const {
  const auto lock = locked(file_);
  std::vector<PulledFile> files = list();
  std::erase(files, file);
  write(file_, files);
}

}  // namespace confab::app
