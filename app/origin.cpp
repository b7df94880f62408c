// SPDX-License-Identifier: MIT
#include "app/origin.h"

namespace confab::app {

std::string_view origin_text(Origin origin) noexcept {
  switch (origin) {
    case Origin::built_in:
      return "default";
    case Origin::built_in_template:
      return "the template";
    case Origin::model:
      return "the model";
    case Origin::remembered:
      return "an earlier chat";
    case Origin::config:
      return "config.toml";
    case Origin::own_template:
      return "your template";
    case Origin::environment:
      return "the environment";
    case Origin::command_line:
      return "the command line";
    case Origin::chat:
      return "/set";
  }
  return "";
}

}  // namespace confab::app
