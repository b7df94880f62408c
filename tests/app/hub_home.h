// SPDX-License-Identifier: MIT
// A home of its own, in which the variables of hubs point to a hub on this machine.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <random>
#include <span>
#include <string>

#include "app/paths.h"
#include "engine/hub/sha256.h"
#include "tests/app/home_dir.h"
#include "tests/fake_hub.h"

namespace confab::app {

inline std::string random_bytes(std::size_t size, unsigned seed) {
  std::mt19937 rng(seed);
  std::string bytes(size, '\0');
  for (char& c : bytes) c = static_cast<char>(rng());
  return bytes;
}

inline std::string sum_of(const std::string& bytes) {
  engine::Sha256 sum;
  sum.add(std::as_bytes(std::span(bytes)));
  return sum.finish();
}

struct HubHome {
  HubHome() {
    for (const char* name : {"LLAMA_CACHE", "HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE", "HF_TOKEN",
                             "HF_TOKEN_PATH", "XDG_CACHE_HOME"})
      unsetenv(name);
    setenv("HF_ENDPOINT", hub.url().c_str(), 1);
    setenv("HF_HOME", (home / "hf").c_str(), 1);
    paths.database = home / "data/confab.db";
    put("m-Q4_K_M.gguf", 3'000'000);
  }
  ~HubHome() {
    unsetenv("HF_ENDPOINT");
    unsetenv("HF_HOME");
  }
  HubHome(const HubHome&) = delete;
  HubHome& operator=(const HubHome&) = delete;

  void put(const std::string& path, std::size_t size) {
    const std::string content = random_bytes(size, static_cast<unsigned>(size));
    hub.files[path] = {content, sum_of(content)};
  }
  std::filesystem::path file(const std::string& path) const {
    return home / "hf/hub/models--org--name/snapshots" / FakeHub::kCommit / path;
  }

  FakeHub hub;
  HomeDir home;
  Paths paths;
};

}  // namespace confab::app
