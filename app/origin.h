// SPDX-License-Identifier: MIT
// Where the value of a setting is from.
#pragma once

#include <cstdint>
#include <string_view>

namespace confab::app {

// Each overrides those before it.
enum class Origin : std::uint8_t {
  built_in,
  built_in_template,  // of prompts of a class: app/prompts
  model,              // its makers recommend it, in the file
  remembered,         // it was last chosen in the chat: state.toml
  config,             // config.toml
  own_template,       // the person's own, in the folder of templates
  environment,        // CONFAB_*
  command_line,
  chat,  // /set, in this chat
};

// "the command line": to stand behind a value.
std::string_view origin_text(Origin origin) noexcept;

}  // namespace confab::app
