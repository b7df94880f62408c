// SPDX-License-Identifier: MIT
#include "app/transfer/subcommands.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <istream>
#include <ostream>
#include <thread>
#include <utility>

#include "app/chat/backend.h"
#include "app/error.h"
#include "app/safe_output.h"
#include "app/save_file.h"
#include "app/transfer/export.h"
#include "app/transfer/forget_cache.h"
#include "app/transfer/import.h"
#include "app/transfer/lists.h"
#include "app/whole_file.h"
#include "sessions/conversations/catalog.h"
#include "ui/text.h"

namespace confab::app {
namespace {

// Forgets everything, with pauses for programs that wait for the database.
void forget_all(sessions::Store& store) {
  while (store.forget_more()) std::this_thread::sleep_for(std::chrono::milliseconds(5));
}

class ConversationCommand {
 public:
  // kv: the directory of the prompt cache.
  ConversationCommand(const ConversationOptions& options, sessions::Store& store,
                      std::filesystem::path kv, std::istream& in, std::ostream& out)
      : options_(options), store_(store), kv_(std::move(kv)), in_(in), out_(out) {}

  int run() {
    switch (options_.action) {
      case ConversationAction::list:
        return list();
      case ConversationAction::search:
        return search();
      case ConversationAction::rename:
        return rename();
      case ConversationAction::pin:
        return set_pinned(true);
      case ConversationAction::unpin:
        return set_pinned(false);
      case ConversationAction::remove:
        return remove();
      case ConversationAction::write:
        return write();
      case ConversationAction::read:
        return read();
    }
    return 0;
  }

 private:
  sessions::Conversation named() const { return conversation_by_name(store_, options_.name); }
  void say(const std::string& text) { out_ << ui::sanitize(text) << '\n'; }

  int list() {
    const auto conversations = store_.list(options_.limit.value_or(-1));
    if (!conversations.empty()) out_ << describe_conversations(conversations) << '\n';
    return 0;
  }

  int search() {
    constexpr int kShown = 20;
    const auto hits =
        sessions::Catalog(store_).search(options_.text, options_.limit.value_or(kShown));
    if (!hits.empty()) out_ << describe_hits(hits, emphasis_for_stdout()) << '\n';
    return hits.empty() ? 1 : 0;
  }

  int rename() {
    const sessions::Conversation conversation = named();
    store_.rename(conversation.id, options_.text);
    say(fmt::format("Renamed \"{}\" to \"{}\".", ui::one_line(conversation.title),
                    ui::one_line(options_.text)));
    return 0;
  }

  int set_pinned(bool pinned) {
    const sessions::Conversation conversation = named();
    store_.set_pinned(conversation.id, pinned);
    say(fmt::format("{} \"{}\".", pinned ? "Pinned" : "Unpinned",
                    ui::one_line(conversation.title)));
    return 0;
  }

  bool confirmed(const sessions::Conversation& conversation) {
    if (options_.yes) return true;
    if (isatty(STDIN_FILENO) == 0)
      throw UserError("delete: not a terminal: use --yes to delete without asking");
    out_ << fmt::format("Delete \"{}\" ({} messages) permanently? [y/N] ",
                        ui::one_line(conversation.title), conversation.n_messages)
         << std::flush;
    std::string answer;
    std::getline(in_, answer);
    return answer == "y" || answer == "Y" || answer == "yes";
  }

  int remove() {
    const sessions::Conversation conversation = named();
    if (!confirmed(conversation)) {
      say("Nothing was deleted.");
      return 1;
    }
    store_.remove(conversation.id);
    forget_all(store_);
    forget_conversation_cache(kv_, static_cast<std::int64_t>(conversation.id));
    say(fmt::format("Deleted \"{}\".", ui::one_line(conversation.title)));
    return 0;
  }

  int write() {
    const std::string path =
        options_.output == "-" ? "" : options_.output;  // "-" is standard output
    const Existing existing = options_.force ? Existing::replace : Existing::keep;
    if (!path.empty()) output_file(path, existing);  // fails early, before anything is read
    const sessions::ConversationTree tree = store_.tree(named().id);
    const ExportFormat format =
        options_.format.empty() ? format_of_file(path) : export_format(options_.format);
    const std::string text = export_conversation(tree, format);
    if (path.empty()) {
      const SafeOutput safe(out_, isatty(STDOUT_FILENO) == 1);
      out_ << text;
    } else {
      save_file(path, text, existing);
    }
    return 0;
  }

  std::string all_of_input() const {
    std::string text, piece(std::size_t{1} << 20, '\0');
    while (in_.read(piece.data(), static_cast<std::streamsize>(piece.size())) || in_.gcount() > 0) {
      text.append(piece, 0, static_cast<std::size_t>(in_.gcount()));
      if (text.size() > kMostOfData)
        throw UserError("standard input: " + read_fault(EFBIG, {.most = kMostOfData}));
    }
    return text;
  }

  int read() {
    for (const std::string& file : options_.files) {
      const Import import =
          file == "-" ? parse_import(all_of_input(), "standard input") : read_import(file, true);
      say(describe_import(file, store_.import(import.conversations), import.left_out));
    }
    return 0;
  }

  const ConversationOptions& options_;
  sessions::Store& store_;
  std::filesystem::path kv_;
  std::istream& in_;
  std::ostream& out_;
};

}  // namespace

int run_conversations(const ConversationOptions& options, const Paths& paths, std::istream& in,
                      std::ostream& out) {
  sessions::Store store(paths.database);
  return ConversationCommand(options, store, paths.kv, in, out).run();
}

}  // namespace confab::app
