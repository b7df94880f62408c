// SPDX-License-Identifier: MIT
#include "app/stores/stores.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "app/paths.h"
#include "app/stores/folder_walk.h"
#include "app/stores/hub.h"
#include "app/stores/model_folder.h"
#include "app/stores/ollama.h"
#include "base/json.h"
#include "ui/words.h"

namespace confab::app {
namespace {

namespace fs = std::filesystem;

constexpr int kJanDepth = 4;  // identifiers contain slashes

fs::path data_folder(const Places& places) {
  if (const auto folder = places.named_by("JAN_DATA_FOLDER")) return *folder;
  const fs::path jan = places.application_data() / "Jan";
  const auto settings = base::Json::try_parse(small_text(jan / "settings.json"));
  const std::string folder = settings ? settings->text_at("data_folder") : std::string();
  if (!folder.empty()) return places.expanded(folder);
  return jan / "data";
}

// The value of an unindented line "KEY: VALUE", without quotes; empty if there is none.
std::string yaml_value(std::string_view text, std::string_view key) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    std::string_view line = text.substr(at, end - at);
    at = end + 1;
    if (!line.starts_with(key) || line.substr(key.size(), 1) != ":") continue;
    line = ui::trimmed(line.substr(key.size() + 1), " \t\r");
    const bool is_quoted = line.size() > 1 && (line.front() == '"' || line.front() == '\'') &&
                           line.back() == line.front();
    return std::string(is_quoted ? line.substr(1, line.size() - 2) : line);
  }
  return {};
}

void add_described(const fs::path& data, const fs::path& models, const fs::path& description,
                   std::vector<StoreFile>& files) {
  const std::string text = small_text(description);
  const std::string name = description.parent_path().lexically_relative(models).string();
  const auto add = [&](std::string_view key, StoreFileKind kind, std::string_view what) {
    const std::string path = yaml_value(text, key);
    if (path.empty()) return;
    files.push_back({.store = Store::jan,
                     .name = name + std::string(what),
                     .path = (data / path).lexically_normal(),
                     .kind = kind,
                     .group = description.parent_path().string()});
  };
  add("model_path", StoreFileKind::model, "");
  add("mmproj_path", StoreFileKind::projector, " projector");
}

std::vector<fs::path> homes(const Places& places) {
  const std::string text = small_text(places.home / ".lmstudio-home-pointer");
  const std::string pointer(ui::trimmed(text, " \t\r\n"));
  if (!pointer.empty()) return {places.expanded(pointer)};
  return {places.home / ".lmstudio", places.home / ".cache/lm-studio"};
}

fs::path folder_of_models(const Places& places, const fs::path& home) {
  const auto settings = base::Json::try_parse(small_text(home / "settings.json"));
  const std::string folder = settings ? settings->text_at("downloadsFolder") : std::string();
  if (!folder.empty()) return places.expanded(folder);
  return home / "models";
}

constexpr int kDepth = 3;

// The name of a folder that is a model.
std::string name_of(const fs::path& folder) {
  const std::string repository = repository_of(folder);
  return repository.empty() ? folder.filename().string() : repository;
}

void add_folder(fs::path folder, int depth, std::vector<StoreFile>& files) {
  if (folder.filename().empty()) folder = folder.parent_path();
  for (const fs::path& model : models_in(folder, depth)) {
    const fs::path group = is_gguf(model) ? model.parent_path() : model;
    files.push_back(
        {.store = Store::own_folder,
         .name = model == folder ? name_of(folder) : model.lexically_relative(folder).string(),
         .path = model,
         .kind = kind_of(model.filename().string()),
         .group = group != folder ? group.string() : ""});
  }
}

void add_bundled(const fs::path& folder, std::vector<StoreFile>& files) {
  for (const fs::path& file : gguf_files_in(folder, 0)) {
    const std::string name = file.filename().string();
    files.push_back(
        {.store = Store::bundled,
         .name = name,
         .path = file,
         .kind = name == "confab-draft.gguf" ? StoreFileKind::draft : StoreFileKind::model,
         .group = folder.string()});
  }
}

constexpr std::size_t kMaxModels = 1000;

// Identifies a file, whatever path leads to it: device and inode.
using FileKey = std::pair<std::uint64_t, std::uint64_t>;

struct FileFacts {
  FileKey key;
  std::uint64_t bytes;
};

std::optional<FileFacts> facts_of(const fs::path& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode) || is_partial(path))
    return std::nullopt;
  return FileFacts{{static_cast<std::uint64_t>(status.st_dev), status.st_ino},
                   static_cast<std::uint64_t>(status.st_size)};
}

// All files of a model, given its first part, another part or its folder.
std::vector<fs::path> parts_of(const fs::path& model) {
  std::error_code error;
  if (fs::is_directory(model, error)) return weight_files(model);
  const std::optional<Shard> shard = shard_of(model.filename().string());
  if (!shard) return {model};
  std::vector<fs::path> parts;
  for (int i = 1; i <= shard->count; ++i)
    parts.push_back(model.parent_path() / shard->file_name(i));
  return parts;
}

class Union {
 public:
  void add(const std::vector<StoreFile>& files) {
    for (const StoreFile& file : files) add(file);
  }

  FoundFiles take() {
    attach();
    FoundFiles found{.models = {}, .drafts = {}, .notes = {notes_.begin(), notes_.end()}};
    for (Entry& entry : entries_) {
      if (entry.file.kind == StoreFileKind::model) found.models.push_back(std::move(entry.model));
      if (entry.file.kind == StoreFileKind::draft) found.drafts.push_back(std::move(entry.model));
    }
    std::ranges::sort(found.models, {}, &FoundModel::name);
    std::ranges::sort(found.drafts, {}, &FoundModel::name);
    if (found.models.size() > kMaxModels) {
      found.notes.push_back(fmt::format("only the first {} of {} models are listed", kMaxModels,
                                        found.models.size()));
      found.models.resize(kMaxModels);
    }
    return found;
  }

  void note(std::string line) { notes_.insert(std::move(line)); }

 private:
  struct Entry {
    StoreFile file;
    FoundModel model;
  };

  void add(const StoreFile& file) {
    if (file.kind == StoreFileKind::importance_matrix) return;
    const std::vector<fs::path> parts = parts_of(file.path);
    const std::optional<std::uint64_t> bytes = bytes_of_all(parts);
    const auto shard = shard_of(file.path.filename().string());
    if (!bytes || (shard && shard->index > 1)) return;
    std::vector<std::size_t>& seen = by_key_[facts_of(parts.front())->key];
    for (const std::size_t i : seen)
      if (is_same(entries_[i].file, file)) return add_name(entries_[i], file.name);
    seen.push_back(entries_.size());
    entries_.push_back(
        {file,
         {.name = unique_name(file), .path = file.path, .bytes = *bytes, .store = file.store}});
  }

  // Whether two entries for the same file are the same model.
  static bool is_same(const StoreFile& a, const StoreFile& b) {
    const bool may_differ = a.store == b.store && a.kind == StoreFileKind::model;
    return !may_differ || a.variant == b.variant;
  }

  void add_name(Entry& entry, const std::string& name) {
    std::vector<std::string>& also = entry.model.also;
    const bool is_short_for_it = ('/' + entry.model.name).ends_with('/' + name);
    if (!is_short_for_it && std::ranges::find(also, name) == also.end()) also.push_back(name);
  }

  // The total size; nullopt if there are no parts, or one is missing. A missing part of several is
  // noted.
  std::optional<std::uint64_t> bytes_of_all(const std::vector<fs::path>& parts) {
    std::uint64_t all = 0;
    for (const fs::path& part : parts) {
      const auto facts = facts_of(part);
      if (!facts) {
        if (parts.size() > 1)
          note(fmt::format("{} is not there: a part of a model with {} files",
                           shorten_home(part.string()), parts.size()));
        return std::nullopt;
      }
      all += facts->bytes;
    }
    return parts.empty() ? std::nullopt : std::optional(all);
  }

  // If two files have the same name, the second is known by its path.
  std::string unique_name(const StoreFile& file) {
    if (names_.insert(file.name).second) return file.name;
    std::string path = shorten_home(file.path.string());
    names_.insert(path);
    return path;
  }

  static bool belong_together(const Entry& model, const Entry& sidecar) {
    if (!sidecar.file.group.empty()) return sidecar.file.group == model.file.group;
    return model.file.path.parent_path() == sidecar.file.path.parent_path() &&
           is_made_for(sidecar.file.path.filename().string(), model.file.path.filename().string());
  }

  void attach() {
    for (Entry& model : entries_) {
      if (model.file.kind != StoreFileKind::model) continue;
      for (const Entry& other : entries_) {
        if (other.file.kind == StoreFileKind::model || !belong_together(model, other)) continue;
        auto& list =
            other.file.kind == StoreFileKind::draft ? model.model.drafts : model.model.projectors;
        list.push_back({other.model.name, other.model.path});
      }
    }
  }

  std::vector<Entry> entries_;
  std::map<FileKey, std::vector<std::size_t>> by_key_;
  std::set<std::string> names_;
  std::set<std::string> notes_;
};

void add_ollama(const Places& places, Union& all) {
  const std::vector<OllamaModel> models = ollama_models(places);
  all.add(ollama_files(models));
  for (const OllamaModel& model : models)
    if (model.has_adapter)
      all.note(model.name + ": is a model with an adapter, which confab cannot apply");
  for (const fs::path& folder : ollama_folders(places)) {
    std::error_code error;
    const fs::directory_iterator look(folder / "manifests", error);
    if (error == std::errc::permission_denied)
      all.note(
          fmt::format("{} cannot be read: {}", shorten_home(folder.string()), error.message()));
  }
}

}  // namespace

std::vector<StoreFile> jan_files(const Places& places) {
  std::vector<StoreFile> files;
  const fs::path data = data_folder(places);
  for (const char* folder : {"llamacpp/models", "models"}) {
    const fs::path models = data / folder;
    const std::vector<fs::path> all = files_in(models, kJanDepth);
    for (const fs::path& file : all)
      if (file.filename() == "model.yml") add_described(data, models, file, files);
    for (const fs::path& file : all)
      if (is_gguf(file))
        files.push_back({.store = Store::jan,
                         .name = file.lexically_relative(models).string(),
                         .path = file,
                         .kind = kind_of(file.filename().string()),
                         .group = file.parent_path().string()});
  }
  return files;
}

namespace fs = std::filesystem;

std::vector<StoreFile> gpt4all_files(const Places& places) {
  std::vector<StoreFile> files;
  for (const fs::path& folder :
       {places.application_data() / "nomic.ai/GPT4All", places.home / ".cache/gpt4all"})
    for (const fs::path& file : gguf_files_in(folder, 0)) {
      std::string name = file.filename().string();
      if (name.starts_with("incomplete-")) continue;
      const StoreFileKind kind = kind_of(name);
      files.push_back(
          {.store = Store::gpt4all, .name = std::move(name), .path = file, .kind = kind});
    }
  return files;
}

std::vector<StoreFile> lm_studio_files(const Places& places) {
  std::vector<StoreFile> files;
  for (const fs::path& home : homes(places)) {
    const fs::path folder = folder_of_models(places, home);
    for (const fs::path& model : models_in(folder, 2))
      files.push_back({.store = Store::lm_studio,
                       .name = model.lexically_relative(folder).string(),
                       .path = model,
                       .kind = kind_of(model.filename().string()),
                       .group = (is_gguf(model) ? model.parent_path() : model).string()});
  }
  return files;
}

std::vector<StoreFile> own_files(const Places& places) {
  std::vector<StoreFile> files;
  if (!places.bundled.empty()) add_bundled(places.bundled, files);
  const std::string named = places.variable("CONFAB_MODEL_FOLDERS").value_or("");
  for (std::size_t at = 0; at < named.size();) {
    const std::size_t end = std::min(named.find(':', at), named.size());
    if (end > at) add_folder(places.expanded(named.substr(at, end - at)), kDepth, files);
    at = end + 1;
  }
  add_folder(places.data() / "confab/models", kDepth, files);
  return files;
}

std::vector<StoreFile> files_beside(const fs::path& model) {
  std::vector<StoreFile> files;
  if (model.empty()) return files;
  std::error_code error;
  const fs::path folder = fs::is_directory(model, error) ? model : model.parent_path();
  add_folder(folder.empty() ? fs::path(".") : folder, 0, files);
  return files;
}

FoundFiles find_files(const Places& places, const ModelSearch& search) {
  Union all;
  all.add(own_files(places));
  all.add(hub_files(places, search.revisions));
  all.add(flat_cache_files(places));
  add_ollama(places, all);
  all.add(lm_studio_files(places));
  all.add(jan_files(places));
  all.add(gpt4all_files(places));
  all.add(files_beside(search.current));  // last, since a store has better names for its files
  return all.take();
}

}  // namespace confab::app
