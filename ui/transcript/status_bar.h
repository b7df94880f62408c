// SPDX-License-Identifier: MIT
// The line at the bottom: what runs on the left, how it goes on the right.
#pragma once

#include <string>
#include <vector>

#include "ui/frame.h"
#include "ui/style.h"

namespace confab::ui {

struct StatusPart {
  std::string text;  // untrusted
  Role role = Role::status;
  int weight = 0;
  bool operator==(const StatusPart&) const = default;
};

// What does not fit is left out: parts on the left before those on the right, on each side the
// lightest first and of equals the last. A part that must be cut ends in an ellipsis.
struct StatusBar {
  std::vector<StatusPart> left = {};   // the model's name, ...
  std::vector<StatusPart> right = {};  // context used, tokens per second, ...
  bool operator==(const StatusBar&) const = default;
};

void draw_status_bar(Frame& frame, Rows row, const StatusBar& status);

// What keys do ("Enter send"), side by side: the first ones that fit, each whole. Untrusted.
std::string key_hints(const std::vector<std::string>& keys, Cols width);

}  // namespace confab::ui
