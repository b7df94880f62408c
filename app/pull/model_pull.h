// SPDX-License-Identifier: MIT
// Pulls a model from the hub into the hub's own folder, one file after the other, perhaps on a
// separate thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/paths.h"
#include "app/pull/pulled_record.h"
#include "base/thread.h"
#include "engine/hub/hub_api.h"
#include "engine/hub/hub_download.h"
#include "engine/hub/hub_layout.h"
#include "engine/hub/hub_name.h"
#include "engine/locked.h"
#include "engine/platform/wake_fd.h"
#include "engine/remote/http_client.h"

namespace confab::app {

// The progress of a download: how much, how fast, and how long it will still take. The time is
// passed in.
class PullProgress {
 public:
  using Clock = std::chrono::steady_clock;

  // bytes: the size of all files together.
  explicit PullProgress(std::uint64_t bytes) : bytes_(bytes) {}

  // Records how many bytes have arrived by now.
  void set(std::uint64_t bytes_done, Clock::time_point now);
  int percent() const noexcept;
  // "1.2 GiB of 2.3 GiB, 45.1 MiB/s, 0:32 left"; without a rate as long as there is none.
  std::string text() const;
  std::uint64_t bytes_done() const noexcept { return done_; }

 private:
  struct Sample {
    Clock::time_point time;
    std::uint64_t bytes;
  };

  std::uint64_t bytes_;
  std::uint64_t done_ = 0;
  std::deque<Sample> samples_ = {};  // the last seconds, oldest first
};

// Which hub to use, with which token, and where its files are kept, according to the variables of
// the hub's own programs and llama.cpp (app/stores/hub.h).
// https://huggingface.co/docs/huggingface_hub/package_reference/environment_variables
//
// The first of hub_folders(), as an absolute path. Throws UserError if there is no home.
std::filesystem::path hub_folder();

struct HubPlace {
  engine::Hub hub = {};
  std::string notice = {};  // why a token is not used; empty: nothing to report
};

// The hub of HF_ENDPOINT, else huggingface.co, and the token of HF_TOKEN, else of the file
// HF_TOKEN_PATH or $HF_HOME/token. A token file that others can read is not used, nor is a token
// that would go unencrypted to another machine. Throws UserError for an invalid address.
HubPlace hub_place();

struct PulledModel {
  std::filesystem::path file;  // its first file, where every program finds it
  std::string name;            // name of that file, which -m and /model accept
  std::string text;            // "Pulled NAME: 2.3 GiB, SHA-256 right, 0:32."
};

// Confined to one thread, except stop().
class ModelPull {
 public:
  // Reports the progress about 20 times per second, on the thread that pulls. Returning false stops
  // the pull.
  using GoOn = std::function<bool(int percent, const std::string& text)>;

  // model: "ORG/NAME[:QUANT]". Throws UsageError for any other form, UserError.
  ModelPull(const std::string& model, const Paths& paths);

  // Something to report before the pull; empty: nothing.
  const std::string& notice() const noexcept { return place_.notice; }
  std::string repository() const { return name_.repository(); }

  // Asks the hub for the list of files. Throws NoModelError, ModelError.
  void find_files();
  // Pulls the files that were found. Returns nullopt if go_on returned false; what has arrived
  // stays, and another pull resumes there. Throws UserError if the disk is too small, ModelError.
  std::optional<PulledModel> run(const GoOn& go_on);
  // Stops waiting for the hub; pending calls fail.
  void stop() { client_.abandon(); }

 private:
  void check_space() const;
  bool is_in_place(const engine::HubFile& file) const;
  engine::DownloadEnd pull(const engine::HubFile& file, const GoOn& go_on);
  bool tell(const engine::HubFile& file, const engine::DownloadProgress& progress,
            const GoOn& go_on);

  engine::HubName name_;
  HubPlace place_;
  std::filesystem::path folder_;
  engine::HubLayout layout_;
  PulledRecord record_;
  engine::HttpClient client_;
  engine::HubListing listing_ = {};
  std::vector<engine::HubFile> files_ = {};
  std::uint64_t bytes_ = 0;         // size of all files
  std::uint64_t bytes_before_ = 0;  // size of the files before the current one
  PullProgress progress_{0};
};

// Pulls a model on a separate thread while something else goes on.
class BackgroundPull {
 public:
  enum class Step { runs, finished, stopped, failed };
  struct State {
    Step step = Step::runs;
    int percent = 0;
    std::string text = "asking which files there are";  // the progress, or how it ended
    std::string name = {};                              // when finished: the name for /model
  };

  // Starts pulling "ORG/NAME[:QUANT]". Throws as ModelPull does.
  BackgroundPull(std::string model, const Paths& paths);
  // Stops the pull. What has arrived stays, and another pull of the same model resumes there.
  ~BackgroundPull();
  BackgroundPull(const BackgroundPull&) = delete;
  BackgroundPull& operator=(const BackgroundPull&) = delete;

  const std::string& model() const noexcept { return model_; }
  const std::string& notice() const noexcept { return notice_; }  // as in ModelPull
  void stop() noexcept { thread_.request_stop(); }
  // The current state. After a change, wake_fd() is readable until the next call of this; there are
  // a few changes per second.
  State state();
  int wake_fd() const noexcept { return wake_.fd(); }

 private:
  void run(ModelPull& pull, const std::stop_token& stop);
  void tell(State state);

  const std::string model_;
  std::string notice_;
  engine::Locked<State> state_;
  engine::platform::WakeFd wake_;
  base::Thread thread_;  // last: the thread uses all other members
};

}  // namespace confab::app
