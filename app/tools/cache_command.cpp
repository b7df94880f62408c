// SPDX-License-Identifier: MIT
#include "app/tools/cache_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <optional>
#include <ostream>
#include <string>
#include <system_error>

#include "app/error.h"
#include "app/figures.h"
#include "app/progress_line.h"
#include "app/tools/cache_tables.h"
#include "sessions/blocks/collector.h"
#include "sessions/blocks/scrub.h"
#include "sessions/conversations/store.h"
#include "sessions/error.h"
#include "ui/text.h"

namespace confab::app {
namespace {

using sessions::BlockDirectory;

constexpr std::chrono::seconds kPatience{1};  // with a program that is just evicting

// nullopt: there is none, and it is not this command that makes one.
std::optional<BlockDirectory> open_cache(const std::filesystem::path& directory) {
  std::error_code error;
  if (!std::filesystem::exists(directory, error)) return std::nullopt;
  return BlockDirectory(directory);
}

std::optional<sessions::Store> open_store(const Paths& paths) {
  std::error_code error;
  if (!std::filesystem::exists(paths.database, error)) return std::nullopt;
  return sessions::Store(paths.database);
}

std::string amount(std::uint64_t n, std::string_view what, std::uint64_t bytes) {
  return fmt::format("{} {}{} ({})", n, what, n == 1 ? "" : "s", size_text(bytes));
}

// A list without titles is better than none.
std::map<std::int64_t, std::string> titles_of(const Paths& paths) {
  std::map<std::int64_t, std::string> titles;
  try {
    auto store = open_store(paths);
    if (!store) return titles;
    for (sessions::Conversation& conversation : store->list())
      titles.emplace(static_cast<std::int64_t>(conversation.id), std::move(conversation.title));
  } catch (const sessions::StoreError&) {
    titles.clear();
  }
  return titles;
}

int list(const CacheOptions& options, const Paths& paths, std::ostream& out) {
  CacheListing listing;
  listing.directory = paths.kv;
  if (const auto directory = open_cache(paths.kv)) {
    const sessions::Collector collector(*directory, {options.max_bytes, {}});
    listing.report = sessions::report_cache(*directory);
    listing.titles = titles_of(paths);
    listing.max_bytes = collector.max_bytes();
    listing.free_bytes = collector.free_bytes();
  } else if (!options.json) {
    out << fmt::format("{}: nothing cached yet\n", ui::sanitize(paths.kv.string()));
    return 0;
  }
  out << (options.json       ? cache_as_json(listing)
          : options.prefixes ? describe_prefixes(listing)
                             : describe_cache(listing));
  return 0;
}

int clear(const BlockDirectory& directory, std::ostream& out) {
  const sessions::Removed removed = directory.clear();
  out << fmt::format("removed {}\n", amount(removed.n_files, "file", removed.bytes));
  return 0;
}

// Conversations that were deleted by a program that could not take their blocks along.
sessions::Removed forget_deleted(const BlockDirectory& directory, const Paths& paths) {
  sessions::Removed removed;
  auto store = open_store(paths);
  if (!store) return removed;
  for (const std::int64_t id : sessions::cached_conversations(directory)) {
    if (store->conversation(sessions::ConversationId{id})) continue;
    const sessions::Removed more = sessions::forget_conversation(directory, id);
    removed.n_files += more.n_files;
    removed.bytes += more.bytes;
  }
  return removed;
}

int collect(const CacheOptions& options, const BlockDirectory& directory, const Paths& paths,
            std::ostream& out) {
  const sessions::Removed deleted = forget_deleted(directory, paths);
  sessions::Collector collector(directory, {options.max_bytes, {}});
  const auto result = collector.collect(kPatience);
  if (!result)
    throw UserError(fmt::format("{}: another program is cleaning up the cache: try again later",
                                paths.kv.string()));
  const auto tell = [&](std::uint64_t n, std::string_view what, std::uint64_t bytes,
                        std::string_view why) {
    if (n > 0) out << fmt::format("removed {} {}\n", amount(n, what, bytes), why);
  };
  tell(deleted.n_files, "block", deleted.bytes, "of deleted conversations");
  tell(result->foreign.n_files, "file", result->foreign.bytes,
       "of other versions or left behind by a crash");
  tell(result->unreachable.n_files, "block", result->unreachable.bytes,
       "that can no longer be reached");
  tell(result->evicted.n_evicted, "block", result->evicted.bytes_evicted,
       "least recently used, over the size limit");
  if (result->n_facts > 0) out << fmt::format("forgot {} unused records\n", result->n_facts);
  out << fmt::format("{} left of at most {}; {} free on disk\n",
                     size_text(result->evicted.bytes_left), size_text(collector.max_bytes()),
                     size_text(collector.free_bytes()));
  return 0;
}

int verify(const BlockDirectory& directory, std::ostream& out) {
  ui::Signals signals;
  ProgressLine line;
  int status = 0;
  const sessions::CheckResult result =
      sessions::check_blocks(directory, [&](const sessions::CheckProgress& progress) {
        const auto percent = 100 * progress.bytes_done / std::max<std::uint64_t>(1, progress.bytes);
        line.show(static_cast<int>(percent),
                  fmt::format("{}/{} blocks", progress.n_done, progress.n_blocks));
        if (status == 0) status = status_asked_for(signals);
        return status == 0;
      });
  line.clear();
  out << fmt::format("{} good", amount(result.n_good, "block", result.bytes_good));
  if (result.damaged.n_files > 0)
    out << fmt::format(", {} damaged and removed",
                       amount(result.damaged.n_files, "block", result.damaged.bytes));
  if (result.n_unread > 0) out << fmt::format(", {} could not be opened", result.n_unread);
  out << (result.finished ? "\n" : "; interrupted\n");
  if (!result.finished) return status;
  return result.damaged.n_files > 0 ? 1 : 0;
}

}  // namespace

int run_cache(const CacheOptions& options, const Paths& paths, std::ostream& out) {
  if (options.command == CacheCommand::list) return list(options, paths, out);
  const auto directory = open_cache(paths.kv);
  if (!directory) {
    out << fmt::format("{}: nothing cached yet\n", ui::sanitize(paths.kv.string()));
    return 0;
  }
  switch (options.command) {
    case CacheCommand::clear:
      return clear(*directory, out);
    case CacheCommand::gc:
      return collect(options, *directory, paths, out);
    case CacheCommand::verify:
      return verify(*directory, out);
    case CacheCommand::list:
      break;
  }
  return 0;
}

}  // namespace confab::app
