// SPDX-License-Identifier: MIT
#include "app/screen/pickers.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <set>
#include <utility>

#include "app/commands/resume.h"
#include "app/error.h"
#include "app/figures.h"
#include "app/models/model_card.h"
#include "app/models/model_finder.h"
#include "app/themes.h"
#include "app/transfer/lists.h"
#include "sessions/conversations/catalog.h"
#include "ui/markdown/markdown.h"
#include "ui/wrap.h"

namespace confab::app {
namespace {

using ui::PickerEntry;

constexpr std::size_t kLongQuery = 2;  // from so many letters on, messages are searched as well
constexpr int kHits = 30;
constexpr std::size_t kPreviewLines = 60;
constexpr int kPreviewBytes = 4000;  // of a message

// Titles first, then what was said, each conversation once.
std::vector<PickerEntry> find_conversations(sessions::Store& store,
                                            const std::vector<PickerEntry>& titles,
                                            std::string_view query) {
  std::vector<PickerEntry> found = ui::fuzzy_filter(titles, query);
  if (query.size() < kLongQuery) return found;
  std::set<std::string> known;
  for (const PickerEntry& entry : found) known.insert(entry.key);
  for (const sessions::SearchHit& hit : sessions::Catalog(store).search(query, kHits))
    if (known.insert(number_of(hit.conversation)).second)
      found.push_back({number_of(hit.conversation), hit.title, hit.snippet.text});
  return found;
}

std::vector<ui::Line> wrapped(std::string_view text, ui::Role role, ui::Cols width) {
  const std::array spans = {ui::Span{ui::sanitize(text), {.role = role}}};
  return ui::wrap_words(spans, width);
}

// The end of the conversation that was looked at last: a frame is drawn more often than another one
// is looked at.
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
    constexpr int kMessages = static_cast<int>(kPreviewLines) / 2;  // a line and an empty one
    sessions::Catalog catalog(store_);
    const auto found = catalog.find(key);
    if (found.empty()) return {};
    return catalog.last_messages(found.front().id, kMessages, kPreviewBytes);
  }

  // From the last message on, so that the end is what can be seen.
  std::vector<ui::Line> lay_out() const {
    std::vector<std::vector<ui::Line>> parts;
    std::size_t n_lines = 0;
    for (auto message = messages_.rbegin(); message != messages_.rend() && n_lines < kPreviewLines;
         ++message) {
      if (message->role == sessions::Role::assistant)
        parts.push_back(ui::render_markdown(message->text, width_).lines);
      else if (message->role == sessions::Role::user)
        parts.push_back(wrapped(message->text, ui::Role::user, width_));
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

std::vector<PickerEntry> title_entries(sessions::Store& store) {
  std::vector<PickerEntry> entries;
  for (const sessions::Conversation& c : store.list())
    entries.push_back(
        {number_of(c.id), c.title, fmt::format("{}{}", c.pinned ? "★ " : "", when(c.updated))});
  return entries;
}

ScreenDialog conversation_picker(CommandContext& context) {
  sessions::Store& store = store_of(context);
  auto titles = std::make_shared<const std::vector<PickerEntry>>(title_entries(store));
  if (titles->empty()) throw UserError("no saved conversations yet");
  // What the database says of a fault ends the list, not the chat.
  ui::Picker picker({.title = "Conversations",
                     .find =
                         [&context, &store, titles](std::string_view query) {
                           std::vector<PickerEntry> found;
                           attempt(context,
                                   [&] { found = find_conversations(store, *titles, query); });
                           return found;
                         },
                     .preview =
                         [&context, preview = ConversationPreview(store)](const PickerEntry& entry,
                                                                          ui::Cols width) mutable {
                           std::vector<ui::Line> lines;
                           attempt(context, [&] { lines = preview.lines(entry.key, width); });
                           return lines;
                         }});
  return {std::move(picker),
          {.done = [&context](const std::string& key) { run_command(context, "/resume " + key); }}};
}

ScreenDialog model_picker(CommandContext& context) {
  std::vector<PickerEntry> entries;
  for (const FoundModel& model : find_models(context.chat.model_info().path))
    entries.push_back({model.path.string(), model.name, size_text(model.bytes)});
  if (entries.empty()) throw UserError("no model files found; /model FILE opens one");
  ui::Picker picker(
      {.title = "Models",
       .find = [entries](std::string_view query) { return ui::fuzzy_filter(entries, query); },
       // A frame is drawn more often than another model is looked at.
       .preview =
           [shown = std::string(), card = std::string()](const PickerEntry& entry,
                                                         ui::Cols width) mutable {
             if (std::exchange(shown, entry.key) != entry.key) card = model_card(entry.key);
             return wrapped(card, ui::Role::text, width);
           }});
  picker.move_to(context.chat.model_info().path);
  return {std::move(picker), {.done = [&context](const std::string& path) {
            run_command(context, "/model " + path);
          }}};
}

ScreenDialog theme_picker(CommandContext& context, const std::string& used,
                          std::function<void()> restore) {
  if (context.paths == nullptr) throw UserError("no themes here");
  std::vector<PickerEntry> entries;
  for (const std::string& name : theme_names(*context.paths)) entries.push_back({name, name, ""});
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

ScreenDialog picker_for(Choice choice, CommandContext& context, PickerActions actions) {
  switch (choice) {
    case Choice::conversation:
      return conversation_picker(context);
    case Choice::model:
      return model_picker(context);
    case Choice::theme:
      break;
  }
  return theme_picker(context, actions.theme, std::move(actions.restore_theme));
}

}  // namespace confab::app
