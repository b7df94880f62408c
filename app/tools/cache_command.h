// SPDX-License-Identifier: MIT
// `confab cache`: what the prompt cache has, and how to get rid of it. Everything in it may go at
// any time, also while other programs use it: that costs time only.
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

// What the tables and the JSON of `confab cache` are made from.
struct CacheListing {
  std::filesystem::path directory;
  sessions::CacheReport report;
  std::map<std::int64_t, std::string> titles;  // of conversations that are known
  std::uint64_t max_bytes = 0;                 // that the cache may take
  std::uint64_t free_bytes = 0;                // of the file system
};

// Totals, then a table of conversations, and one of blocks of none.
std::string describe_cache(const CacheListing& listing);
// The tree of prefixes: one chain of blocks a line, indented where it forks from the one above.
std::string describe_prefixes(const CacheListing& listing);
// The totals, as one JSON object on one line.
std::string totals_as_json(const sessions::CacheTotals& totals);
// All of it, as one JSON object with a line break.
std::string cache_as_json(const CacheListing& listing);

// Returns the exit status: 1 when a check found damaged blocks, 130 when it was interrupted. Throws
// UserError, StoreError.
int run_cache(const CacheOptions& options, const Paths& paths, std::ostream& out);

}  // namespace confab::app
