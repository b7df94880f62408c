// SPDX-License-Identifier: MIT
// Which hub is meant, whose token it gets, and where its files are kept: as the variables say that
// the hub's own programs and llama.cpp have (app/stores/hub.h).
// https://huggingface.co/docs/huggingface_hub/package_reference/environment_variables
#pragma once

#include <filesystem>
#include <string>

#include "engine/hub/hub_api.h"

namespace confab::app {

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

}  // namespace confab::app
