// SPDX-License-Identifier: MIT
// Filters that make HTML, or unmake it: escape, safe, striptags, urlencode, xmlattr.
#pragma once

#include <span>

#include "engine/prompt/jinja/arguments.h"

namespace confab::engine::jinja {

std::span<const NamedFunction> html_filters() noexcept;

}  // namespace confab::engine::jinja
