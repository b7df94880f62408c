// SPDX-License-Identifier: MIT
#include "sessions/conversations/sql.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <thread>

#include "sessions/conversations/search_tokenizer.h"
#include "sessions/directory.h"
#include "sessions/error.h"

namespace confab::sessions {
namespace {

// SQLite itself would create the file with a mode that depends on the umask. The descriptor is
// opened only for a new file, because closing one drops this process's locks on the file.
void create_private_file(const std::filesystem::path& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) == 0) {
    if (!S_ISREG(status.st_mode)) {
      throw StoreError(fmt::format("{}: not a regular file, expected a database", path.string()));
    }
    if ((status.st_mode & 077) != 0 && status.st_uid == ::geteuid()) ::chmod(path.c_str(), 0600);
    return;
  }
  const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (fd < 0 && errno != EEXIST) {
    throw StoreError(
        fmt::format("{}: cannot create the database: {}", path.string(), std::strerror(errno)));
  }
  if (fd >= 0) ::close(fd);
}

}  // namespace

Statement::Statement(Database& database, const char* sql) : database_(database) {
  sqlite3_stmt* statement = nullptr;
  check(sqlite3_prepare_v2(database.connection_.get(), sql, -1, &statement, nullptr));
  statement_.reset(statement);
}

void Statement::Finalize::operator()(sqlite3_stmt* statement) const noexcept {
  sqlite3_finalize(statement);
}

void Statement::check(int code) const {
  if (code != SQLITE_OK) database_.fail(code);
}

void Statement::bind(int i, std::nullopt_t) {
  check(sqlite3_bind_null(statement_.get(), i));
}

void Statement::bind(int i, std::int64_t value) {
  check(sqlite3_bind_int64(statement_.get(), i, value));
}

void Statement::bind(int i, double value) {
  check(sqlite3_bind_double(statement_.get(), i, value));
}

// A null pointer would bind NULL, and the data() of an empty view may be null.
void Statement::bind(int i, std::string_view text) {
  check(sqlite3_bind_text64(statement_.get(), i, text.empty() ? "" : text.data(), text.size(),
                            SQLITE_TRANSIENT, SQLITE_UTF8));
}

void Statement::bind(int i, Blob blob) {
  check(sqlite3_bind_blob64(statement_.get(), i, blob.bytes.empty() ? "" : blob.bytes.data(),
                            blob.bytes.size(), SQLITE_TRANSIENT));
}

bool Statement::step() {
  const int code = sqlite3_step(statement_.get());
  if (code != SQLITE_ROW && code != SQLITE_DONE) database_.fail(code);
  return code == SQLITE_ROW;
}

bool Statement::is_null(int column) const {
  return sqlite3_column_type(statement_.get(), column) == SQLITE_NULL;
}

std::int64_t Statement::integer(int column) const {
  return sqlite3_column_int64(statement_.get(), column);
}

double Statement::real(int column) const {
  return sqlite3_column_double(statement_.get(), column);
}

std::string Statement::bytes(int column) const {
  const void* data = sqlite3_column_blob(statement_.get(), column);
  const int size = sqlite3_column_bytes(statement_.get(), column);
  return data == nullptr ? std::string()
                         : std::string(static_cast<const char*>(data), static_cast<size_t>(size));
}

Database::Database(const std::filesystem::path& path, std::chrono::milliseconds patience)
    : name_(path.string()), patience_(patience) {
  if (path.has_parent_path()) make_private_directories(path.parent_path());
  create_private_file(path);
  open(path.c_str());
}

std::unique_ptr<Database> Database::in_memory() {
  std::unique_ptr<Database> database(new Database(kUsualPatience));
  database->name_ = "conversations in memory";
  database->open(":memory:");
  return database;
}

void Database::Close::operator()(sqlite3* connection) const noexcept {
  sqlite3_close(connection);
}

void Database::open(const char* path) {
  sqlite3* connection = nullptr;
  const int code =
      sqlite3_open_v2(path, &connection,
                      SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nullptr);
  connection_.reset(connection);
  if (code != SQLITE_OK) fail(code);
  configure();
  if (sqlite3_db_readonly(connection, "main") != 1) return;
  // SQLite falls back to read-only whatever prevented writing. Only missing permissions are a
  // lasting reason.
  if (::access(path, W_OK) == 0)
    throw StoreError(
        fmt::format("{}: cannot be opened for writing despite its permissions: too many open "
                    "files, or a failing disk; try again",
                    name_));
  make_read_only("write-protected, so opened read-only: change its permissions to save");
}

// Uses a rollback journal, because WAL mode before SQLite 3.51.3 can damage a database that two
// connections write and checkpoint at once (https://sqlite.org/wal.html, "WAL-reset bug").
void Database::configure() {
  sqlite3_busy_handler(connection_.get(), wait_for_lock, this);
  sqlite3_db_config(connection_.get(), SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  if (const int code = register_search_tokenizer(connection_.get()); code != SQLITE_OK) fail(code);
  run_script(
      "PRAGMA foreign_keys = ON;"
      "PRAGMA trusted_schema = OFF;"
      "PRAGMA cell_size_check = ON;"
      "PRAGMA secure_delete = ON;"
      "PRAGMA temp_store = MEMORY;"  // conversations do not spill into /tmp
      "PRAGMA cache_size = -16384;"  // KiB: a walk along a long conversation reads no page twice
      "PRAGMA journal_mode = PERSIST;"
      "PRAGMA synchronous = FULL;"
      "PRAGMA fullfsync = ON;");  // macOS: through the disk's own cache
}

void Database::set_patience(std::chrono::milliseconds patience) {
  patience_ = patience;
}

// SQLite's own handler checks the lock less and less often, and would miss the gaps that an import
// leaves (sessions/conversations/import.cpp).
int Database::wait_for_lock(void* self, int n_waited) noexcept {
  constexpr std::chrono::milliseconds kPause{4};
  auto& database = *static_cast<Database*>(self);
  const auto now = std::chrono::steady_clock::now();
  if (n_waited == 0) database.waiting_since_ = now;
  if (now - database.waiting_since_ >= database.patience_) return 0;
  std::this_thread::sleep_for(kPause);
  return 1;
}

void Database::run_script(const char* sql) {
  const int code = sqlite3_exec(connection_.get(), sql, nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) fail(code);
}

std::int64_t Database::integer(const char* sql) {
  Statement statement(*this, sql);
  return statement.step() ? statement.integer(0) : 0;
}

std::int64_t Database::last_insert_id() const noexcept {
  return sqlite3_last_insert_rowid(connection_.get());
}

int Database::total_changes() const noexcept {
  return sqlite3_total_changes(connection_.get());
}

int Database::changes() const noexcept {
  return sqlite3_changes(connection_.get());
}

void Database::make_read_only(std::string_view reason) {
  run_script("PRAGMA query_only = ON");
  read_only_reason_ = reason;
}

void Database::fail(int code) const {
  const int os_error = connection_ ? sqlite3_system_errno(connection_.get()) : 0;
  std::string what = connection_ ? sqlite3_errmsg(connection_.get()) : sqlite3_errstr(code);
  StoreError::Code kind = StoreError::Code::other;
  switch (code & 0xff) {
    case SQLITE_NOTADB:
    case SQLITE_CORRUPT:  // also if the disk cannot read a page
      what = fmt::format(
          "not a database, or damaged, or the disk is failing ({}); it was left untouched: try "
          "again, restore a backup, recover it with \"sqlite3 FILE .recover\", or move it away to "
          "start over",
          what);
      break;
    case SQLITE_FULL:
      what = "the disk is full; everything saved before is safe";
      break;
    case SQLITE_BUSY:
      what = "another program keeps it locked; try again";
      kind = StoreError::Code::locked;
      break;
    case SQLITE_IOERR:
    case SQLITE_CANTOPEN:
      if (os_error != 0) what += fmt::format(": {}", std::strerror(os_error));
      break;
    case SQLITE_READONLY:
      if (!read_only_reason_.empty()) what = read_only_reason_;
      break;
    default:
      break;
  }
  throw StoreError(fmt::format("{}: {}", name_, what), kind);
}

Transaction::Transaction(Database& database) : database_(database) {
  // query_only lets a transaction begin and fails at the first write; this reports it earlier.
  if (!database.read_only_reason().empty()) database.fail(SQLITE_READONLY);
  database.run_script("BEGIN IMMEDIATE");
}

Transaction::~Transaction() {
  sqlite3* connection = database_.connection_.get();
  if (sqlite3_get_autocommit(connection) == 0) {
    sqlite3_exec(connection, "ROLLBACK", nullptr, nullptr, nullptr);
  }
}

void Transaction::commit() {
  database_.run_script("COMMIT");
}

JournalDeletion::JournalDeletion(Database& database) : database_(database) {
  database.run_script("PRAGMA journal_mode = DELETE");
}

JournalDeletion::~JournalDeletion() {
  sqlite3_exec(database_.connection_.get(), "PRAGMA journal_mode = PERSIST", nullptr, nullptr,
               nullptr);
}

}  // namespace confab::sessions
