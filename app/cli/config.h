// SPDX-License-Identifier: MIT
// config.toml: the choices that a person does not want to type each time.
#pragma once

#include <filesystem>

#include "app/options.h"

namespace confab::app {

// Options with what the file says; the built-in ones when there is no file. Throws UsageError that
// names file, line or key, and what was expected, for a file that cannot be read or has a key or
// value that is none.
//
// Keys: model, theme, system (strings); ctx_size, threads, predict, top_k, repeat_last_n, seed
// (integers); temperature, top_p, min_p, repeat_penalty, frequency_penalty, presence_penalty
// (numbers); cache_type_k, cache_type_v ("f32", "q8_0", ...).
ChatOptions load_config(const std::filesystem::path& file);

}  // namespace confab::app
