// SPDX-License-Identifier: MIT
#include "app/line/plain_chat.h"

#include <gmock/gmock.h>

#include "app/chat/backend.h"
#include "app/pump.h"
#include "tests/app/commands/command_fixture.h"
#include "tests/app/hub_home.h"
#include "tests/app/program.h"
#include "tests/engine/remote/engine_server.h"

namespace confab::app {
namespace {

using std::chrono::seconds;
using testing::HasSubstr;

class BackgroundTest : public CommandFixture {
 protected:
  BackgroundTest() {
    backend_.model = std::make_unique<FakeModel>();
    context_.backend = &backend_;
  }
  const WaitBeside wait_ = [](int fd) {
    wait_readable({fd}, seconds(60));
    return true;
  };
  Backend backend_;
};

TEST_F(BackgroundTest, AWatchTellsEachQuarterAndTheEnd) {
  HubHome at;
  at.hub.bytes_per_ms = 600;
  context_.paths = &at.paths;
  const ui::PlainReader::Watch watch = download_watch(context_);
  EXPECT_LT(watch.fd(), 0);
  run("/pull org/name");
  std::size_t n_looks = 0;
  const std::size_t n_before = console_.notices.size();
  for (; watch.fd() >= 0; ++n_looks) {
    wait_readable({watch.fd()}, seconds(60));
    if (watch.has_news()) watch.tell();
  }
  EXPECT_LE(console_.notices.size() - n_before, 5U) << "of " << n_looks;
  EXPECT_THAT(last_notice(), HasSubstr("switches to it"));
}

TEST_F(BackgroundTest, AnEngineThatTakesItsTimeIsTold) {
  std::atomic<int> n = 0;
  const LoopbackServer server([&](const LoopbackRequest& request, LoopbackServer::Connection& to) {
    if (request.path != "/v1/models") return void(to.reply(404, "{}"));
    if (n++ == 0)
      to.reply(503, R"({"error":{"message":"Loading model"}})");
    else
      to.reply(200, engine::vllm_pages().at("/v1/models"));
  });
  run("/model " + server.url());
  await_model(context_, wait_);
  ASSERT_EQ(console_.notices.size(), 2U);
  EXPECT_THAT(console_.notices[0], HasSubstr("is not ready: Loading model"));
  EXPECT_THAT(console_.notices[0], HasSubstr("; Ctrl+C stops that"));
  EXPECT_THAT(console_.notices[1], HasSubstr("/org/model."));
}

TEST_F(BackgroundTest, AChatThatEndsWaitsForNoEngine) {
  const LoopbackServer silent(
      [](const LoopbackRequest&, LoopbackServer::Connection& to) { to.wait(seconds(60)); });
  run("/model " + silent.url());
  await_model(context_, [](int) { return false; });
  EXPECT_FALSE(backend_.awaited);
  EXPECT_THAT(last_error(), HasSubstr("not waited for"));
}

// In a pipe the next line is there already: it is waited for.
TEST(BackgroundProgramTest, AScriptPullsAndIsToldHowItEnded) {
  FakeHub hub;
  const std::string content = random_bytes(1'000'000, 7);
  hub.files["m-Q8_0.gguf"] = {content, sum_of(content)};
  const TempDir home;
  const RunResult result =
      run_program(home, {"-n", "4", "-t", "1"}, "/pull org/name\n", {"HF_ENDPOINT=" + hub.url()});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("Pulled m-Q8_0.gguf"));
  EXPECT_EQ(read_file(home / ".cache/huggingface/hub/models--org--name/snapshots" /
                      FakeHub::kCommit / "m-Q8_0.gguf"),
            content);
}

}  // namespace
}  // namespace confab::app
