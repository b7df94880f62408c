// SPDX-License-Identifier: MIT
#include "sessions/blocks/cache_report.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "sessions/blocks/block_file.h"
#include "sessions/blocks/block_tree.h"
#include "sessions/blocks/block_writer.h"
#include "sessions/blocks/use_log.h"

namespace confab::sessions {
namespace {

BlockStatus check(const BlockDirectory& directory, const BlockTree::Node& node) {
  const BlockName& name = node.file->name;
  const BlockFile file(directory.path_of(name));
  if (file.status() != BlockStatus::ok) return file.status();
  const BlockHead& head = file.head();
  const bool in_place = name_of(head) == name && (!node.reached || head.index == node.depth);
  const auto n_tokens = static_cast<int>(head.tokens.size());
  return in_place && file.map(n_tokens) ? BlockStatus::ok : BlockStatus::damaged;
}

using std::chrono::milliseconds;

void add(BlockSum& sum, const BlockSum& more) {
  sum.n_blocks += more.n_blocks;
  sum.tokens += more.tokens;
  sum.bytes += more.bytes;
}

void add(UseSum& sum, const UseSum& more) {
  sum.n_hits += more.n_hits;
  sum.n_misses += more.n_misses;
  sum.tokens_found += more.tokens_found;
  sum.last = std::max(sum.last, more.last);
}

UseSum sum_of(const Use& use) {
  return {use.n_hits, use.n_misses, use.tokens_found, use.time};
}

CacheTotals totals_of(const std::vector<StoredBlockFile>& blocks, const std::vector<Use>& uses) {
  CacheTotals totals;
  for (const StoredBlockFile& block : blocks) {
    ++totals.n_files;
    totals.bytes += block.bytes;
  }
  for (const Use& use : uses) {
    totals.n_hits += use.n_hits;
    totals.n_misses += use.n_misses;
    totals.tokens_wanted += use.tokens_wanted;
    totals.tokens_found += use.tokens_found;
    totals.bytes_mapped += use.bytes_mapped;
    totals.bytes_copied += use.bytes_copied;
  }
  return totals;
}

template <class T>
void sort_by_last_use(std::vector<T>& list) {
  std::ranges::stable_sort(list, std::greater{}, [](const T& item) { return item.uses.last; });
}

// Everything that reports are made from, indexed by the tree's nodes.
class UsedTree {
 public:
  explicit UsedTree(const BlockDirectory& directory)
      : directory_(directory),
        blocks_(directory.scan()),
        tree_(blocks_),
        uses_(UseLog(directory.path()).read()),
        owners_(blocks_.size()),
        uses_from_(blocks_.size()) {
    std::ranges::stable_sort(uses_, {}, &Use::origin);
    for (const Use& use : uses_) {
      auto leaf = tree_.find(use.root, use.leaf);
      if (!leaf) leaf = tree_.find(use.root, use.parent);
      if (!leaf) continue;
      add(uses_from_[*leaf], sum_of(use));
      // If a block has this owner, the blocks before it have it already: the uses are sorted by
      // origin.
      for (auto i = leaf; i && !is_last_owner(*i, use.origin); i = tree_.nodes()[*i].parent)
        owners_[*i].push_back(use.origin);
    }
  }

  UsedTree(const UsedTree&) = delete;
  UsedTree& operator=(const UsedTree&) = delete;

  const std::vector<StoredBlockFile>& blocks() const { return blocks_; }
  const BlockTree& tree() const { return tree_; }
  const std::vector<Use>& uses() const { return uses_; }
  // In ascending order; 0 stands for runs without a conversation.
  const std::vector<std::int64_t>& owners(std::size_t i) const { return owners_[i]; }
  bool is_loose(std::size_t i) const {
    return std::ranges::all_of(owners_[i], [](std::int64_t origin) { return origin == 0; });
  }

  // Opens the files, and adds the uses of each block to the blocks before it.
  void measure() {
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
      const StoredBlockFile& block = blocks_[i];
      const BlockFile file(directory_.path_of(block.name));
      const std::size_t n = file.status() == BlockStatus::ok ? file.head().tokens.size() : 0;
      sums_.push_back({.n_blocks = 1, .tokens = n, .bytes = block.bytes});
      add(uses_from_[i], {.last = std::chrono::duration_cast<milliseconds>(block.used)});
    }
    for (std::size_t done = tree_.reached().size(); done > 0; --done) {
      const std::size_t i = tree_.reached()[done - 1];
      if (const auto parent = tree_.nodes()[i].parent) add(uses_from_[*parent], uses_from_[i]);
    }
  }
  const BlockSum& sum(std::size_t i) const { return sums_[i]; }  // valid after measure()
  const UseSum& uses_from(std::size_t i) const {
    return uses_from_[i];
  }  // uses of this block or a later one

 private:
  bool is_last_owner(std::size_t i, std::int64_t origin) const {
    return !owners_[i].empty() && owners_[i].back() == origin;
  }

  const BlockDirectory& directory_;
  const std::vector<StoredBlockFile> blocks_;
  const BlockTree tree_;
  std::vector<Use> uses_;
  std::vector<std::vector<std::int64_t>> owners_;
  std::vector<UseSum> uses_from_;
  std::vector<BlockSum> sums_;
};

std::vector<ConversationCache> conversations_of(const UsedTree& used) {
  std::map<std::int64_t, ConversationCache> by_origin;
  for (const std::size_t i : used.tree().reached()) {
    for (const std::int64_t origin : used.owners(i)) {
      if (origin == 0) continue;
      ConversationCache& conversation = by_origin[origin];
      add(conversation.blocks, used.sum(i));
      if (used.owners(i).size() == 1) conversation.own_bytes += used.sum(i).bytes;
    }
  }
  for (const Use& use : used.uses()) {
    if (const auto it = by_origin.find(use.origin); it != by_origin.end())
      add(it->second.uses, sum_of(use));
  }
  std::vector<ConversationCache> out;
  for (auto& [origin, conversation] : by_origin) {
    conversation.origin = origin;
    out.push_back(conversation);
  }
  sort_by_last_use(out);
  return out;
}

std::vector<LooseBlocks> loose_blocks_of(const UsedTree& used) {
  const BlockTree& tree = used.tree();
  std::vector<std::size_t> first(tree.nodes().size());  // the first block of each block's chain
  std::map<std::size_t, LooseBlocks> groups;
  for (const std::size_t i : tree.reached()) {
    const auto parent = tree.nodes()[i].parent;
    first[i] = parent ? first[*parent] : i;
    if (!used.is_loose(i)) continue;
    LooseBlocks& group = groups[first[i]];
    add(group.blocks, used.sum(i));
    if (!parent || !used.is_loose(*parent)) add(group.uses, used.uses_from(i));
  }
  std::vector<LooseBlocks> out;
  for (auto& [i, group] : groups) {
    group.root = tree.nodes()[i].file->name.root;
    group.first = tree.nodes()[i].file->name.key;
    out.push_back(group);
  }
  sort_by_last_use(out);
  return out;
}

// Returns the chain that begins with block i, and sets i to its last block.
BlockChain follow(const UsedTree& used, std::size_t& i) {
  const auto& nodes = used.tree().nodes();
  BlockChain chain{.root = nodes[i].file->name.root,
                   .first = nodes[i].file->name.key,
                   .last = {},
                   .n_forks = 0,
                   .blocks = used.sum(i),
                   .uses = used.uses_from(i)};
  while (nodes[i].children.size() == 1) {
    i = nodes[i].children.front();
    add(chain.blocks, used.sum(i));
  }
  chain.last = nodes[i].file->name.key;
  return chain;
}

std::vector<BlockChain> chains_of(const UsedTree& used) {
  struct Start {
    std::size_t i;
    int n_forks;
  };
  std::vector<Start> stack;
  const auto push = [&](std::vector<std::size_t> starts, int n_forks) {
    std::ranges::stable_sort(starts, {}, [&](std::size_t i) { return used.uses_from(i).last; });
    for (const std::size_t i : starts) stack.push_back({i, n_forks});
  };
  std::vector<std::size_t> firsts;
  for (const std::size_t i : used.tree().reached()) {
    if (!used.tree().nodes()[i].parent) firsts.push_back(i);
  }
  push(std::move(firsts), 0);
  std::vector<BlockChain> chains;
  while (!stack.empty()) {
    Start start = stack.back();
    stack.pop_back();
    chains.push_back(follow(used, start.i));
    chains.back().n_forks = start.n_forks;
    push(used.tree().nodes()[start.i].children, start.n_forks + 1);
  }
  return chains;
}

}  // namespace

CheckResult check_blocks(const BlockDirectory& directory,
                         const std::function<bool(const CheckProgress&)>& go_on) {
  const std::vector<StoredBlockFile> blocks = directory.scan();
  const BlockTree tree(blocks);
  CheckProgress progress;
  progress.n_blocks = blocks.size();
  for (const StoredBlockFile& block : blocks) progress.bytes += block.bytes;
  CheckResult result;
  for (const BlockTree::Node& node : tree.nodes()) {
    if (!go_on(progress)) return result;
    const BlockStatus status = check(directory, node);
    if (status == BlockStatus::ok) {
      ++result.n_good;
      result.bytes_good += node.file->bytes;
    } else if (status == BlockStatus::damaged) {
      directory.remove(node.file->name);
      result.damaged.add(node.file->bytes);
    } else {
      ++result.n_unread;
    }
    ++progress.n_done;
    progress.bytes_done += node.file->bytes;
  }
  result.finished = true;
  go_on(progress);
  return result;
}

CacheTotals cache_totals(const BlockDirectory& directory) {
  return totals_of(directory.scan(), UseLog(directory.path()).read());
}

CacheReport report_cache(const BlockDirectory& directory) {
  UsedTree used(directory);
  used.measure();
  return {.totals = totals_of(used.blocks(), used.uses()),
          .conversations = conversations_of(used),
          .loose = loose_blocks_of(used),
          .chains = chains_of(used)};
}

Removed forget_conversation(const BlockDirectory& directory, std::int64_t origin) {
  const UsedTree used(directory);
  Removed removed;
  // Leaves first, so that a crash never leaves a block without the blocks before it.
  std::vector<std::size_t> order = used.tree().reached();
  for (std::size_t i = 0; i < used.blocks().size(); ++i) {
    if (!used.tree().nodes()[i].reached) order.push_back(i);
  }
  std::ranges::reverse(order);
  for (const std::size_t i : order) {
    const auto& owners = used.owners(i);
    if (std::ranges::any_of(owners, [&](std::int64_t owner) { return owner != origin; })) continue;
    directory.remove(used.blocks()[i].name);
    removed.add(used.blocks()[i].bytes);
  }
  UseLog(directory.path()).forget(origin);
  return removed;
}

std::vector<std::int64_t> cached_conversations(const BlockDirectory& directory) {
  std::vector<std::int64_t> out;
  for (const Use& use : UseLog(directory.path()).read()) {
    if (use.origin != 0) out.push_back(use.origin);
  }
  std::ranges::sort(out);
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

}  // namespace confab::sessions
