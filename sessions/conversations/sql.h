// SPDX-License-Identifier: MIT
// RAII over SQLite: a connection, a statement, a transaction. Every failure is a StoreError whose
// line names the database file and says what the user can do.
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

struct Blob {  // bytes that are no text for SQLite; borrowed
  std::string_view bytes;
};

class Statement {
 public:
  // The database must outlive it. `sql` is one statement.
  Statement(Database& database, const char* sql);

  // Parameters are numbered from 1; the values are copied.
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

  bool step();  // true: there is a row, whose columns are numbered from 0

  bool is_null(int column) const;
  std::int64_t integer(int column) const;
  double real(int column) const;
  std::string bytes(int column) const;  // of a text or a blob

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
  // Opens the file, and creates it with mode 0600 and its directories with 0700 when missing.
  explicit Database(const std::filesystem::path& path,
                    std::chrono::milliseconds patience = kUsualPatience);
  static std::unique_ptr<Database> in_memory();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  // One statement with its parameters bound, not yet stepped.
  template <class... Args>
  Statement query(const char* sql, const Args&... args) {
    Statement statement(*this, sql);
    [[maybe_unused]] int i = 0;
    (statement.bind(++i, args), ...);
    return statement;
  }
  // Runs one statement to its end; returns how many rows it inserted, changed or deleted.
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
  int total_changes() const noexcept;  // of rows, since it was opened

  void set_patience(std::chrono::milliseconds patience);
  // Why nothing can be written; empty: it can.
  const std::string& read_only_reason() const noexcept { return read_only_reason_; }
  void make_read_only(std::string_view reason);  // writes throw from here on

  const std::string& name() const noexcept { return name_; }
  [[noreturn]] void fail(int code) const;  // throws what the last call's error code means

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

// Takes the write lock at once, so that what is read in it cannot change before what is written.
class Transaction {
 public:
  explicit Transaction(Database& database);
  ~Transaction();  // rolls back what has not been committed
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;

  void commit();

 private:
  Database& database_;
};

// While it lives, a transaction's journal is deleted by its commit. secure_delete overwrites rows
// in the database file, but the journal that is kept otherwise holds the pages as they were before.
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
