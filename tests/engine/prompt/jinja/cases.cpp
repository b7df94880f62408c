// SPDX-License-Identifier: MIT
#include "tests/engine/prompt/jinja/cases.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "engine/error.h"
#include "engine/prompt/jinja/interpreter.h"
#include "engine/prompt/jinja/parser.h"

namespace confab::engine::jinja {

void expect_jinja2_output(const std::string& unit) {
  const auto path =
      std::filesystem::path(CONFAB_SOURCE_DIR) / "tests" / "data" / "jinja" / (unit + ".json");
  std::ifstream in(path);
  ASSERT_TRUE(in) << path;
  const auto golden = nlohmann::ordered_json::parse(in);
  EXPECT_GT(golden["cases"].size(), 0U);
  for (const auto& entry : golden["cases"]) {
    const auto source = entry["template"].get<std::string>();
    SCOPED_TRACE(source);
    std::string got;
    EXPECT_NO_THROW(got = render(source, golden["vars"].dump()));
    EXPECT_EQ(got, entry["expected"].get<std::string>());
  }
}

RenderedPrompt render_prompt(std::string_view source, const std::string& vars) {
  return ChatTemplate(source, "<s>", "</s>")
      .render_json(R"({"messages": [], "now": "2026-08-15T12:34:56", "vars": )" + vars + "}",
                   {.clock = stopped_clock});
}

std::chrono::nanoseconds stopped_clock() {
  return {};
}

std::string end_within(const Limits& limits, std::string_view source) {
  const Block program = parse(source);
  Runtime runtime(limits, {}, {.clock = stopped_clock});
  try {
    Interpreter(runtime, {}).run(program);
  } catch (const ModelError& error) {
    return error.what();
  }
  return "";
}

std::string render(std::string_view source, const std::string& vars) {
  return render_prompt(source, vars).text;
}

std::string error_of(std::string_view source, const std::string& vars) {
  try {
    render(source, vars);
  } catch (const ModelError& error) {
    return error.what();
  }
  return "";
}

std::vector<std::string> typed_parts(std::string_view source, const std::string& typed) {
  const RenderedPrompt prompt =
      ChatTemplate(source, "<s>", "</s>").render({{"user", typed}}, false);
  std::vector<std::string> parts;
  for (const ContentSpan& span : prompt.content) {
    if (span.message != 0) continue;
    parts.push_back(prompt.text.substr(span.bytes.begin, span.bytes.end - span.bytes.begin));
  }
  return parts;
}

}  // namespace confab::engine::jinja
