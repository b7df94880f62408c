// SPDX-License-Identifier: MIT
#include "app/screen/pickers.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "app/chat/backend.h"
#include "app/chat/context_report.h"
#include "app/commands/context.h"
#include "app/engines/engine_choice.h"
#include "app/error.h"
#include "app/figures.h"
#include "app/models/model_card.h"
#include "app/models/model_finder.h"
#include "app/models/read_speed.h"
#include "app/screen/conversation_picker.h"
#include "app/themes.h"
#include "ui/markdown/markdown.h"
#include "ui/meter.h"
#include "ui/wrap.h"

namespace confab::app {
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
