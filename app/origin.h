// SPDX-License-Identifier: MIT
// The origin of a setting's value.
#pragma once

#include <cstdint>
#include <string_view>

namespace confab::app {

// Each origin overrides the ones before it.
enum class Origin : std::uint8_t {
  built_in,
  built_in_template,  // the template for a class of prompts: app/prompts
  model,              // recommended by the model's makers, in the file
  remembered,         // last chosen in the chat: state.toml
  config,             // config.toml
  own_template,       // the person's own template, in the templates folder
  environment,        // CONFAB_*
  command_line,
  chat,  // set in this chat with /set
};

// "the command line": a phrase to print after a value.
std::string_view origin_text(Origin origin) noexcept;

}  // namespace confab::app
