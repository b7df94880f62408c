// SPDX-License-Identifier: MIT
// The tables of the conversation database, and the migration of older versions.
#pragma once

namespace confab::sessions {

class Database;

// PRAGMA user_version of the databases that this program writes.
inline constexpr int kSchemaVersion = 7;
// PRAGMA application_id: "cnfb", which distinguishes our databases from other programs'.
inline constexpr int kApplicationId = 0x636e6662;

// Creates the tables in an empty database, or migrates an older one to kSchemaVersion in one
// transaction. A newer one becomes read-only. Throws StoreError if the database belongs to another
// program.
void migrate(Database& database);
// Throws StoreError unless the database can be used without a migration.
void require_current(Database& database);

}  // namespace confab::sessions
