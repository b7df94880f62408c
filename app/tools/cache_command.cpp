// SPDX-License-Identifier: MIT
#include "app/tools/cache_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <ctime>
#include <map>
#include <optional>
#include <ostream>
#include <string>
#include <system_error>

#include "app/error.h"
#include "app/figures.h"
#include "app/progress_line.h"
#include "base/json.h"
#include "sessions/blocks/cache_report.h"
#include "sessions/blocks/collector.h"
#include "sessions/conversations/store.h"
#include "sessions/error.h"
#include "ui/text.h"

namespace confab::app {
namespace {

using base::Json;
using sessions::BlockKey;
using std::chrono::milliseconds;

constexpr ui::Cols kTitleCols{60};
constexpr std::size_t kKeyDigits = 8;  // enough to distinguish the keys of one cache

std::string count(std::uint64_t n) {
  return grouped(static_cast<std::int64_t>(n));
}

std::string some_digits(const BlockKey& key) {
  return sessions::to_hex(key).substr(0, kKeyDigits);
}

std::string local_time(milliseconds time) {
  if (time == milliseconds(0)) return "";
  const auto seconds =
      static_cast<std::time_t>(std::chrono::duration_cast<std::chrono::seconds>(time).count());
  std::tm parts{};
  std::array<char, 32> text{};
  if (localtime_r(&seconds, &parts) == nullptr) return "";
  return {text.data(), std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M", &parts)};
}

std::string plural(std::uint64_t n, std::string_view what) {
  return counted(static_cast<std::int64_t>(n), what);
}

std::string totals_text(const CacheListing& listing) {
  const sessions::CacheTotals& t = listing.report.totals;
  return fmt::format(
      "{}: {}, {} of at most {}; {} free on disk\n{}, {}; {} of {} requested tokens found; {} "
      "mapped, {} copied\n",
      ui::sanitize(listing.directory.string()), plural(t.n_files, "block"), size_text(t.bytes),
      size_text(listing.max_bytes), size_text(listing.free_bytes), plural(t.n_hits, "hit"),
      t.n_misses == 1 ? "1 miss" : count(t.n_misses) + " misses", count(t.tokens_found),
      count(t.tokens_wanted), size_text(t.bytes_mapped), size_text(t.bytes_copied));
}

constexpr const char* kRow = "{:>10}  {:>10}  {:>10}  {:>6}  {:>10}  {:16}  {}\n";

std::string conversation_row(const CacheListing& listing,
                             const sessions::ConversationCache& conversation) {
  const auto title = listing.titles.find(conversation.origin);
  std::string safe = title == listing.titles.end() ? "" : ui::sanitize(title->second);
  std::ranges::replace(safe, '\n', ' ');
  return fmt::format(kRow, count(conversation.blocks.tokens), size_text(conversation.blocks.bytes),
                     size_text(conversation.own_bytes), count(conversation.uses.n_hits),
                     count(conversation.uses.tokens_found), local_time(conversation.uses.last),
                     fmt::format("{}  {}", conversation.origin, ui::ellipsize(safe, kTitleCols)));
}

Json as_json(const sessions::CacheTotals& totals) {
  return {{"hits", totals.n_hits},
          {"misses", totals.n_misses},
          {"tokens_wanted", totals.tokens_wanted},
          {"tokens_found", totals.tokens_found},
          {"bytes_mapped", totals.bytes_mapped},
          {"bytes_copied", totals.bytes_copied},
          {"files", totals.n_files},
          {"bytes", totals.bytes}};
}

void add(Json& json, const sessions::BlockSum& blocks, const sessions::UseSum& uses) {
  json["blocks"] = blocks.n_blocks;
  json["tokens"] = blocks.tokens;
  json["bytes"] = blocks.bytes;
  json["hits"] = uses.n_hits;
  json["tokens_found"] = uses.tokens_found;
  json["last_used_ms"] = uses.last.count();
}

Json as_json(const CacheListing& listing, const sessions::ConversationCache& conversation) {
  Json json{{"id", conversation.origin}};
  if (const auto title = listing.titles.find(conversation.origin); title != listing.titles.end())
    json["title"] = title->second;
  add(json, conversation.blocks, conversation.uses);
  json["own_bytes"] = conversation.own_bytes;
  json["misses"] = conversation.uses.n_misses;
  return json;
}

Json as_json(const sessions::LooseBlocks& group) {
  Json json{{"root", sessions::to_hex(group.root)}, {"first", sessions::to_hex(group.first)}};
  add(json, group.blocks, group.uses);
  return json;
}

Json as_json(const sessions::BlockChain& chain) {
  Json json{{"root", sessions::to_hex(chain.root)},
            {"first", sessions::to_hex(chain.first)},
            {"last", sessions::to_hex(chain.last)},
            {"forks_before", chain.n_forks}};
  add(json, chain.blocks, chain.uses);
  return json;
}

std::string dump(const Json& json) {
  return json.dump(2) + "\n";
}

using sessions::BlockDirectory;

constexpr std::chrono::seconds kPatience{1};  // how long to wait for a program that is evicting

// Returns nullopt if there is no cache; this command does not create one.
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

// Returns no titles if the database fails: a list without titles is better than none.
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

// Removes the blocks of conversations that were deleted by a program that could not remove them.
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

std::string describe_cache(const CacheListing& listing) {
  std::string text = totals_text(listing);
  if (!listing.report.conversations.empty()) {
    text += "\n";
    text +=
        fmt::format(kRow, "tokens", "size", "own", "hits", "reused", "last used", "conversation");
    for (const sessions::ConversationCache& conversation : listing.report.conversations)
      text += conversation_row(listing, conversation);
  }
  if (!listing.report.loose.empty()) {
    text += "\n";
    text += fmt::format(kRow, "tokens", "size", "", "hits", "reused", "last used",
                        "without a conversation, by first block");
    for (const sessions::LooseBlocks& group : listing.report.loose)
      text += fmt::format(kRow, count(group.blocks.tokens), size_text(group.blocks.bytes), "",
                          count(group.uses.n_hits), count(group.uses.tokens_found),
                          local_time(group.uses.last), some_digits(group.first));
  }
  return text;
}

std::string describe_prefixes(const CacheListing& listing) {
  constexpr const char* kChainRow = "{:>10}  {:>10}  {:>6}  {:16}  {}\n";
  std::string text = totals_text(listing);
  if (!listing.report.chains.empty()) {
    text += "\n";
    text += fmt::format(kChainRow, "tokens", "size", "hits", "last used", "model and blocks");
  }
  for (const sessions::BlockChain& chain : listing.report.chains) {
    const auto n_forks = static_cast<std::size_t>(chain.n_forks);
    std::string keys = n_forks == 0 ? some_digits(chain.root) + "  "
                                    : std::string(kKeyDigits + 2 * n_forks, ' ') + "\\ ";
    keys += some_digits(chain.first);
    if (chain.blocks.n_blocks > 1) keys += fmt::format(" to {}", some_digits(chain.last));
    text += fmt::format(kChainRow, count(chain.blocks.tokens), size_text(chain.blocks.bytes),
                        count(chain.uses.n_hits), local_time(chain.uses.last), keys);
  }
  return text;
}

std::string totals_as_json(const sessions::CacheTotals& totals) {
  return as_json(totals).dump();
}

std::string cache_as_json(const CacheListing& listing) {
  Json json{{"directory", listing.directory.string()},
            {"max_bytes", listing.max_bytes},
            {"free_bytes", listing.free_bytes}};
  const Json totals = as_json(listing.report.totals);
  for (const auto& [key, value] : totals.members()) json[key] = value;
  json["conversations"] = Json::array();
  for (const sessions::ConversationCache& conversation : listing.report.conversations)
    json["conversations"].push_back(as_json(listing, conversation));
  json["loose"] = Json::array();
  for (const sessions::LooseBlocks& group : listing.report.loose)
    json["loose"].push_back(as_json(group));
  json["prefixes"] = Json::array();
  for (const sessions::BlockChain& chain : listing.report.chains)
    json["prefixes"].push_back(as_json(chain));
  return dump(json);
}

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
