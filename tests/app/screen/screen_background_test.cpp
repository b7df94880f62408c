// SPDX-License-Identifier: MIT
// What goes on beside the conversation on the screen.
#include <gmock/gmock.h>

#include "app/pump.h"
#include "tests/app/attach/slow_pdf.h"
#include "tests/app/hub_home.h"
#include "tests/app/screen/screen_fixture.h"
#include "tests/engine/remote/engine_server.h"

namespace confab::app {
namespace {

using engine::EngineServer;
using testing::HasSubstr;
using testing::Not;
using Code = ui::Key::Code;

class ScreenBackgroundTest : public ScreenFixture {
 protected:
  void await_download() {
    while (screen_.download_fd() >= 0) {
      wait_readable({screen_.download_fd()}, std::chrono::seconds(60));
      screen_.take_download();
    }
  }
  void await_engine() {
    while (screen_.engine_fd() >= 0) {
      wait_readable({screen_.engine_fd()}, std::chrono::seconds(60));
      screen_.take_engine();
    }
  }
};

TEST_F(ScreenBackgroundTest, ADownloadHasALineAndItsEndStaysUntilItIsRead) {
  HubHome at;
  at.hub.bytes_per_ms = 400;
  paths_.database = at.paths.database;
  submit("/pull org/name");
  EXPECT_THAT(text(), HasSubstr("↓ 0 % of org/name: asking which files there are"));
  submit("Hello?");
  answer("Hi.");
  EXPECT_THAT(text(), HasSubstr("Hi."));
  EXPECT_THAT(text(), HasSubstr("% of org/name"));
  await_download();
  EXPECT_THAT(text(12, 120), HasSubstr("Pulled m-Q4_K_M.gguf: 2.9 MiB, SHA-256 right"));
  EXPECT_THAT(text(12, 120), Not(HasSubstr("% of org/name")));
  wait(std::chrono::seconds(60));
  EXPECT_THAT(text(12, 120), HasSubstr("/model m-Q4_K_M.gguf switches to it."));
  press(Code::escape);
  EXPECT_THAT(text(12, 120), Not(HasSubstr("switches to it")));
}

TEST_F(ScreenBackgroundTest, CopyingHasALineWhileItGoesOn) {
  screen_.tell_held_up("copying the weights to the graphics processor: 45 %");
  EXPECT_TRUE(screen_.changed());
  EXPECT_THAT(text(12, 120),
              HasSubstr("⋯ copying the weights to the graphics processor: 45 % · Esc stop"));
  screen_.tell_held_up("");
  EXPECT_THAT(text(12, 120), Not(HasSubstr("copying")));
}

TEST_F(ScreenBackgroundTest, AFileThatTakesLongHoldsUpNobodyWhoLeavesIt) {
  const SlowPdf slow(home_);
  std::string seen;
  host_.held_up = [&] {
    seen = text(12, 120);
    return true;
  };
  submit("What is in @" + slow.path + "?");
  EXPECT_THAT(seen, HasSubstr("⋯ reading " + slow.path));
  EXPECT_THAT(seen, HasSubstr(" · Esc stop"));
  EXPECT_THAT(text(12, 120), HasSubstr("slow.pdf?: stopped, not read"));
  EXPECT_THAT(text(12, 120), Not(HasSubstr("reading")));
  EXPECT_THAT(text(12, 120), HasSubstr("What is in @")) << "back in the input";
  EXPECT_FALSE(screen_.generating());
}

TEST_F(ScreenBackgroundTest, WhoLeavesADownloadIsToldHowItGoesOn) {
  HubHome at;
  at.hub.bytes_per_ms = 1;
  paths_.database = at.paths.database;
  submit("/pull org/name");
  EXPECT_EQ(screen_.farewell(),
            "The download of org/name is not whole; confab pull org/name goes on with it.");
}

TEST_F(ScreenBackgroundTest, AnEngineIsWaitedForWhileTheChatGoesOn) {
  std::atomic<bool> answers = false;
  const LoopbackServer server([&](const LoopbackRequest& request, LoopbackServer::Connection& to) {
    while (!answers)
      if (!to.wait(std::chrono::milliseconds(5))) return;
    const auto pages = engine::vllm_pages();
    const auto page = pages.find(request.path);
    to.reply(page == pages.end() ? 404 : 200, page == pages.end() ? "{}" : page->second);
  });
  submit("/model " + server.url());
  EXPECT_THAT(text(), HasSubstr("⋯ waiting for 127.0.0.1:"));
  wait(std::chrono::seconds(3));
  EXPECT_THAT(text(), HasSubstr("3 s · Esc stop"));
  submit("Hello?");
  EXPECT_THAT(text(), HasSubstr("⋯ waiting: Hello?"));
  EXPECT_TRUE(model().requests.empty());
  type("a draft");
  EXPECT_THAT(text(), HasSubstr("a draft"));
  answers = true;
  await_engine();
  EXPECT_THAT(backend_.model->info().name, HasSubstr("/org/model"));
  EXPECT_THAT(text(), Not(HasSubstr("waiting")));
  EXPECT_THAT(text(), HasSubstr("Hello?")) << "it is asked now";
  EXPECT_TRUE(screen_.generating());
}

TEST_F(ScreenBackgroundTest, EscapeStopsWaitingAndAllIsAsItWas) {
  const LoopbackServer silent([](const LoopbackRequest&, LoopbackServer::Connection& to) {
    to.wait(std::chrono::seconds(60));
  });
  submit("/model " + silent.url());
  submit("Hello?");
  press(Code::escape);
  await_engine();
  EXPECT_THAT(text(), HasSubstr("not waited for"));
  EXPECT_THAT(text(), Not(HasSubstr("⋯ waiting")));
  ASSERT_EQ(model().requests.size(), 1U) << "what waited is asked of the model that there is";
  answer("Hi.");
  EXPECT_THAT(text(), HasSubstr("Hi."));
}

}  // namespace
}  // namespace confab::app
