// SPDX-License-Identifier: MIT
// The promise of sessions/conversations/store.h, that what has been written survives, under kill
// -9, several writers, full disks and damaged files.
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/resource.h>

#include <chrono>
#include <functional>
#include <random>

#include "sessions/conversations/catalog.h"
#include "sessions/conversations/sql.h"
#include "sessions/conversations/store.h"
#include "sessions/error.h"
#include "tests/sessions/processes.h"

namespace confab::sessions {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

NewMessage user(std::string content) {
  return {.role = Role::user, .content = std::move(content)};
}

std::string integrity(const std::filesystem::path& path) {
  Database db(path);
  Statement check(db, "PRAGMA integrity_check");
  return check.step() ? check.bytes(0) : "no answer";
}

// Appends without end; writes the id of each message to the pipe once it has been stored.
bool append_for_ever(const std::filesystem::path& path, int round, int ack_fd) {
  Store store(path);
  auto head = store.create_conversation({{user("round " + std::to_string(round))}});
  for (int i = 0;; ++i) {
    const std::string text =
        std::to_string(round) + "/" + std::to_string(i) + std::string(3000, 'x');
    NewMessage message = user(i % 3 == 0 ? "" : text);
    if (i % 3 == 0) message.state = MessageState::draft;
    head = store.append_message(head.conversation, head.message, message);
    if (i % 3 == 0) store.update_draft(head.message, {text, "", {&i, 1}});
    if (::write(ack_fd, &head.message, sizeof head.message) != sizeof head.message) return false;
  }
}

// What the child acknowledged until it was killed, a random while after its n-th message.
std::vector<MessageId> kill_after(pid_t child, int ack_fd, int n, std::chrono::microseconds more) {
  std::vector<MessageId> acked;
  MessageId id{};
  const auto next = [&] { return ::read(ack_fd, &id, sizeof id) == sizeof id; };
  while (static_cast<int>(acked.size()) < n && next()) acked.push_back(id);
  const auto end = std::chrono::steady_clock::now() + more;
  while (std::chrono::steady_clock::now() < end) {
  }
  ::kill(child, SIGKILL);
  while (next()) acked.push_back(id);
  EXPECT_EQ(wait_for(child), -SIGKILL);
  return acked;
}

TEST(StoreFaultsTest, WhatWasAcknowledgedSurvivesKill9) {
  const TempDir dir;
  const auto seed = std::random_device{}();
  std::mt19937 rng(seed);
  std::size_t n_acked = 0;
  for (int round = 0; round < 30; ++round) {
    SCOPED_TRACE("seed " + std::to_string(seed) + ", round " + std::to_string(round));
    int fds[2];
    ASSERT_EQ(::pipe2(fds, O_CLOEXEC), 0);
    const pid_t child = fork_child([&] {
      ::close(fds[0]);
      return append_for_ever(dir / "x.db", round, fds[1]);
    });
    ::close(fds[1]);
    const auto acked = kill_after(child, fds[0], 1 + static_cast<int>(rng() % 6),
                                  std::chrono::microseconds(rng() % 4000));
    ::close(fds[0]);
    n_acked += acked.size();
    ASSERT_EQ(integrity(dir / "x.db"), "ok");
    const auto path = Store(dir / "x.db").messages_to(acked.back());
    ASSERT_EQ(path.size(), acked.size() + 1);
    for (std::size_t i = 0; i < acked.size(); ++i) {
      EXPECT_EQ(path[i + 1].id, acked[i]);
      const std::string want = std::to_string(round) + "/" + std::to_string(i) + "x";
      EXPECT_EQ(path[i + 1].content.substr(0, want.size()), want);
      EXPECT_GT(path[i + 1].content.size(), 3000u);
    }
  }
  RecordProperty("acknowledged", static_cast<int>(n_acked));
  EXPECT_EQ(Store(dir / "x.db").list().size(), 30u);
}

TEST(StoreFaultsTest, ProcessesThatAppendAtOnceLoseNothing) {
  const TempDir dir;
  const auto root = Store(dir / "x.db").create_conversation({{user("root")}});
  constexpr int kProcesses = 3;
  constexpr int kMessages = 40;
  std::vector<pid_t> children;
  for (int p = 0; p < kProcesses; ++p) {
    children.push_back(fork_child([&] {
      Store store(dir / "x.db");
      auto last = root;
      for (int i = 0; i < kMessages; ++i) {
        last = store.append_message(root.conversation, last.message,
                                    user(std::to_string(p) + "/" + std::to_string(i)));
      }
      return store.messages_to(last.message).size() == kMessages + 1;
    }));
  }
  for (const pid_t child : children) EXPECT_EQ(wait_for(child), 0);
  Store store(dir / "x.db");
  EXPECT_EQ(store.conversation(root.conversation)->n_messages, kProcesses * kMessages + 1);
  EXPECT_EQ(store.messages(root.conversation).size(), kMessages + 1u);
  EXPECT_EQ(integrity(dir / "x.db"), "ok");
}

TEST(StoreFaultsTest, ProcessesThatOpenANewDatabaseAtOnceAgree) {
  const TempDir dir;
  for (int round = 0; round < 5; ++round) {
    const auto path = dir.path() / std::to_string(round) / "x.db";
    std::vector<pid_t> children;
    for (int p = 0; p < 4; ++p) {
      children.push_back(fork_child([&] {
        Store(path).create_conversation({{user("q")}});
        return true;
      }));
    }
    for (const pid_t child : children) EXPECT_EQ(wait_for(child), 0);
    EXPECT_EQ(Store(path).list().size(), 4u);
  }
}

// Appends until that fails, which it must, and checks that all before is there.
bool fills_the_disk_and_survives(const std::filesystem::path& path, const char* expected,
                                 const std::function<void()>& make_room) {
  Store store(path);
  auto head = store.create_conversation({{user("first")}});
  std::size_t n = 1;
  std::string error;
  for (; n < 1000 && error.empty(); ++n) {
    try {
      head = store.append_message(head.conversation, head.message, user(std::string(10000, 'y')));
    } catch (const StoreError& e) {
      error = e.what();
    }
  }
  --n;
  const bool all_there = store.messages(head.conversation).size() == n && n > 3;
  const bool said_so = error.find(path.string() + ": ") == 0 &&
                       error.find(expected) != std::string::npos &&
                       error.find('\n') == std::string::npos;
  if (!said_so) fprintf(stderr, "message: %s\n", error.c_str());
  make_room();
  store.append_message(head.conversation, head.message, user("more"));
  return all_there && said_so && Store(path).messages(head.conversation).size() == n + 1 &&
         integrity(path) == "ok";
}

TEST(StoreFaultsTest, AFullDiskLosesNothing) {
  const TempDir dir;
  constexpr int kNotAllowed = 77;
  const int status = wait_for(fork_child([&] {
    if (!mount_small_file_system(dir.path(), 512 * 1024)) ::_exit(kNotAllowed);
    write_file(dir / "ballast", std::string(128 * 1024, 'b'));
    return fills_the_disk_and_survives(dir / "x.db", "disk is full",
                                       [&] { std::filesystem::remove(dir / "ballast"); });
  }));
  if (status == kNotAllowed) GTEST_SKIP() << "mounting a file system is not allowed here";
  EXPECT_EQ(status, 0);
}

TEST(StoreFaultsTest, AFileSizeLimitLosesNothing) {
  const TempDir dir;
  const pid_t child = fork_child([&] {
    ::signal(SIGXFSZ, SIG_IGN);
    rlimit limit{};
    ::getrlimit(RLIMIT_FSIZE, &limit);
    limit.rlim_cur = 256 * 1024;
    ::setrlimit(RLIMIT_FSIZE, &limit);
    return fills_the_disk_and_survives(dir / "x.db", "disk I/O error", [&] {
      limit.rlim_cur = limit.rlim_max;
      ::setrlimit(RLIMIT_FSIZE, &limit);
    });
  });
  EXPECT_EQ(wait_for(child), 0);
}

TEST(StoreFaultsTest, ALockIsWaitedForAsLongAsAsked) {
  const TempDir dir;
  Store store(dir / "x.db", {.patience = std::chrono::milliseconds(30)});
  const Appended made = store.create_conversation({{user("hello")}});
  Database other(dir / "x.db");
  const auto begun = std::chrono::steady_clock::now();
  {
    const Transaction writing(other);
    try {
      store.rename(made.conversation, "x");
      ADD_FAILURE();
    } catch (const StoreError& fault) {
      EXPECT_EQ(fault.code(), StoreError::Code::locked);
    }
    EXPECT_EQ(store.list().size(), 1U) << "reading is not locked out";
  }
  EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(2));
  store.rename(made.conversation, "x");
}

TEST(StoreFaultsTest, ADatabaseThatIsLockedAtFirstIsOpenedLater) {
  const TempDir dir;
  Store(dir / "x.db").create_conversation({{user("hello")}});
  Database other(dir / "x.db");
  other.run_script("BEGIN EXCLUSIVE");  // readers must wait too
  const std::chrono::milliseconds soon(20);
  EXPECT_THROW(Store(dir / "x.db", {.patience = soon}), StoreError);
  Store store(dir / "x.db", {.patience = soon, .may_open_later = true});
  EXPECT_EQ(store.read_only_reason(), "");
  EXPECT_THROW(store.list(), StoreError);
  EXPECT_THROW(store.create_conversation({{user("hello")}}), StoreError);
  other.run_script("ROLLBACK");
  store.create_conversation({{user("hello")}});
  EXPECT_EQ(store.list().size(), 2U);
}

TEST(StoreFaultsTest, ReadOnlyByWishWritesAndCreatesNothing) {
  const TempDir dir;
  const StoreOptions reading{.read_only_reason = "incognito"};
  EXPECT_TRUE(Store(dir / "none/x.db", reading).list().empty());
  EXPECT_FALSE(std::filesystem::exists(dir / "none"));
  Store(dir / "x.db").create_conversation({{user("hello")}});
  const std::string before = read_file(dir / "x.db");
  Store store(dir / "x.db", reading);
  EXPECT_EQ(store.list().size(), 1U);
  EXPECT_FALSE(store.forget_more());
  EXPECT_THAT([&] { store.create_conversation({{user("hello")}}); },
              ThrowsMessage<StoreError>(HasSubstr("incognito")));
  Database(dir / "old.db")
      .run_script("PRAGMA application_id = 0x636e6662; PRAGMA user_version = 3");
  EXPECT_THAT([&] { Store(dir / "old.db", reading); },
              ThrowsMessage<StoreError>(HasSubstr("older confab")));
  EXPECT_EQ(read_file(dir / "x.db"), before);
}

TEST(StoreFaultsTest, ADamagedFileIsNamedAndLeftUntouched) {
  const TempDir dir;
  for (int i = 0; i < 10; ++i) {
    Store(dir / "x.db").create_conversation({{user(std::string(5000, 'z'))}});
  }
  const std::string good = read_file(dir / "x.db");
  const std::vector<std::string> bad{
      "not a database at all, but some text that is longer than its header would be" +
          std::string(100, '.'),
      std::string(good.size(), '\0').replace(0, 16, good.substr(0, 16)),
      good.substr(0, 2000),
      std::string(good).replace(100, 3000, std::string(3000, '\xaa')),
  };
  for (std::size_t i = 0; i < bad.size(); ++i) {
    std::filesystem::remove(dir / "x.db-journal");
    write_file(dir / "x.db", bad[i]);
    EXPECT_THAT([&] { Store(dir / "x.db").list(); },
                ThrowsMessage<StoreError>(testing::AllOf(
                    HasSubstr((dir / "x.db").string() + ": not a database, or damaged"),
                    testing::Not(HasSubstr("\n")))))
        << i;
    EXPECT_EQ(read_file(dir / "x.db"), bad[i]) << i;
  }
}

// Any page may be damaged: every function either works or throws StoreError, and never anything
// else.
TEST(StoreFaultsTest, RandomDamageIsAnErrorAtMost) {
  const TempDir dir;
  {
    Store store(dir / "good.db");
    for (int i = 0; i < 20; ++i) {
      const auto c = store.create_conversation({{user("q" + std::string(900, 'a'))}});
      store.append_message(c.conversation, c.message, user(std::string(9000, 'b')));
    }
  }
  const std::string good = read_file(dir / "good.db");
  std::mt19937 rng(5);
  int n_errors = 0;
  for (int round = 0; round < 60; ++round) {
    std::string bad = good;
    for (int i = 0; i < 20; ++i) bad[rng() % bad.size()] = static_cast<char>(rng());
    write_file(dir / "x.db", bad);
    try {
      Store store(dir / "x.db");
      for (const auto& c : store.list()) store.messages(c.id);
      Catalog(store).find("q");
      store.create_conversation({{user("new")}});
    } catch (const StoreError&) {
      ++n_errors;
    }
  }
  EXPECT_GT(n_errors, 0);
}

TEST(StoreFaultsTest, APlaceThatCannotBeWrittenIsNamed) {
  const TempDir dir;
  write_file(dir / "file", "");
  EXPECT_THAT([&] { Store(dir / "file/x.db"); }, ThrowsMessage<StoreError>(HasSubstr("/file: ")));
  EXPECT_THAT([&] { Store("/proc/x.db"); }, ThrowsMessage<StoreError>(HasSubstr("/proc/x.db: ")));
  if (::geteuid() == 0) GTEST_SKIP() << "root may write where permissions say no";
  ::chmod(dir.path().c_str(), 0500);
  EXPECT_THAT([&] { Store(dir / "x.db"); },
              ThrowsMessage<StoreError>(HasSubstr("Permission denied")));
}

}  // namespace
}  // namespace confab::sessions
