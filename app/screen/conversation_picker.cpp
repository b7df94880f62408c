// SPDX-License-Identifier: MIT
#include "app/screen/conversation_picker.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <utility>

#include "app/chat/backend.h"
#include "app/commands/resume.h"
#include "app/error.h"
#include "app/transfer/lists.h"
#include "sessions/conversations/catalog.h"
#include "ui/markdown/markdown.h"
#include "ui/wrap.h"

namespace confab::app {
namespace {

using sessions::Conversation;
using ui::PickerEntry;

constexpr std::size_t kLongQuery = 2;  // letters from which messages are searched as well
constexpr int kHits = 30;
constexpr std::size_t kPreviewLines = 60;
constexpr int kPreviewBytes = 4000;  // of each message
constexpr int kTwins = 100;          // conversations whose first words are read
constexpr int kTwinBytes = 200;

// The end of the selected conversation, kept because frames are drawn more often than the selection
// changes.
class ConversationPreview {
 public:
  explicit ConversationPreview(sessions::Store& store) : store_(store) {}

  const std::vector<ui::Line>& lines(const std::string& key, ui::Cols width) {
    if (std::exchange(key_, key) != key) {
      width_ = {};
      messages_.clear();
      messages_ = read(key);
    }
    if (std::exchange(width_, width) != width) lines_ = lay_out();
    return lines_;
  }

 private:
  std::vector<sessions::MessageBegin> read(const std::string& key) {
    // each needs a line and an empty one
    constexpr int kMessages = static_cast<int>(kPreviewLines) / 2;
    sessions::Catalog catalog(store_);
    const auto found = catalog.find(key);
    if (found.empty()) return {};
    return catalog.last_messages(found.front().id, kMessages, kPreviewBytes);
  }

  // Starts with the last message, because the end is what is visible.
  std::vector<ui::Line> lay_out() const {
    std::vector<std::vector<ui::Line>> parts;
    std::size_t n_lines = 0;
    for (auto message = messages_.rbegin(); message != messages_.rend() && n_lines < kPreviewLines;
         ++message) {
      if (message->role == sessions::Role::assistant)
        parts.push_back(ui::render_markdown(message->text, width_).lines);
      else if (message->role == sessions::Role::user)
        parts.push_back(ui::wrap_text(message->text, {.role = ui::Role::user}, width_));
      if (!parts.empty()) n_lines += parts.back().size() + 1;
    }
    std::vector<ui::Line> lines;
    for (auto part = parts.rbegin(); part != parts.rend(); ++part) {
      if (!lines.empty()) lines.push_back({});
      lines.insert(lines.end(), part->begin(), part->end());
    }
    return lines;
  }

  sessions::Store& store_;
  std::string key_;
  std::vector<sessions::MessageBegin> messages_;
  ui::Cols width_;
  std::vector<ui::Line> lines_;
};

// The found text in one line, starting shortly before the first match.
PickerEntry with_place(PickerEntry entry, const sessions::Snippet& place) {
  constexpr std::size_t kBefore = 12;  // bytes
  const std::string_view text = place.text;
  std::size_t at = place.marked.empty() ? 0 : place.marked.front().begin;
  at = at > kBefore ? std::min(text.find(' ', at - kBefore), at) : 0;
  entry.detail = at > 0 ? "…" : "";
  const auto add = [&](std::size_t end, bool marked) {
    const std::size_t begin = entry.detail.size();
    entry.detail += ui::one_line(text.substr(at, end - at));
    for (std::size_t i = begin; marked && i < entry.detail.size(); ++i)
      entry.detail_marked.push_back(i);
    at = end;
  };
  for (const auto& [begin, end] : place.marked) {
    add(begin, false);
    add(end, true);
  }
  add(text.size(), false);
  return entry;
}

std::vector<ui::Line> place_lines(const sessions::Snippet& place, ui::Cols width) {
  std::vector<ui::Span> spans;
  std::size_t at = 0;
  const auto add = [&](std::size_t end, ui::Role role) {
    spans.push_back(
        {ui::one_line(std::string_view(place.text).substr(at, end - at)), {.role = role}});
    at = end;
  };
  for (const auto& [begin, end] : place.marked) {
    add(begin, ui::Role::text);
    add(end, ui::Role::match);
  }
  add(place.text.size(), ui::Role::text);
  std::vector<ui::Line> lines = ui::wrap_words(spans, width);
  lines.push_back({{{"─────", {.role = ui::Role::rule}}}});
  return lines;
}

enum class Order { last_used, title, oldest };

// The entries of the list, and the actions of its keys.
class Conversations {
 public:
  explicit Conversations(CommandContext& context)
      : context_(context), store_(store_of(context)), preview_(store_) {
    load();
  }

  bool empty() const noexcept { return entries_.empty(); }
  std::vector<PickerEntry> find(std::string_view query);
  std::vector<ui::Line> preview(const PickerEntry& entry, ui::Cols width);
  std::optional<ui::PickerAct> act(const ui::Key& key, const PickerEntry& entry);

 private:
  void load();
  PickerEntry entry_of(const Conversation& conversation, bool has_twin);
  // Calls f with the conversation; errors are shown.
  template <class F>
  void change(const std::string& key, F f);
  // Asks first, then calls f with the conversation and the answer.
  template <class F>
  ui::PickerQuestion ask(std::string label, const std::string& key, F f);
  ui::PickerAct turn_round();

  CommandContext& context_;
  sessions::Store& store_;
  ConversationPreview preview_;
  Order order_ = Order::last_used;
  int n_twins_ = 0;  // how many first words have been read
  std::vector<PickerEntry> entries_;
  std::map<std::string, std::string> titles_;        // by entry key
  std::map<std::string, sessions::Snippet> places_;  // of the last query
};

void Conversations::load() {
  std::vector<Conversation> all = store_.list();
  const auto before = [this](const Conversation& a, const Conversation& b) {
    if (a.pinned != b.pinned) return a.pinned;
    return order_ == Order::title ? a.title < b.title : a.created < b.created;
  };
  if (order_ != Order::last_used) std::ranges::stable_sort(all, before);
  std::map<std::string_view, int> n_of_title;
  for (const Conversation& conversation : all) ++n_of_title[conversation.title];
  n_twins_ = 0;
  entries_.clear();
  titles_.clear();
  for (const Conversation& conversation : all) {
    entries_.push_back(entry_of(conversation, n_of_title[conversation.title] > 1));
    titles_[number_of(conversation.id)] = conversation.title;
  }
}

PickerEntry Conversations::entry_of(const Conversation& conversation, bool has_twin) {
  PickerEntry entry{number_of(conversation.id), ui::one_line(conversation.title),
                    when(conversation.updated)};
  const bool is_open = context_.chat.conversation() == conversation.id;
  if (is_open || conversation.pinned)
    entry.detail =
        fmt::format("{}{} {}", is_open ? "●" : "", conversation.pinned ? "★" : "", entry.detail);
  if (!has_twin || ++n_twins_ > kTwins) return entry;
  for (const auto& said :
       sessions::Catalog(store_).first_messages(conversation.id, 2, kTwinBytes)) {
    const std::string words = ui::one_line(said.text);
    if (words.empty() || words.starts_with(entry.text)) continue;
    entry.text += " · " + words;
    break;
  }
  return entry;
}

std::vector<PickerEntry> Conversations::find(std::string_view query) {
  places_.clear();
  std::vector<PickerEntry> found = ui::fuzzy_filter(entries_, query);
  if (query.size() < kLongQuery) return found;
  for (const sessions::SearchHit& hit : sessions::Catalog(store_).search(query, kHits)) {
    const std::string key = number_of(hit.conversation);
    if (!places_.emplace(key, hit.snippet).second) continue;
    if (std::ranges::find(found, key, &PickerEntry::key) != found.end()) continue;
    found.push_back(with_place({key, ui::one_line(hit.title), ""}, hit.snippet));
  }
  return found;
}

std::vector<ui::Line> Conversations::preview(const PickerEntry& entry, ui::Cols width) {
  std::vector<ui::Line> lines;
  if (const auto place = places_.find(entry.key); place != places_.end())
    lines = place_lines(place->second, width);
  const std::vector<ui::Line>& end = preview_.lines(entry.key, width);
  lines.insert(lines.end(), end.begin(), end.end());
  return lines;
}

template <class F>
void Conversations::change(const std::string& key, F f) {
  attempt(context_, [&] {
    f(conversation_by_name(store_, key));
    load();
  });
}

template <class F>
ui::PickerQuestion Conversations::ask(std::string label, const std::string& key, F f) {
  return {.label = std::move(label), .done = [this, key, f](const std::string& text) {
            change(key, [&](const Conversation& conversation) { f(conversation, text); });
          }};
}

ui::PickerAct Conversations::turn_round() {
  constexpr std::array<std::string_view, 3> kTitles{"Conversations", "Conversations by title",
                                                    "Conversations, oldest first"};
  const std::size_t next = (static_cast<std::size_t>(order_) + 1) % kTitles.size();
  order_ = static_cast<Order>(next);
  load();
  return {.title = std::string(kTitles[next])};
}

std::optional<ui::PickerAct> Conversations::act(const ui::Key& key, const PickerEntry& entry) {
  if (key.code != ui::Key::Code::character || !key.ctrl || key.alt) return std::nullopt;
  const std::string title = ui::one_line(titles_[entry.key]);
  ui::PickerAct act;
  switch (key.character) {
    case U'd':
      act.question = ask(fmt::format("Delete \"{}\" for good?", title), entry.key,
                         [this](const Conversation& conversation, const std::string&) {
                           require_idle(context_, "deleting");
                           delete_conversation(context_, conversation);
                         });
      return act;
    case U'r':
      act.question = ask("New title:", entry.key,
                         [this](const Conversation& conversation, const std::string& text) {
                           if (!text.empty()) store_.rename(conversation.id, text);
                         });
      act.question->text = title;
      return act;
    case U't':
      change(entry.key, [this](const Conversation& conversation) {
        store_.set_pinned(conversation.id, !conversation.pinned);
      });
      return act;
    case U's':
      attempt(context_, [&] { act = turn_round(); });
      return act;
    default:
      return std::nullopt;
  }
}

}  // namespace

ScreenDialog conversation_picker(CommandContext& context) {
  auto all = std::make_shared<Conversations>(context);
  if (all->empty()) throw UserError("no saved conversations yet");
  // A database error closes the list, but not the chat.
  ui::Picker picker({.title = "Conversations",
                     .find =
                         [&context, all](std::string_view query) {
                           std::vector<PickerEntry> found;
                           attempt(context, [&] { found = all->find(query); });
                           return found;
                         },
                     .preview =
                         [&context, all](const PickerEntry& entry, ui::Cols width) {
                           std::vector<ui::Line> lines;
                           attempt(context, [&] { lines = all->preview(entry, width); });
                           return lines;
                         },
                     .keys = {"Enter open", "Ctrl+D delete", "Ctrl+R rename", "Ctrl+T pin",
                              "Ctrl+S sort", "Esc close", "↑↓ move"},
                     .act = [all](const ui::Key& key,
                                  const PickerEntry& entry) { return all->act(key, entry); }});
  return {std::move(picker),
          {.done = [&context](const std::string& key) { run_command(context, "/resume " + key); }}};
}

}  // namespace confab::app
