// SPDX-License-Identifier: MIT
#include "app/pull/pulled_record.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>

#include <algorithm>
#include <span>
#include <sstream>

#include "app/whole_file.h"
#include "base/json.h"
#include "engine/error.h"
#include "engine/gguf/atomic_file.h"
#include "engine/hub/hub_name.h"
#include "engine/hub/sha256.h"
#include "engine/platform/descriptor.h"
#include "sessions/directory.h"
#include "sessions/error.h"

namespace confab::app {
namespace {

using base::Json;

std::uint64_t number_of(const Json& json, const char* key) {
  const Json* found = json.find(key);
  return found == nullptr ? 0 : found->as_uint().value_or(0);
}

bool is_plain(const PulledFile& file) {
  const auto name = engine::parse_hub_name(file.repository);
  return name && name->repository() == file.repository && engine::is_sha256(file.sha256) &&
         engine::is_safe_path(file.path) && engine::is_safe_path(file.commit) &&
         file.commit.find('/') == std::string::npos && file.hub.starts_with('/');
}

void write(const std::filesystem::path& path, const std::vector<PulledFile>& files) {
  std::string text;
  for (const PulledFile& file : files)
    text += Json{{"hub", file.hub},   {"repository", file.repository}, {"commit", file.commit},
                 {"path", file.path}, {"sha256", file.sha256},         {"bytes", file.bytes}}
                .dump() +
            "\n";
  engine::AtomicFile whole(path.string());
  whole.write(std::as_bytes(std::span(text)));
  whole.commit();
}

// A lock that is held from reading the file until its new contents are written.
engine::platform::Descriptor locked(const std::filesystem::path& path) {
  try {
    sessions::make_private_directories(path.parent_path());
  } catch (const sessions::StoreError& fault) {
    throw engine::ModelError(fault.what());
  }
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
    const Json json = Json::try_parse(line).value_or(Json());
    PulledFile file{json.text_at("hub"),  json.text_at("repository"), json.text_at("commit"),
                    json.text_at("path"), json.text_at("sha256"),     number_of(json, "bytes")};
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
