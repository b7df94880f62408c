// SPDX-License-Identifier: MIT
#include "app/tools/models_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

namespace confab::app {
namespace {

using testing::HasSubstr;
using testing::Not;

std::vector<ModelRow> rows() {
  ModelFacts facts{.summary = {.title = "Llama",
                               .family = "llama",
                               .type = "Q4_K_M",
                               .n_parameters = 3'200'000'000,
                               .n_layers = 28,
                               .n_ctx = 131072,
                               .has_template = true},
                   .fit = Fit::whole,
                   .n_ctx = 8192,
                   .needed_bytes = 3'000'000'000,
                   .bytes_per_token = 2e9};
  const FoundModel llama{.name = "llama3.2:3b",
                         .path = "/o/blobs/sha256-1",
                         .bytes = 2'000'000'000,
                         .store = Store::ollama,
                         .also = {"llama3.2:latest"},
                         .drafts = {{"llama3.2:3b draft", "/o/blobs/sha256-2"}}};
  const FoundModel broken{.name = "bro\x1b[31mken\n.gguf", .path = "/m/broken.gguf", .bytes = 3};
  return {{llama, facts, true}, {broken, {.fault = "/m/broken.gguf: is cut off"}}};
}

std::string table(int width) {
  std::ostringstream out;
  print_models(rows(), 20, ui::Cols{width}, out);
  return out.str();
}

TEST(ModelsTableTest, HasALineForEachModelWhereItIsNotForATerminal) {
  EXPECT_EQ(
      table(0),
      "  NAME               FAMILY  PARAMS  TYPE       SIZE  CONTEXT  FITS        TOK/S  "
      "FROM     FILE\n"
      "* llama3.2:3b        llama     3.2B  Q4_K_M  1.9 GiB  131,072  yes            10  "
      "Ollama   /o/blobs/sha256-1\n"
      "  bro\u241b[31mken .gguf                              3 B           cannot run         "
      "bundled  /m/broken.gguf\n");
}

TEST(ModelsTableTest, ATerminalShowsOtherNamesAndDraftsToo) {
  EXPECT_THAT(table(200), HasSubstr("\n    also llama3.2:latest\n    draft llama3.2:3b draft\n"));
}

TEST(ModelsTableTest, NarrowTerminalsShowTheMostUseful) {
  for (const int width : {20, 30, 40, 60, 80, 100}) {
    std::istringstream lines(table(width));
    for (std::string line; std::getline(lines, line);)
      if (width >= 40) {
        EXPECT_LE(ui::width(line).value, width) << line;
      }
  }
  EXPECT_THAT(table(80), HasSubstr("TOK/S"));
  EXPECT_THAT(table(80), Not(HasSubstr("FILE")));
  EXPECT_THAT(table(40), HasSubstr("FITS"));
  EXPECT_THAT(table(40), Not(HasSubstr("FAMILY")));
}

TEST(ModelsTableTest, JsonHasTheFiguresThemselves) {
  std::ostringstream out;
  print_models_json(rows(), 20, out);
  const auto all = nlohmann::json::parse(out.str());
  EXPECT_EQ(all["read_gbs"], 20);
  const auto& llama = all["models"][0];
  EXPECT_EQ(llama["name"], "llama3.2:3b");
  EXPECT_EQ(llama["also"][0], "llama3.2:latest");
  EXPECT_EQ(llama["default"], true);
  EXPECT_EQ(llama["family"], "llama");
  EXPECT_EQ(llama["parameters"], 3'200'000'000);
  EXPECT_EQ(llama["type"], "Q4_K_M");
  EXPECT_EQ(llama["bytes"], 2'000'000'000);
  EXPECT_EQ(llama["n_ctx_train"], 131072);
  EXPECT_EQ(llama["fits"], "whole");
  EXPECT_EQ(llama["n_ctx"], 8192);
  EXPECT_EQ(llama["tokens_per_second"], 10);
  EXPECT_EQ(llama["from"], "Ollama");
  EXPECT_EQ(llama["path"], "/o/blobs/sha256-1");
  EXPECT_EQ(llama["drafts"][0]["path"], "/o/blobs/sha256-2");
  EXPECT_EQ(llama["fault"], nullptr);
  const auto& broken = all["models"][1];
  EXPECT_EQ(broken["fault"], "/m/broken.gguf: is cut off");
  for (const char* key : {"family", "parameters", "fits", "n_ctx", "tokens_per_second"})
    EXPECT_EQ(broken[key], nullptr) << key;
}

}  // namespace
}  // namespace confab::app
