// SPDX-License-Identifier: MIT
// `confab cache`: shows what the prompt cache contains, and removes it. Anything in the cache may
// be removed at any time, even while other programs use it; that only costs time.
#pragma once

#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <map>
#include <string>

#include "app/options.h"
#include "app/paths.h"
#include "sessions/blocks/cache_report.h"

namespace confab::app {

// The input for the tables and the JSON of `confab cache`.
struct CacheListing {
  std::filesystem::path directory;
  sessions::CacheReport report;
  std::map<std::int64_t, std::string> titles;  // titles of known conversations
  std::uint64_t max_bytes = 0;                 // limit for the cache
  std::uint64_t free_bytes = 0;                // free space on the file system
};

// The totals, a table of conversations, and a table of blocks without a conversation.
std::string describe_cache(const CacheListing& listing);
// The tree of prefixes: one chain of blocks per line, indented where it forks from the one above.
std::string describe_prefixes(const CacheListing& listing);
// The totals as one JSON object on one line.
std::string totals_as_json(const sessions::CacheTotals& totals);
// Everything as one JSON object, followed by a line break.
std::string cache_as_json(const CacheListing& listing);

// Returns the exit status: 1 if a check found damaged blocks, 130 if it was interrupted. Throws
// UserError, StoreError.
int run_cache(const CacheOptions& options, const Paths& paths, std::ostream& out);

}  // namespace confab::app
