// SPDX-License-Identifier: MIT
#include "app/cli/command_shape.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "app/cli/cli.h"

namespace confab::app {
namespace {

using testing::ElementsAre;

const CommandShape& command(const std::vector<CommandShape>& shapes, const std::string& words) {
  const auto found = std::ranges::find(shapes, words, &CommandShape::words);
  if (found == shapes.end()) throw std::runtime_error("no command " + words);
  return *found;
}

const OptionShape& option(const CommandShape& shape, const std::string& name) {
  const auto found = std::ranges::find_if(shape.options, [&](const OptionShape& o) {
    return std::ranges::find(o.names, name) != o.names.end();
  });
  if (found == shape.options.end()) throw std::runtime_error("no option " + name);
  return *found;
}

TEST(CommandShapeTest, IsWhatTheParserHas) {
  CLI::App app("About it.");
  std::string text, hidden;
  std::vector<std::string> files;
  bool flag = false;
  app.add_flag("-f,--flag", flag, "A flag");
  app.add_option("--format", text, "A format")->check(CLI::IsMember({"md", "json"}));
  app.add_option("-n", text, "A number")->check(CLI::Range(1, 9))->type_name("N");
  app.add_option("--hidden", hidden)->group("");
  app.add_option("ID|NAME", text, "");
  app.add_option("FILE", files, "");
  app.add_subcommand("below", "Below it.");
  std::vector<CommandShape> shapes;
  append_shapes(app, "one", shapes);
  ASSERT_EQ(shapes.size(), 2U);
  const CommandShape& one = shapes[0];
  EXPECT_EQ(one.words, "one");
  EXPECT_EQ(one.about, "About it.");
  ASSERT_EQ(one.options.size(), 4U);  // with --help
  EXPECT_THAT(one.options[1].names, ElementsAre("-f", "--flag"));
  EXPECT_EQ(one.options[1].help, "A flag");
  EXPECT_EQ(one.options[1].value.kind, ValueKind::none);
  EXPECT_EQ(one.options[2].value.kind, ValueKind::choice);
  EXPECT_THAT(one.options[2].value.choices, ElementsAre("md", "json"));
  EXPECT_EQ(one.options[3].value.kind, ValueKind::text);
  EXPECT_EQ(one.options[3].value.name, "N");
  ASSERT_EQ(one.values.size(), 2U);
  EXPECT_EQ(one.values[0].kind, ValueKind::conversation);
  EXPECT_EQ(one.values[1].kind, ValueKind::file);
  EXPECT_TRUE(one.last_repeats);
  EXPECT_EQ(shapes[1].words, "one below");
  EXPECT_EQ(shapes[1].last_word(), "below");
  EXPECT_TRUE(is_under(shapes[1], one));
  EXPECT_FALSE(is_under(one, shapes[1]));
}

TEST(CommandShapeTest, TheCommandLineHasItsKindsOfValues) {
  const std::vector<CommandShape> shapes = command_line_shapes();
  const CommandShape& chat = command(shapes, "");
  EXPECT_EQ(option(chat, "-m").value.kind, ValueKind::model);
  EXPECT_EQ(option(chat, "--theme").value.kind, ValueKind::theme);
  EXPECT_EQ(option(chat, "--resume").value.kind, ValueKind::conversation);
  EXPECT_EQ(option(chat, "--plain").value.kind, ValueKind::none);
  EXPECT_EQ(option(chat, "--temp").value.kind, ValueKind::text);
  EXPECT_THAT(option(chat, "-ctk").names, ElementsAre("--cache-type-k", "-ctk"));
  EXPECT_THAT(option(chat, "--cache-type-k").value.choices, testing::Contains("iq4_nl"));
  EXPECT_THAT(option(chat, "--expect").value.choices, testing::Contains("table"));
  EXPECT_THAT(option(chat, "--completion").value.choices, ElementsAre("bash", "zsh", "fish"));
  EXPECT_EQ(chat.values.at(0).kind, ValueKind::file);
  for (const char* one : {"rename", "pin", "unpin", "delete", "export"})
    EXPECT_EQ(command(shapes, one).values.at(0).kind, ValueKind::conversation) << one;
  const CommandShape& quantize = command(shapes, "quantize");
  EXPECT_EQ(quantize.values.at(1).kind, ValueKind::file);
  EXPECT_THAT(quantize.values.at(2).choices, testing::Contains("Q4_K_M"));
  EXPECT_EQ(option(command(shapes, "debug logits"), "--out").value.kind, ValueKind::file);
  for (const CommandShape& shape : shapes) {
    const std::vector<std::string>& names = option(shape, "--help").names;
    EXPECT_THAT(names, ElementsAre("-h", "--help")) << shape.words;
    for (const OptionShape& o : shape.options)
      EXPECT_FALSE(std::ranges::count(o.names, "--candidates")) << "is hidden";
  }
}

}  // namespace
}  // namespace confab::app
