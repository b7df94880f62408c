// SPDX-License-Identifier: MIT
#include "app/pull/model_pull.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <optional>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "app/error.h"
#include "app/figures.h"
#include "app/paths.h"
#include "app/stores/hub.h"
#include "app/whole_file.h"
#include "engine/error.h"
#include "engine/remote/url.h"
#include "ui/text.h"
#include "ui/words.h"

namespace confab::app {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds kTold{250};  // between two reports

constexpr std::chrono::seconds kWindow{8};  // period of the rate
constexpr std::chrono::seconds kEarly{1};   // too short to compute a rate
constexpr double kMostSeconds = 100 * 3600;

namespace fs = std::filesystem;

constexpr std::size_t kMostToken = 4096;

std::optional<std::string> variable(const char* name) {
  const char* value = std::getenv(name);
  if (value == nullptr || *value == '\0') return std::nullopt;
  return value;
}

// Throws UserError if a home is needed and there is none.
fs::path whole_path(const fs::path& folder) {
  const Places places = Places::of_this_machine();
  if (places.home.empty() && folder.is_relative())
    throw UserError("no home directory: set HOME, or HF_HOME");
  return fs::absolute(folder);
}

std::string token_of_file(const fs::path& file, std::string& notice) {
  struct stat status {};
  if (::stat(file.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return {};
  if ((status.st_mode & 077) != 0 || status.st_uid != ::geteuid()) {
    notice = fmt::format("the token in {} is not used, as others can read it: chmod 600 {}",
                         file.string(), file.string());
    return {};
  }
  return whole_file(file).value_or("");
}

std::string token(std::string& notice) {
  std::string text;
  if (const auto own = variable("HF_TOKEN"))
    text = *own;
  else if (const auto file = variable("HF_TOKEN_PATH"))
    text = token_of_file(expand_home(*file), notice);
  else
    text = token_of_file(whole_path(hub_home(Places::of_this_machine())) / "token", notice);
  text = ui::trimmed(text, " \t\r\n");
  const auto is_odd = [](unsigned char c) { return c <= ' ' || c >= 0x7F; };
  if (text.size() > kMostToken || std::ranges::any_of(text, is_odd))
    throw UserError("the hub's token is not one line of visible characters: see HF_TOKEN");
  return text;
}

constexpr std::uint64_t kSpare = std::uint64_t{16}
                                 << 20;  // of the disk, for what other programs write

engine::HubName hub_name(const std::string& text) {
  if (const auto name = engine::parse_hub_name(text)) return *name;
  throw UsageError(fmt::format(
      "MODEL must be ORG/NAME as on huggingface.co, perhaps with :QUANT, not {}; confab pull "
      "--suggest names three",
      ui::one_line(text)));
}

std::string file_name(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

}  // namespace

BackgroundPull::BackgroundPull(std::string model, const Paths& paths) : model_(std::move(model)) {
  const auto pull = std::make_shared<ModelPull>(model_, paths);
  notice_ = pull->notice();
  thread_ = base::Thread(base::stack::kUsual,
                         [this, pull](const std::stop_token& stop) { run(*pull, stop); });
}

BackgroundPull::~BackgroundPull() = default;

BackgroundPull::State BackgroundPull::state() {
  wake_.clear();  // before the state is read, so that a later change wakes again
  return state_.with([](const State& state) { return state; });
}

void BackgroundPull::tell(State state) {
  state_.with([&](State& now) { return now = std::move(state), true; });
  wake_.set();
}

void BackgroundPull::run(ModelPull& pull, const std::stop_token& stop) {
  const std::stop_callback on_stop(stop, [&pull] { pull.stop(); });
  State end{.step = Step::stopped, .text = {}};
  try {
    pull.find_files();
    Clock::time_point told;
    const auto pulled = pull.run([&](int percent, const std::string& text) {
      if (const auto now = Clock::now(); now - told >= kTold) {
        told = now;
        tell({.percent = percent, .text = text});
      }
      return !stop.stop_requested();
    });
    if (pulled) end = {.step = Step::finished, .text = pulled->text, .name = pulled->name};
  } catch (const std::runtime_error& fault) {  // ModelError, UserError
    if (!stop.stop_requested()) end = {.step = Step::failed, .text = fault.what()};
  }
  tell(std::move(end));
}

void PullProgress::set(std::uint64_t bytes_done, Clock::time_point now) {
  if (bytes_done < done_) samples_.clear();  // the download started over
  done_ = std::min(bytes_done, bytes_);
  samples_.push_back({now, done_});
  while (samples_.front().time < now - kWindow) samples_.pop_front();
}

int PullProgress::percent() const noexcept {
  return bytes_ == 0
             ? 100
             : static_cast<int>(100.0 * static_cast<double>(done_) / static_cast<double>(bytes_));
}

std::string PullProgress::text() const {
  std::string text = fmt::format("{} of {}", size_text(done_), size_text(bytes_));
  if (samples_.empty() || samples_.back().time - samples_.front().time < kEarly) return text;
  const std::chrono::duration<double> time = samples_.back().time - samples_.front().time;
  const double rate =
      static_cast<double>(samples_.back().bytes - samples_.front().bytes) / time.count();
  text += fmt::format(", {}/s", size_text(static_cast<std::uint64_t>(rate)));
  const double left = rate > 0 ? static_cast<double>(bytes_ - done_) / rate : kMostSeconds;
  if (left >= kMostSeconds) return text;
  return text + fmt::format(", {} left",
                            time_text(std::chrono::seconds(static_cast<std::int64_t>(left) + 1)));
}

fs::path hub_folder() {
  return whole_path(hub_folders(Places::of_this_machine()).front());
}

HubPlace hub_place() {
  HubPlace place;
  if (const auto endpoint = variable("HF_ENDPOINT")) {
    std::string url = *endpoint;
    while (url.ends_with('/')) url.pop_back();
    if (engine::host_of(url).empty())
      throw UserError(fmt::format("HF_ENDPOINT must be like https://hub.example, not {}",
                                  engine::printable(*endpoint)));
    place.hub.url = std::move(url);
  }
  place.hub.token = token(place.notice);
  const bool is_private =
      !place.hub.url.starts_with("http://") || engine::is_loopback(place.hub.url);
  if (!place.hub.token.empty() && !is_private) {
    place.hub.token.clear();
    place.notice = fmt::format("the token is not sent to {}, as http:// hides nothing",
                               engine::host_of(place.hub.url));
  }
  return place;
}

ModelPull::ModelPull(const std::string& model, const Paths& paths)
    : name_(hub_name(model)),
      place_(hub_place()),
      folder_(hub_folder()),
      layout_(folder_, name_.repository()),
      record_(PulledRecord::file_of(paths)) {}

void ModelPull::find_files() {
  try {
    listing_ = engine::list_files(client_, place_.hub, name_);
    files_ = engine::choose_files(listing_, name_.choice);
  } catch (const engine::HubHasNot& fault) {
    throw NoModelError(fault.what());
  }
  for (const engine::HubFile& file : files_) bytes_ += file.bytes;
  progress_ = PullProgress(bytes_);
}

void ModelPull::check_space() const {
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

// Whether the snapshot holds the file itself instead of a link.
bool ModelPull::is_in_place(const engine::HubFile& file) const {
  const fs::path path = layout_.snapshot(listing_.commit, file.path);
  std::error_code error;
  return fs::is_regular_file(fs::symlink_status(path, error)) &&
         fs::file_size(path, error) == file.bytes;
}

bool ModelPull::tell(const engine::HubFile& file, const engine::DownloadProgress& progress,
                     const GoOn& go_on) {
  const std::string name = file_name(file.path);
  if (progress.is_checking)
    return go_on(static_cast<int>(100 * progress.bytes_done / file.bytes), "checking " + name);
  progress_.set(bytes_before_ + progress.bytes_done, Clock::now());
  return go_on(progress_.percent(), fmt::format("{}  {}", progress_.text(), name));
}

engine::DownloadEnd ModelPull::pull(const engine::HubFile& file, const GoOn& go_on) {
  const fs::path path = layout_.snapshot(listing_.commit, file.path);
  const engine::DownloadListener listener{
      .go_on =
          [&](const engine::DownloadProgress& progress) { return tell(file, progress, go_on); },
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

std::optional<PulledModel> ModelPull::run(const GoOn& go_on) {
  layout_.create();
  check_space();
  const auto start = Clock::now();
  bool all_there = true;
  for (const engine::HubFile& file : files_) {
    const engine::DownloadEnd end = pull(file, go_on);
    if (end == engine::DownloadEnd::stopped) return std::nullopt;
    all_there = all_there && end == engine::DownloadEnd::was_there;
    bytes_before_ += file.bytes;
  }
  layout_.set_main(listing_.commit);
  const auto took = std::chrono::duration_cast<std::chrono::seconds>(Clock::now() - start);
  const std::string& path = files_.front().path;
  PulledModel pulled{
      .file = layout_.snapshot(listing_.commit, path), .name = file_name(path), .text = {}};
  pulled.text = all_there ? fmt::format("{} was there already: {}, SHA-256 right.", pulled.name,
                                        size_text(bytes_))
                          : fmt::format("Pulled {}: {}, SHA-256 right, {}.", pulled.name,
                                        size_text(bytes_), time_text(took));
  return pulled;
}

}  // namespace confab::app
