// SPDX-License-Identifier: MIT
// Renders snippets, for the tests of engine/prompt/jinja.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "engine/prompt/chat_template.h"
#include "engine/prompt/jinja/runtime.h"

namespace confab::engine::jinja {

// Expects what Jinja2 printed for every case of tests/data/jinja/UNIT.json.
void expect_jinja2_output(const std::string& unit);

// `vars` is a JSON object.
RenderedPrompt render_prompt(std::string_view source, const std::string& vars = "{}");
std::string render(std::string_view source, const std::string& vars = "{}");
// The message of the ModelError that parsing or rendering throws; empty when it does not.
std::string error_of(std::string_view source, const std::string& vars = "{}");

// The same with no variables and other limits than usual.
std::string end_within(const Limits& limits, std::string_view source);
// A rendering by this clock takes no time.
std::chrono::nanoseconds stopped_clock();

// The marked parts of what the template prints with `typed` as the first message's content.
std::vector<std::string> typed_parts(std::string_view source, const std::string& typed);

}  // namespace confab::engine::jinja
