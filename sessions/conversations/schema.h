// SPDX-License-Identifier: MIT
// The tables of the conversation database, and how older ones become this one.
#pragma once

namespace confab::sessions {

class Database;

// PRAGMA user_version of a database that this program writes.
inline constexpr int kSchemaVersion = 7;
// PRAGMA application_id: "cnfb", tells our databases from other programs'.
inline constexpr int kApplicationId = 0x636e6662;

// Creates the tables in an empty database, or brings an older one up to kSchemaVersion in one
// transaction. One that is newer becomes read-only. Throws StoreError when it is another program's.
void migrate(Database& database);
// Throws StoreError unless the database could be used without migrating it.
void require_current(Database& database);

}  // namespace confab::sessions
