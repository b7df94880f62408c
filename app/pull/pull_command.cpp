// SPDX-License-Identifier: MIT
#include "app/pull/pull_command.h"

#include <fmt/format.h>

#include <chrono>
#include <ostream>
#include <system_error>

#include "app/error.h"
#include "app/exit_status.h"
#include "app/figures.h"
#include "app/models/listed_models.h"
#include "app/models/suggested_model.h"
#include "app/progress_line.h"
#include "app/pull/hub_place.h"
#include "app/pull/pull_progress.h"
#include "app/pull/pulled_record.h"
#include "engine/hub/hub_download.h"
#include "engine/hub/hub_layout.h"
#include "engine/platform/memory.h"
#include "engine/remote/http_client.h"
#include "ui/terminal/signals.h"
#include "ui/text.h"

namespace confab::app {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr std::uint64_t kSpare = std::uint64_t{16} << 20;  // of a disk, for what else is written

engine::HubName hub_name(const std::string& text) {
  if (const auto name = engine::parse_hub_name(text)) return *name;
  throw UsageError(fmt::format(
      "MODEL must be ORG/NAME as on huggingface.co, perhaps with :QUANT, not {}; confab pull "
      "--suggest names three",
      ui::one_line(text)));
}

class Pull {
 public:
  Pull(const PullOptions& options, const Paths& paths, std::ostream& err)
      : quiet_(options.quiet),
        name_(hub_name(options.model)),
        place_(hub_place()),
        folder_(hub_folder()),
        layout_(folder_, name_.repository()),
        record_(PulledRecord::file_of(paths)),
        err_(err) {}

  int run(std::ostream& out);

 private:
  void find_files();
  void check_space() const;
  bool is_in_place(const engine::HubFile& file) const;
  engine::DownloadEnd pull(const engine::HubFile& file);
  bool go_on(const engine::HubFile& file, const engine::DownloadProgress& progress);
  int stop();
  void say(const std::string& text) const {
    if (!quiet_) err_ << ui::one_line(text) << '\n';
  }

  bool quiet_;
  engine::HubName name_;
  HubPlace place_;
  fs::path folder_;
  engine::HubLayout layout_;
  PulledRecord record_;
  std::ostream& err_;
  engine::HttpClient client_;
  engine::HubListing listing_ = {};
  std::vector<engine::HubFile> files_ = {};
  std::uint64_t bytes_ = 0;         // of all files
  std::uint64_t bytes_before_ = 0;  // of the files before the one that is pulled
  PullProgress progress_{0};
  ProgressLine line_;
  ui::Signals* signals_ = nullptr;
  int status_ = 0;  // that a signal asked for
};

// Ctrl+C still ends the program at once meanwhile.
void Pull::find_files() {
  try {
    listing_ = engine::list_files(client_, place_.hub, name_);
    files_ = engine::choose_files(listing_, name_.choice);
  } catch (const engine::HubHasNot& fault) {
    throw NoModelError(fault.what());
  }
  for (const engine::HubFile& file : files_) bytes_ += file.bytes;
  progress_ = PullProgress(bytes_);
}

void Pull::check_space() const {
  std::uint64_t needed = 0;
  for (const engine::HubFile& file : files_)
    if (!is_in_place(file)) needed += engine::bytes_to_come(layout_.blob(file.sha256), file);
  std::error_code error;
  const fs::space_info space = fs::space(folder_, error);
  if (needed == 0 || error || space.available >= needed + kSpare) return;
  throw UserError(fmt::format(
      "{} has {} free, but {} takes {} more: make room, or set HF_HOME to a folder on another disk",
      shorten_home(folder_.string()), size_text(space.available), name_.repository(),
      size_text(needed)));
}

// The file itself, where there are no links.
bool Pull::is_in_place(const engine::HubFile& file) const {
  const fs::path path = layout_.snapshot(listing_.commit, file.path);
  std::error_code error;
  return fs::is_regular_file(fs::symlink_status(path, error)) &&
         fs::file_size(path, error) == file.bytes;
}

bool Pull::go_on(const engine::HubFile& file, const engine::DownloadProgress& progress) {
  if (status_ == 0) status_ = status_asked_for(*signals_);
  const std::string name = file.path.substr(file.path.rfind('/') + 1);
  if (progress.is_checking) {
    line_.show(static_cast<int>(100 * progress.bytes_done / file.bytes), "checking " + name);
  } else {
    progress_.set(bytes_before_ + progress.bytes_done, Clock::now());
    line_.show(progress_.percent(), fmt::format("{}  {}", progress_.text(), name));
  }
  return status_ == 0;
}

engine::DownloadEnd Pull::pull(const engine::HubFile& file) {
  const fs::path path = layout_.snapshot(listing_.commit, file.path);
  const engine::DownloadListener listener{
      .go_on = [&](const engine::DownloadProgress& progress) { return go_on(file, progress); },
      .published =
          [&] {
            record_.add({folder_.string(), listing_.repository, listing_.commit, file.path,
                         file.sha256, file.bytes});
          }};
  if (is_in_place(file)) {
    const auto sum = engine::sha256_of_file(path, [&](std::uint64_t done) {
      return listener.go_on({.bytes_done = done, .is_checking = true});
    });
    if (!sum) return engine::DownloadEnd::stopped;
    if (*sum == file.sha256) return engine::DownloadEnd::was_there;
  }
  const engine::DownloadJob job{.url = engine::file_url(place_.hub, listing_, file),
                                .file = file,
                                .blob = layout_.blob(file.sha256),
                                .repository = listing_.repository};
  const engine::DownloadEnd end = engine::download(client_, place_.hub, job, listener);
  if (end != engine::DownloadEnd::stopped) layout_.publish(listing_.commit, file.path, file.sha256);
  return end;
}

int Pull::stop() {
  line_.clear();
  say(fmt::format("Stopped: what has come of {} stays, and the same command goes on.",
                  name_.repository()));
  return status_;
}

int Pull::run(std::ostream& out) {
  if (!place_.notice.empty()) say(place_.notice);
  find_files();
  layout_.create();
  check_space();
  ui::Signals signals;
  signals_ = &signals;
  const auto start = Clock::now();
  bool all_there = true;
  for (const engine::HubFile& file : files_) {
    const engine::DownloadEnd end = pull(file);
    if (end == engine::DownloadEnd::stopped) return stop();
    all_there = all_there && end == engine::DownloadEnd::was_there;
    bytes_before_ += file.bytes;
  }
  layout_.set_main(listing_.commit);
  line_.clear();
  const auto took = std::chrono::duration_cast<std::chrono::seconds>(Clock::now() - start);
  const std::string& path = files_.front().path;
  const std::string name = path.substr(path.rfind('/') + 1);
  say(all_there ? fmt::format("{} was there already: {}, SHA-256 right.", name, size_text(bytes_))
                : fmt::format("Pulled {}: {}, SHA-256 right, {}.", name, size_text(bytes_),
                              time_text(took)));
  say(fmt::format("To chat with it: confab -m {}", name));
  out << layout_.snapshot(listing_.commit, path).string() << '\n';
  return 0;
}

int suggest(const Paths& paths, std::ostream& out, std::ostream& err) {
  const ModelList list = load_model_list(paths);
  const std::uint64_t room = room_for_model(engine::platform::available_memory());
  const std::vector<ListedModel> fitting = models_that_fit(list.models, room);
  for (const ListedModel& model : fitting)
    out << fmt::format("{} ({}): {}\n    confab pull {}\n", ui::one_line(model.name),
                       size_text(model.bytes), ui::one_line(model.about), model.pull);
  err << fmt::format("{} up to {} fit this machine now. These are from {};\n",
                     fitting.empty() ? "No model of the list fits: only files" : "Files",
                     size_text(room), shorten_home(list.file.string()));
  err << fmt::format("a list of your own goes into {}.\n",
                     shorten_home(own_model_list(paths).string()));
  return fitting.empty() ? static_cast<int>(ExitStatus::does_not_fit) : 0;
}

}  // namespace

int run_pull(const PullOptions& options, const Paths& paths, std::ostream& out, std::ostream& err) {
  if (options.suggest) return suggest(paths, out, err);
  return Pull(options, paths, err).run(out);
}

}  // namespace confab::app
