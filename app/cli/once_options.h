// SPDX-License-Identifier: MIT
// The options that only `confab -p` has: what goes in, what comes out.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/options.h"

namespace CLI {
class App;
}

namespace confab::app {

struct OnceWords {
  bool json = false;
  bool json_events = false;
  bool code = false;
  std::string language = {};
  std::optional<std::string> expected = {};
  std::optional<int> n_retries = {};
};

void add_once_options(CLI::App& app, OnceWords& words, ChatOptions& options);
// Fills in what --extract means where its language is left out. What follows is one if it can only
// be that: no option, and not the name of a file.
void fill_in_language(std::vector<std::string>& words);
// Throws UsageError where options exclude each other, or need -p. The decision and the shape of the
// answer must be in the options already.
void finish_once_options(const OnceWords& words, ChatOptions& options);

}  // namespace confab::app
