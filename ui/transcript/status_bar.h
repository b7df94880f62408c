// SPDX-License-Identifier: MIT
// The status line at the bottom: the model on the left, usage and progress on the right.
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

// Parts that do not fit are left out: those on the left before those on the right, and on each side
// the part with the lowest weight first. Of equal parts the last goes first. A part that must be
// cut ends in an ellipsis.
struct StatusBar {
  std::vector<StatusPart> left = {};   // the model's name, ...
  std::vector<StatusPart> right = {};  // context used, tokens per second, ...
  bool operator==(const StatusBar&) const = default;
};

void draw_status_bar(Frame& frame, Rows row, const StatusBar& status);

// Joins descriptions of keys ("Enter send"). Only the first ones that fit are included, each of
// them whole. The text is untrusted.
std::string key_hints(const std::vector<std::string>& keys, Cols width);

}  // namespace confab::ui
