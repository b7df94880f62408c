// SPDX-License-Identifier: MIT
// Spans as text, for tests: what is not plain code stands in brackets behind its role.
#pragma once

#include <span>
#include <string>

#include "ui/style.h"
#include "ui/theme.h"

namespace confab::ui {

inline std::string marked(std::span<const Span> spans) {
  std::string out;
  for (const Span& span : spans) {
    if (span.style.role == Role::code_block) {
      out += span.text;
      continue;
    }
    std::string_view role = role_name(span.style.role);
    if (role.starts_with("code_")) role.remove_prefix(5);
    out += '[' + std::string(role) + '|' + span.text + ']';
  }
  return out;
}

}  // namespace confab::ui
