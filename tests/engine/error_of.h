// SPDX-License-Identifier: MIT
// What an action throws, as text.
#pragma once

#include <string>

#include "engine/error.h"

namespace confab::engine {

// The ModelError's message; empty when the action succeeds. Any other exception passes through.
template <typename F>
std::string error_of(F&& act) {
  try {
    act();
  } catch (const ModelError& error) {
    return error.what();
  }
  return {};
}

}  // namespace confab::engine
