// SPDX-License-Identifier: MIT
#include "app/screen/pickers.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <utility>

#include "app/chat/backend.h"
#include "app/chat/context_report.h"
#include "app/commands/context.h"
#include "app/commands/resume.h"
#include "app/engines/engine_choice.h"
#include "app/error.h"
#include "app/figures.h"
#include "app/models/fit_here.h"
#include "app/models/model_finder.h"
#include "app/models/read_speed.h"
#include "app/themes.h"
#include "app/transfer/lists.h"
#include "sessions/conversations/catalog.h"
#include "ui/markdown/markdown.h"
#include "ui/meter.h"
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

namespace {

using ui::PickerEntry;

constexpr ui::Cols kBar{8};
constexpr const char* kMemory = "memory";  // the key of the row that is not a message

std::string title_of(const Chat& chat) {
  return fmt::format("Context {}/{}", grouped(chat.n_ctx_used()), grouped(chat.model_info().n_ctx));
}

const char* state_of(const ContextRow& row) {
  return !row.is_read ? "left out" : row.is_pinned ? "pinned" : "";
}

// Columns only as wide as their content, which leaves more room for the texts.
struct Columns {
  explicit Columns(const std::vector<ContextRow>& rows) {
    for (const ContextRow& row : rows) {
      if (row.is_read) largest = std::max(largest, row.n_tokens);
      numbers = std::max(numbers, grouped(row.n_tokens).size());
      states = std::max(states, std::string_view(state_of(row)).size());
    }
  }
  int largest = 1;
  std::size_t numbers = 0;
  std::size_t states = 0;
};

// The entries of the list, and the actions of its keys.
class ContextList {
 public:
  explicit ContextList(CommandContext& context) : context_(context) { load(); }

  std::vector<PickerEntry> find(std::string_view query) const {
    return ui::fuzzy_filter(entries_, query);
  }
  std::optional<ui::PickerAct> act(const ui::Key& key, const PickerEntry& entry);

 private:
  void load();
  void add(const ContextRow& row, const Columns& columns);
  const ContextRow* row_of(const PickerEntry& entry) const;

  CommandContext& context_;
  std::vector<ContextRow> rows_;
  std::vector<PickerEntry> entries_;
};

void ContextList::load() {
  rows_ = context_rows(context_.chat);
  const Columns columns(rows_);
  entries_.clear();
  for (const ContextRow& row : rows_) add(row, columns);
}

void ContextList::add(const ContextRow& row, const Columns& columns) {
  const std::string& note = context_.chat.memory().note;
  const char* begins = note.empty() ? "── the model's memory begins here ──"
                                    : "── the model's memory begins here, after a note: ";
  if (row.begins_memory) entries_.push_back({kMemory, begins + ui::one_line(note), ""});
  const bool asks = row.who == "you";
  const std::string number = asks ? fmt::format("{:>3} ", row.question) : "    ";
  const std::string bar = ui::meter(row.is_read ? row.n_tokens : 0, columns.largest, kBar);
  std::string detail = fmt::format("{:>{}} {}", grouped(row.n_tokens), columns.numbers, bar);
  if (columns.states > 0) detail += fmt::format(" {:<{}}", state_of(row), columns.states);
  entries_.push_back({fmt::format("{}", row.message), number + row.text, std::move(detail)});
}

const ContextRow* ContextList::row_of(const PickerEntry& entry) const {
  const auto found = std::ranges::find_if(
      rows_, [&](const ContextRow& row) { return fmt::format("{}", row.message) == entry.key; });
  return found == rows_.end() ? nullptr : &*found;
}

// Errors are shown in the chat, behind the list, so the title mentions them.
std::optional<ui::PickerAct> ContextList::act(const ui::Key& key, const PickerEntry& entry) {
  if (key.code != ui::Key::Code::character || !key.ctrl || key.alt) return std::nullopt;
  const char* what = key.character == U't'   ? "pin"
                     : key.character == U'd' ? "drop"
                     : key.character == U'r' ? "restore"
                                             : nullptr;
  if (what == nullptr) return std::nullopt;
  const ContextRow* row = row_of(entry);
  if (row == nullptr || row->question == 0) return ui::PickerAct{};
  const std::size_t question = row->question;
  bool done = false;
  attempt(context_, [&] {
    change_reading(context_, what, question);
    done = true;
    load();
  });
  return ui::PickerAct{.title = done ? title_of(context_.chat) : "Context: no room for that"};
}

}  // namespace

ScreenDialog context_picker(CommandContext& context) {
  auto all = std::make_shared<ContextList>(context);
  ui::Picker picker(
      {.title = title_of(context.chat),
       .find = [all](std::string_view query) { return all->find(query); },
       .keys = {"Ctrl+T pin", "Ctrl+D drop", "Ctrl+R restore", "Esc close", "↑↓ move"},
       .act = [all](const ui::Key& key,
                    const PickerEntry& entry) { return all->act(key, entry); }});
  return {std::move(picker), {.done = [](const std::string&) {}}};
}

namespace {

using ui::PickerEntry;

ScreenDialog model_picker(CommandContext& context) {
  std::vector<PickerEntry> entries;
  const std::string used = context.chat.model_info().path;
  const std::vector<FoundModel> models = find_models(used);
  const std::string asked = context.backend == nullptr ? "" : context.backend->options.path;
  const FoundModel* const in_use = model_in_use(models, asked, used);
  for (const FoundModel& model : models)
    entries.push_back({spec_of(model), model.name,
                       fmt::format("{}{} · {}", &model == in_use ? "in use · " : "",
                                   size_text(model.bytes), name_of(model.store))});
  const std::vector<OfferedModel> elsewhere = context.backend != nullptr
                                                  ? offered_models(context.backend->options.engines)
                                                  : std::vector<OfferedModel>();
  for (const OfferedModel& model : elsewhere)
    entries.push_back(
        {model.name, model.name, (model.name == used ? "in use · " : "") + model.where});
  if (entries.empty()) throw UserError("no model files found; /model FILE opens one");
  const auto card_of = [models, read_gbs = usual_read_gbs()](const std::string& spec) {
    const auto found = std::ranges::find(models, spec, spec_of);
    return found != models.end()
               ? model_card(*found, read_gbs)
               : spec + "\nIt runs in another engine, which is asked when it is chosen.";
  };
  ui::Picker picker(
      {.title = "Models",
       .find = [entries](std::string_view query) { return ui::fuzzy_filter(entries, query); },
       // Kept, because frames are drawn more often than the selection changes.
       .preview =
           [card_of, shown = std::string(), card = std::string()](const PickerEntry& entry,
                                                                  ui::Cols width) mutable {
             if (std::exchange(shown, entry.key) != entry.key) card = card_of(entry.key);
             return ui::wrap_text(card, {.role = ui::Role::text}, width);
           }});
  if (in_use != nullptr) picker.move_to(spec_of(*in_use));
  return {std::move(picker), {.done = [&context](const std::string& path) {
            run_command(context, "/model " + path);
          }}};
}

ScreenDialog theme_picker(CommandContext& context, const std::string& used,
                          std::function<void()> restore) {
  if (context.paths == nullptr) throw UserError("no themes here");
  std::vector<PickerEntry> entries;
  for (const std::string& name : theme_names(*context.paths))
    entries.push_back({name, name, name == used ? "in use" : ""});
  const auto show = [&context](const std::string& name) {
    if (name.empty()) return;
    attempt(context, [&] { context.console.set_theme(find_theme(name, *context.paths)); });
  };
  ui::Picker picker(
      {.title = "Themes",
       .find = [entries](std::string_view query) { return ui::fuzzy_filter(entries, query); },
       .preview =
           [](const PickerEntry&, ui::Cols width) {
             static constexpr const char* kSample =
                 "# A heading\n\nText with *emphasis*, **strong words**, `code` and a "
                 "[link](https://example.org).\n\n1. one\n2. two\n\n> A quotation.\n\n"
                 "```python\ndef double(x):  # twice as much\n    return 2 * x + "
                 "len(\"s\")\n```\n\n"
                 "| left | right |\n| ---- | ----: |\n| a    |    12 |\n\nMath: $E = mc^2$\n";
             return ui::render_markdown(kSample, width).lines;
           }});
  picker.move_to(used);
  const auto keep = [&context](const std::string& name) { run_command(context, "/theme " + name); };
  return {std::move(picker), {.done = keep, .changed = show, .left = std::move(restore)}};
}

}  // namespace

ScreenDialog picker_for(PickerKind choice, CommandContext& context, PickerActions actions) {
  switch (choice) {
    case PickerKind::conversation:
      return conversation_picker(context);
    case PickerKind::model:
      return model_picker(context);
    case PickerKind::context:
      return context_picker(context);
    case PickerKind::theme:
      break;
  }
  return theme_picker(context, actions.theme, std::move(actions.restore_theme));
}

}  // namespace confab::app
