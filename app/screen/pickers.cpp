// SPDX-License-Identifier: MIT
#include "app/screen/pickers.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "app/chat/backend.h"
#include "app/engines/engine_choice.h"
#include "app/error.h"
#include "app/figures.h"
#include "app/models/fit_here.h"
#include "app/models/model_finder.h"
#include "app/models/read_speed.h"
#include "app/screen/context_picker.h"
#include "app/screen/conversation_picker.h"
#include "app/themes.h"
#include "ui/markdown/markdown.h"
#include "ui/wrap.h"

namespace confab::app {
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
       // A frame is drawn more often than another model is looked at.
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
