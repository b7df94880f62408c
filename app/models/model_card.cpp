// SPDX-License-Identifier: MIT
#include "app/models/model_card.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/figures.h"
#include "app/models/fit_here.h"
#include "app/paths.h"

namespace confab::app {
namespace {

std::string header_text(const ModelSummary& summary, std::uint64_t bytes) {
  std::string text = summary.title.empty() ? "" : summary.title + "\n";
  text +=
      fmt::format("{}, {} parameters, {}\n{}", summary.family.empty() ? "unknown" : summary.family,
                  parameters_text(summary.n_parameters),
                  summary.type.empty() ? "no weights" : summary.type, size_text(bytes));
  if (summary.n_layers > 0) text += fmt::format(", {} layers", summary.n_layers);
  if (summary.n_ctx > 0) text += fmt::format(", a context of {} tokens", grouped(summary.n_ctx));
  if (!summary.has_template) text += "\nno chat template in the file";
  return text + '\n';
}

std::string origin_text(const FoundModel& model) {
  std::string text = fmt::format("{}: {}", name_of(model.store), shorten_home(model.path.string()));
  if (!model.also.empty()) text += fmt::format("\nalso {}", fmt::join(model.also, ", "));
  for (const Sidecar& draft : model.drafts) text += "\ndraft: " + draft.name;
  for (const Sidecar& projector : model.projectors) text += "\nprojector: " + projector.name;
  return text;
}

}  // namespace

std::string model_card(const FoundModel& model, double read_gbs) {
  const ModelFacts facts = facts_of(model.path.string(), room_for_another());
  const bool is_readable = facts.fault.empty() || !facts.summary.family.empty();
  std::string text = is_readable ? header_text(facts.summary, model.bytes) : "";
  text += fit_text(facts);
  if (const std::string speed = speed_text(facts.tokens_per_second(read_gbs)); !speed.empty())
    text += fmt::format(", {} tokens a second at most", speed);
  return text + '\n' + origin_text(model);
}

}  // namespace confab::app
