// SPDX-License-Identifier: MIT
// A model of the hub on its way into the hub's own folder: all its files, one after the other.
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
#include "engine/hub/hub_api.h"
#include "engine/hub/hub_download.h"
#include "engine/hub/hub_layout.h"
#include "engine/hub/hub_name.h"
#include "engine/remote/http_client.h"

namespace confab::app {

// How far a download is, how fast, and how long it will still take. Time is passed in.
class PullProgress {
 public:
  using Clock = std::chrono::steady_clock;

  // Of all files together.
  explicit PullProgress(std::uint64_t bytes) : bytes_(bytes) {}

  // So many are there now.
  void set(std::uint64_t bytes_done, Clock::time_point now);
  int percent() const noexcept;
  // "1.2 GiB of 2.3 GiB, 45.1 MiB/s, 0:32 left"; without a rate where there is none yet.
  std::string text() const;
  std::uint64_t bytes_done() const noexcept { return done_; }

 private:
  struct Sample {
    Clock::time_point time;
    std::uint64_t bytes;
  };

  std::uint64_t bytes_;
  std::uint64_t done_ = 0;
  std::deque<Sample> samples_ = {};  // of the last seconds, oldest first
};

// Which hub is meant, whose token it gets, and where its files are kept: as the variables say that
// the hub's own programs and llama.cpp have (app/stores/hub.h).
// https://huggingface.co/docs/huggingface_hub/package_reference/environment_variables
// The first of hub_folders(), as an absolute path. Throws UserError without a home.
std::filesystem::path hub_folder();

struct HubPlace {
  engine::Hub hub = {};
  std::string notice = {};  // why a token is not used; empty: nothing is to be said
};

// The hub of HF_ENDPOINT, else huggingface.co; the token of HF_TOKEN, else of the file
// HF_TOKEN_PATH or $HF_HOME/token. One that others can read, or that would go unencrypted to
// another machine, is not used. Throws UserError for an address that is none.
HubPlace hub_place();

struct PulledModel {
  std::filesystem::path file;  // the first of its files, as everybody finds it
  std::string name;            // of that file; what -m and /model take
  std::string text;            // "Pulled NAME: 2.3 GiB, SHA-256 right, 0:32."
};

// Confined to one thread, but for stop().
class ModelPull {
 public:
  // How far it is, about 20 times a second, on the thread that pulls. False: stop.
  using GoOn = std::function<bool(int percent, const std::string& text)>;

  // model: "ORG/NAME[:QUANT]". Throws UsageError for another name, UserError.
  ModelPull(const std::string& model, const Paths& paths);

  // Worth to be told before; empty: nothing is.
  const std::string& notice() const noexcept { return place_.notice; }
  std::string repository() const { return name_.repository(); }

  // Asks the hub which files there are. Throws NoModelError, ModelError.
  void find_files();
  // Once they are found. nullopt: go_on said to stop; what has come stays, and another pull goes on
  // with it. Throws UserError where the disk is too small, ModelError.
  std::optional<PulledModel> run(const GoOn& go_on);
  // The hub is not waited for any more: what does fails.
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
  std::uint64_t bytes_ = 0;         // of all files
  std::uint64_t bytes_before_ = 0;  // of the files before the one that is pulled
  PullProgress progress_{0};
};

}  // namespace confab::app
