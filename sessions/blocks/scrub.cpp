// SPDX-License-Identifier: MIT
#include "sessions/blocks/scrub.h"

#include "sessions/blocks/block_file.h"
#include "sessions/blocks/block_tree.h"
#include "sessions/blocks/block_writer.h"

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

}  // namespace confab::sessions
