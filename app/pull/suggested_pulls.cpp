// SPDX-License-Identifier: MIT
#include "app/pull/suggested_pulls.h"

#include <fmt/format.h>

#include <vector>

#include "app/figures.h"
#include "app/models/listed_models.h"
#include "app/models/suggested_model.h"
#include "engine/platform/memory.h"
#include "ui/text.h"

namespace confab::app {

SuggestedPulls suggested_pulls(const Paths& paths, std::string_view command) {
  const ModelList list = load_model_list(paths);
  const std::uint64_t room = room_for_model(engine::platform::available_memory());
  const std::vector<ListedModel> fitting = models_that_fit(list.models, room);
  SuggestedPulls suggested{.models = {}, .about = {}, .is_any = !fitting.empty()};
  for (const ListedModel& model : fitting)
    suggested.models +=
        fmt::format("{} ({}): {}\n    {} {}\n", ui::one_line(model.name), size_text(model.bytes),
                    ui::one_line(model.about), command, model.pull);
  suggested.about = fmt::format(
      "{} up to {} fit this machine now. These are from {};\na list of your own goes into {}.\n",
      fitting.empty() ? "No model of the list fits: only files" : "Files", size_text(room),
      shorten_home(list.file.string()), shorten_home(own_model_list(paths).string()));
  return suggested;
}

}  // namespace confab::app
