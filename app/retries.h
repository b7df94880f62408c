// SPDX-License-Identifier: MIT
#pragma once

namespace confab::app {

// How often an answer that is not as expected may be asked for again.
inline constexpr int kMaxRetries = 20;

}  // namespace confab::app
