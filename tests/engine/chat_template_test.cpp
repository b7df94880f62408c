// SPDX-License-Identifier: MIT
#include "engine/chat_template.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>

#include "engine/error.h"

namespace confab::engine {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

std::string read_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  EXPECT_TRUE(in) << path;
  return {std::istreambuf_iterator<char>(in), {}};
}

fs::path fixtures() {
  const char* chosen = std::getenv("CONFAB_FIXTURES");
  return chosen != nullptr ? fs::path(chosen)
                           : fs::path(CONFAB_SOURCE_DIR) / ".." / "shared" / "fixtures";
}

// Every template of the fixtures, with every conversation in every setting.
class GoldenTemplates : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fixtures() / "templates";
    if (!fs::exists(folder_)) GTEST_SKIP() << "no fixtures at " << folder_;
    shared_ = ordered_json::parse(read_file(folder_ / "_conversations.json"));
  }

  ordered_json request(const ordered_json& golden, const ordered_json& entry) const {
    ordered_json made;
    made["messages"] = shared_["conversations"][entry["conversation"].get<std::string>()];
    if (entry["tools"].get<bool>()) {
      made["tools"] = shared_["tools"];
    } else if (!entry.value("tools_undefined", false)) {
      made["tools"] = nullptr;
    }
    made["add_generation_prompt"] = entry["add_generation_prompt"];
    made["vars"] = golden["extra_vars"];
    made["vars"].update(entry["kwargs"]);
    made["now"] = shared_["now"];
    return made;
  }

  void check(const ChatTemplate& chat_template, const ordered_json& golden,
             const ordered_json& entry) {
    SCOPED_TRACE(entry["conversation"].get<std::string>() + " tools " + entry["tools"].dump() +
                 " kwargs " + entry["kwargs"].dump());
    const std::string body = request(golden, entry).dump();
    std::string got;
    std::string error;
    try {
      got = chat_template.render_json(body).text;
    } catch (const ModelError& e) {
      error = e.what();
    }
    if (entry.contains("expected")) {
      EXPECT_EQ(error, "");
      EXPECT_EQ(got, entry["expected"].get<std::string>());
    } else if (entry["error_type"] == "TemplateError") {
      EXPECT_TRUE(error.ends_with(entry["error"].get<std::string>())) << error;
    }
    ++n_checked_;
  }

  fs::path folder_;
  ordered_json shared_;
  int n_checked_ = 0;
};

TEST_F(GoldenTemplates, RenderByteForByte) {
  for (const auto& file : fs::directory_iterator(folder_)) {
    if (file.path().extension() != ".jinja") continue;
    SCOPED_TRACE(file.path().filename().string());
    const auto golden =
        ordered_json::parse(read_file(fs::path(file.path()).replace_extension(".json")));
    const ChatTemplate chat_template(read_file(file.path()), golden["bos_token"].get<std::string>(),
                                     golden["eos_token"].get<std::string>());
    const int before = n_checked_;
    for (const auto& entry : golden["cases"]) check(chat_template, golden, entry);
    RecordProperty(file.path().stem().string(), n_checked_ - before);
  }
  RecordProperty("renderings", n_checked_);
  EXPECT_GT(n_checked_, 0);
}

}  // namespace
}  // namespace confab::engine
