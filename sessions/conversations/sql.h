// SPDX-License-Identifier: MIT
// RAII wrappers for SQLite: a connection, a statement, a transaction. Every failure is a StoreError
// whose message names the database file and says what the user can do.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

struct sqlite3;
struct sqlite3_stmt;

namespace confab::sessions {

class Database;

struct Blob {  // bytes that are not text to SQLite; borrowed
  std::string_view bytes;
};

class Statement {
 public:
  // The database must outlive the statement. `sql` is one statement.
  Statement(Database& database, const char* sql);

  // Parameters are numbered from 1. Values are copied.
  void bind(int i, std::nullopt_t);
  void bind(int i, std::int64_t value);
  void bind(int i, double value);
  void bind(int i, std::string_view text);
  void bind(int i, Blob blob);
  template <class T>
  void bind(int i, const std::optional<T>& value) {
    value ? bind(i, *value) : bind(i, std::nullopt);
  }
  template <class T>
  requires std::is_enum_v<T> || std::is_same_v<T, int>
  void bind(int i, T value) { bind(i, static_cast<std::int64_t>(value)); }

  bool step();  // returns true if there is a row; its columns are numbered from 0

  bool is_null(int column) const;
  std::int64_t integer(int column) const;
  double real(int column) const;
  std::string bytes(int column) const;  // content of a text or a blob

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const noexcept;
  };
  void check(int code) const;

  Database& database_;
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
};

// How long a statement waits for another program to release the database.
inline constexpr std::chrono::milliseconds kUsualPatience{5000};

class Database {
 public:
  // Opens the file. If it is missing, creates it with mode 0600 and its directories with 0700.
  explicit Database(const std::filesystem::path& path,
                    std::chrono::milliseconds patience = kUsualPatience);
  static std::unique_ptr<Database> in_memory();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  // A statement with its parameters bound, not stepped yet.
  template <class... Args>
  Statement query(const char* sql, const Args&... args) {
    Statement statement(*this, sql);
    [[maybe_unused]] int i = 0;
    (statement.bind(++i, args), ...);
    return statement;
  }
  // Runs one statement to its end. Returns how many rows it inserted, changed or deleted.
  template <class... Args>
  int run(const char* sql, const Args&... args) {
    Statement statement = query(sql, args...);
    while (statement.step()) {
    }
    return changes();
  }
  void run_script(const char* sql);  // several statements without parameters
  std::int64_t integer(const char* sql);
  std::int64_t last_insert_id() const noexcept;
  int total_changes() const noexcept;  // changed rows since the database was opened

  void set_patience(std::chrono::milliseconds patience);
  // Why nothing can be written; empty: writing works.
  const std::string& read_only_reason() const noexcept { return read_only_reason_; }
  void make_read_only(std::string_view reason);  // from now on, writes throw

  const std::string& name() const noexcept { return name_; }
  [[noreturn]] void fail(int code) const;  // throws an error that explains the last call's code

 private:
  friend class Statement;
  friend class Transaction;
  friend class JournalDeletion;
  struct Close {
    void operator()(sqlite3* connection) const noexcept;
  };
  explicit Database(std::chrono::milliseconds patience) : patience_(patience) {}
  void open(const char* path);
  static int wait_for_lock(void* self, int n_waited) noexcept;
  void configure();
  int changes() const noexcept;

  std::string name_;
  std::string read_only_reason_;
  std::chrono::milliseconds patience_;
  std::chrono::steady_clock::time_point waiting_since_{};
  std::unique_ptr<sqlite3, Close> connection_;
};

// Takes the write lock at once, so that nothing it reads can change before it writes.
class Transaction {
 public:
  explicit Transaction(Database& database);
  ~Transaction();  // rolls back unless committed
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;

  void commit();

 private:
  Database& database_;
};

// While this object lives, a commit deletes the transaction's journal. secure_delete overwrites
// rows in the database file, but a journal that is kept still holds the old pages.
class JournalDeletion {
 public:
  explicit JournalDeletion(Database& database);
  ~JournalDeletion();
  JournalDeletion(const JournalDeletion&) = delete;
  JournalDeletion& operator=(const JournalDeletion&) = delete;

 private:
  Database& database_;
};

}  // namespace confab::sessions
