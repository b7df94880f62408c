// SPDX-License-Identifier: MIT
#include "app/chat/welcome.h"

#include <gtest/gtest.h>

#include "ui/text.h"

namespace confab::app {
namespace {

TEST(WelcomeTest, FitsInSixShortLinesWhateverIsFound) {
  engine::ModelInfo model;
  model.name = std::string(200, 'm');
  const FoundModel found{"org/repo/" + std::string(90, 'x') + ".gguf", "/m/x.gguf", 3ULL << 30};
  for (const bool is_demo : {false, true})
    for (const auto& suggestion :
         {std::optional<Suggestion>(), std::optional(Suggestion{.room_bytes = 6ULL << 30}),
          std::optional(Suggestion{.model = found})}) {
      const auto lines = welcome(model, is_demo, suggestion);
      EXPECT_LE(lines.size(), 6U);
      for (std::size_t i = is_demo ? 0 : 1; i < lines.size(); ++i)
        EXPECT_LE(ui::width(lines[i]), ui::Cols{78}) << lines[i];
    }
}

TEST(WelcomeTest, IncognitoIsTold) {
  EXPECT_NE(welcome({}, false, {}, Keeping::incognito).back().find("nothing is saved here"),
            std::string::npos);
}

TEST(WayBackTest, NamesWhatWasSaidLast) {
  sessions::Store store = sessions::Store::in_memory();
  EXPECT_EQ(way_back(store), "");
  const sessions::NewMessage question{.role = sessions::Role::user, .content = "What is a fox?"};
  store.create_conversation({&question, 1});
  EXPECT_EQ(way_back(store), "confab -C continues \"What is a fox?\"");
}

TEST(WelcomeTest, TheDemoSaysThatItIsOneAndWhatElseThereIs) {
  const auto text = [](const Suggestion& suggestion) {
    std::string all;
    for (const std::string& line : welcome({}, true, suggestion)) all += line + '\n';
    return all;
  };
  EXPECT_NE(text({}).find("often wrong"), std::string::npos);
  EXPECT_NE(text({.room_bytes = 6ULL << 30}).find("files up to 6.0 GiB"), std::string::npos);
  const FoundModel found{"llama3.2:3b", "/m/blob", 2ULL << 30};
  EXPECT_NE(text({.model = found, .n_found = 1}).find("A real model: /model llama3.2:3b"),
            std::string::npos);
}

TEST(WelcomeTest, ThreeLinesSayWhatWasFoundWhatFitsAndWhatToType) {
  const auto lines_of = [](const Suggestion& suggestion) {
    const std::vector<std::string> lines = welcome({}, true, suggestion);
    return std::vector<std::string>(lines.begin() + 2, lines.begin() + 5);
  };
  using Lines = std::vector<std::string>;
  const ListedModel listed{"Qwen3.5 4B", "unsloth/Qwen3.5-4B-GGUF", 3ULL << 30, "small"};
  EXPECT_EQ(lines_of({.room_bytes = 6ULL << 30, .to_pull = listed}),
            (Lines{"On this disk: no model but the bundled one",
                   "What fits: files up to 6.0 GiB, such as Qwen3.5 4B (3.0 GiB)",
                   "A real model: /pull unsloth/Qwen3.5-4B-GGUF"}));
  EXPECT_EQ(lines_of({.n_too_large = 2, .room_bytes = 1ULL << 30, .n_found = 2}),
            (Lines{"On this disk: 2 models, too large for the memory that is free",
                   "What fits: files up to 1.0 GiB", "A real model: confab -m FILE.gguf"}));
  const FoundModel found{"llama3.2:3b", "/m/blob", 2ULL << 30};
  EXPECT_EQ(lines_of({.model = found, .room_bytes = 6ULL << 30, .n_found = 3}).front(),
            "On this disk: 3 models; llama3.2:3b (2.0 GiB) fits");
}

TEST(WelcomeTest, SaysWhereWordsGoThatLeaveThisMachine) {
  engine::ModelInfo model;
  model.name = "work/m";
  model.place = "10.0.0.7:8000";
  model.is_on_this_machine = false;
  EXPECT_EQ(welcome(model, false, {}).back(),
            "What you say is sent to 10.0.0.7:8000. confab -C continues the last conversation.");
  EXPECT_EQ(welcome(model, false, {}, Keeping::incognito).back(),
            "Incognito: nothing is saved here. What you say is sent to 10.0.0.7:8000.");
  model.is_on_this_machine = true;
  EXPECT_EQ(welcome(model, false, {}).back().find("Nothing leaves this machine."), 0U);
}

}  // namespace
}  // namespace confab::app
