// SPDX-License-Identifier: MIT
#include "app/tools/cache_command.h"

#include <gmock/gmock.h>
#include <poll.h>
#include <sys/file.h>

#include <array>
#include <nlohmann/json.hpp>
#include <sstream>

#include "app/error.h"
#include "app/transfer/forget_cache.h"
#include "sessions/conversations/store.h"
#include "tests/app/program.h"
#include "tests/engine/tiny_model.h"
#include "tests/sessions/blocks/kv_fixture.h"

namespace confab::app {
namespace {

using nlohmann::json;
using sessions::ids;
using sessions::kTestBlock;
using testing::HasSubstr;

class CacheCommandTest : public sessions::KvFixture {
 protected:
  std::string run(CacheOptions options, int status = 0) const {
    std::ostringstream out;
    EXPECT_EQ(run_cache(options, paths(), out), status) << out.str();
    return out.str();
  }
  Paths paths() const {
    Paths out;
    out.database = dir / "data/confab.db";
    out.kv = dir / "kv";
    return out;
  }
  std::int64_t begin_conversation(const std::string& title) const {
    sessions::Store database(paths().database);
    const sessions::NewMessage question{.content = "What?"};
    return static_cast<std::int64_t>(
        database.create_conversation(std::span(&question, 1), title).conversation);
  }
  // Keeps one block of a conversation, and finds it.
  void keep_for(std::int64_t origin, int first) {
    store->set_origin(origin);
    keep(ids(kTestBlock, first));
    n_found(ids(kTestBlock, first));
    store->record(kTestBlock, kTestBlock, 0, 0);
    flush();
  }
};

TEST_F(CacheCommandTest, ListsConversationsByTheirTitles) {
  const std::int64_t id = begin_conversation("Prime numbers");
  keep_for(id, 0);
  EXPECT_THAT(run({}), HasSubstr(std::to_string(id) + "  Prime numbers\n"));
  EXPECT_THAT(run({.prefixes = true}), HasSubstr("model and blocks"));
  const json all = json::parse(run({.json = true}));
  EXPECT_EQ(all.at("conversations").at(0).at("title"), "Prime numbers");
  EXPECT_EQ(all.at("conversations").at(0).at("tokens"), kTestBlock);
  EXPECT_GT(all.at("max_bytes"), 0);
  EXPECT_EQ(json::parse(run({.json = true, .max_bytes = 5})).at("max_bytes"), 5);
}

TEST_F(CacheCommandTest, ListsWithoutTitlesWhereTheDatabaseIsBroken) {
  keep_for(5, 0);
  dir.file("data/confab.db", std::string(5000, 'x'));
  EXPECT_THAT(run({}), HasSubstr("  5  \n"));
}

TEST_F(CacheCommandTest, WithoutACacheNoneIsMade) {
  store.reset();
  std::filesystem::remove_all(dir / "kv");
  for (const auto command :
       {CacheCommand::list, CacheCommand::clear, CacheCommand::gc, CacheCommand::verify})
    EXPECT_THAT(run({.command = command}), HasSubstr("nothing cached yet"));
  EXPECT_EQ(json::parse(run({.json = true})).at("files"), 0);
  EXPECT_FALSE(std::filesystem::exists(dir / "kv"));
}

TEST_F(CacheCommandTest, ClearsWhileAProgramUsesIt) {
  keep(ids(2 * kTestBlock));
  EXPECT_THAT(run({.command = CacheCommand::clear}), testing::ContainsRegex("removed [23] files"));
  EXPECT_EQ(files().size(), 0U);
  keep(ids(2 * kTestBlock));
  EXPECT_EQ(n_found(ids(2 * kTestBlock)), 2 * kTestBlock);
}

// Every command again and again in another process: found blocks are right all the same (n_found()
// compares their bytes), and what is kept is found once that has ended.
TEST_F(CacheCommandTest, CommandsCostOtherProgramsTimeOnly) {
  std::array<int, 2> until{};
  ASSERT_EQ(::pipe(until.data()), 0);
  const pid_t child = sessions::fork_child([&] {
    ::close(until[1]);
    const auto ended = [&] {
      pollfd fd{until[0], POLLIN, 0};
      return ::poll(&fd, 1, 0) != 0;
    };
    std::ostringstream out;
    for (std::int64_t round = 0; !ended(); ++round) {
      for (const auto command :
           {CacheCommand::verify, CacheCommand::gc, CacheCommand::list, CacheCommand::clear}) {
        if (run_cache({.command = command, .max_bytes = 1 << 20}, paths(), out) != 0) return false;
      }
      forget_conversation_cache(paths().kv, round % 3);
    }
    return true;
  });
  ::close(until[0]);
  int n = 0;
  for (int round = 0; round < 30; ++round) {
    store->set_origin(round % 3);
    const sessions::Ids tokens = ids(3 * kTestBlock, 1000 * round);
    keep(tokens);
    n += n_found(tokens) / kTestBlock;
    store->record(3 * kTestBlock, n, 0, 0);
  }
  ::close(until[1]);
  EXPECT_EQ(sessions::wait_for(child), 0);
  EXPECT_EQ(store->stats().saving_off, "");
  EXPECT_EQ(store->stats().blocks_damaged, 0U);
  const sessions::Ids tokens = ids(3 * kTestBlock, 1000000);
  keep(tokens);
  EXPECT_EQ(n_found(tokens), 3 * kTestBlock);
  RecordProperty("blocks_found", n);
}

TEST_F(CacheCommandTest, CollectingSaysWhatItDid) {
  const std::int64_t id = begin_conversation("here");
  keep_for(id, 0);
  keep_for(id + 1, 1000);  // has been deleted
  dir.file("kv/v0/block", "old");
  const std::string said = run({.command = CacheCommand::gc});
  EXPECT_THAT(said, HasSubstr("removed 1 block (")) << said;
  EXPECT_THAT(said, HasSubstr("of deleted conversations\n"));
  EXPECT_THAT(said,
              HasSubstr("removed 1 file (3 B) of other versions or left behind by a crash\n"));
  EXPECT_THAT(said, HasSubstr(" left of at most "));
  EXPECT_EQ(n_found(ids(kTestBlock)), kTestBlock);
  EXPECT_EQ(files().size(), 1U);
  EXPECT_THAT(run({.command = CacheCommand::gc, .max_bytes = 10}),
              HasSubstr("KiB left of at most 10 B"))
      << "the store uses it";
  store.reset();
  EXPECT_THAT(run({.command = CacheCommand::gc, .max_bytes = 10}),
              HasSubstr("least recently used, over the size limit\n0 B left"));
  EXPECT_EQ(files().size(), 0U);
}

TEST_F(CacheCommandTest, WithoutADatabaseNoConversationCountsAsDeleted) {
  keep_for(3, 0);
  run({.command = CacheCommand::gc});
  EXPECT_EQ(files().size(), 1U);
}

TEST_F(CacheCommandTest, TwoDoNotCollectAtOnce) {
  keep_for(3, 0);
  const int fd = ::open((dir / "kv/gc.lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  ASSERT_EQ(::flock(fd, LOCK_EX), 0);
  EXPECT_THROW(run({.command = CacheCommand::gc}), UserError);
  ::close(fd);
}

TEST_F(CacheCommandTest, VerifyingRemovesTheDamagedAndFails) {
  keep(ids(2 * kTestBlock));
  EXPECT_THAT(run({.command = CacheCommand::verify}), testing::StartsWith("2 blocks ("));
  std::filesystem::resize_file(files()[0], 5000);
  EXPECT_THAT(run({.command = CacheCommand::verify}, 1),
              HasSubstr("good, 1 block (4.9 KiB) damaged and removed\n"));
  EXPECT_EQ(files().size(), 1U);
  EXPECT_THAT(run({.command = CacheCommand::verify}), testing::StartsWith("1 block ("));
}

TEST_F(CacheCommandTest, TheConfigurationSetsTheBudget) {
  const TempDir home;
  const engine::TinyModelFile model;
  const auto ask = [&] {
    const RunResult result = run_program(
        home, {"-m", model.path(), "-p", std::string(200, 'a'), "-n", "3", "--ignore-eos"});
    EXPECT_EQ(result.status, 6) << result.err;
    return json::parse(run_program(home, {"cache", "--json"}).out);
  };
  EXPECT_GT(ask().at("files"), 0);
  home.file(".config/confab/config.toml", "cache_max_gib = 0\n");
  EXPECT_THAT(run_program(home, {"cache", "gc"}).out, HasSubstr("\n0 B left of at most 0 B;"));
  const json all = ask();
  EXPECT_EQ(all.at("max_bytes"), 0);
  EXPECT_EQ(all.at("files"), 0);
  EXPECT_GT(all.at("misses"), 0);
}

TEST_F(CacheCommandTest, IsACommandOfTheProgram) {
  const TempDir home;
  RunResult result = run_program(home, {"cache"});
  EXPECT_EQ(result.status, 0);
  EXPECT_THAT(result.out, HasSubstr("nothing cached yet"));
  keep(ids(kTestBlock));
  std::filesystem::create_directories(home / ".cache/confab");
  std::filesystem::rename(dir / "kv", home / ".cache/confab/kv");
  result = run_program(home, {"cache", "verify"});
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.err, "") << "progress is for terminals";
}

}  // namespace
}  // namespace confab::app
