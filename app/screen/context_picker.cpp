// SPDX-License-Identifier: MIT
#include "app/screen/context_picker.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "app/chat/context_report.h"
#include "app/commands/context.h"
#include "app/figures.h"
#include "ui/meter.h"

namespace confab::app {
namespace {

using ui::PickerEntry;

constexpr ui::Cols kBar{8};
constexpr const char* kMemory = "memory";  // the key of what is no message

std::string title_of(const Chat& chat) {
  return fmt::format("Context {}/{}", grouped(chat.n_ctx_used()), grouped(chat.model_info().n_ctx));
}

const char* state_of(const ContextRow& row) {
  return !row.is_read ? "left out" : row.is_pinned ? "pinned" : "";
}

// As wide as what stands in them: in a narrow terminal the texts get the rest.
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

// What the list has, and what its keys do.
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

// What is wrong is told in the chat, which is behind the list: its title says so.
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

}  // namespace confab::app
