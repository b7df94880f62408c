// SPDX-License-Identifier: MIT
#include "tests/app/refusing_database.h"

#include <sqlite3.h>

#include <limits>

namespace confab::app {
namespace {

constexpr int kAll = std::numeric_limits<int>::max();

struct Refusal {
  int n_reads = kAll;  // that are let through
  int n_writes = kAll;
  bool has_refused = false;
};
Refusal refusal;

// SQLite asks it about each part of a statement that it is given.
int authorize(void*, int action, const char*, const char*, const char*, const char*) {
  const bool writes = action == SQLITE_INSERT || action == SQLITE_UPDATE || action == SQLITE_DELETE;
  if (!writes && action != SQLITE_SELECT) return SQLITE_OK;
  if (refusal.n_reads != kAll) --refusal.n_reads, --refusal.n_writes;
  if ((writes ? refusal.n_writes : refusal.n_reads) >= 0) return SQLITE_OK;
  refusal.has_refused = true;
  return SQLITE_DENY;
}

int on_open(sqlite3* connection, const char**, const void*) {
  return sqlite3_set_authorizer(connection, authorize, nullptr);
}

void (*entry_point())() {
  return reinterpret_cast<void (*)()>(on_open);
}

}  // namespace

RefusingDatabase::RefusingDatabase() {
  allow_all();
  sqlite3_auto_extension(entry_point());
}

RefusingDatabase::~RefusingDatabase() {
  sqlite3_cancel_auto_extension(entry_point());
  allow_all();
}

void RefusingDatabase::refuse_after(int n_left) {
  refusal = {n_left, n_left, false};
}

void RefusingDatabase::refuse_writes() {
  refusal = {kAll, -1, false};
}

void RefusingDatabase::allow_all() {
  refusal = {};
}

bool RefusingDatabase::has_refused() const {
  return refusal.has_refused;
}

}  // namespace confab::app
