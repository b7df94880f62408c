// SPDX-License-Identifier: MIT
#include "app/chat/welcome.h"

#include <gtest/gtest.h>

#include "ui/text.h"

namespace confab::app {
namespace {

TEST(WelcomeTest, FitsInFiveShortLinesWhateverIsFound) {
  engine::ModelInfo model;
  model.name = std::string(200, 'm');
  const FoundModel found{"org/repo/" + std::string(90, 'x') + ".gguf", "/m/x.gguf", 3ULL << 30};
  for (const bool is_demo : {false, true})
    for (const auto& suggestion :
         {std::optional<Suggestion>(), std::optional(Suggestion{.room_bytes = 6ULL << 30}),
          std::optional(Suggestion{.model = found})}) {
      const auto lines = welcome(model, is_demo, suggestion);
      EXPECT_LE(lines.size(), 5U);
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
  EXPECT_NE(text({.room_bytes = 6ULL << 30}).find("up to 6.0 GiB fit"), std::string::npos);
  const FoundModel found{"llama3.2:3b", "/m/blob", 2ULL << 30};
  EXPECT_NE(text({.model = found}).find("/model llama3.2:3b (2.0 GiB)"), std::string::npos);
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
