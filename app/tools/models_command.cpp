// SPDX-License-Identifier: MIT
#include "app/tools/models_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>

#include "app/error.h"
#include "app/figures.h"
#include "app/models/inference.h"
#include "app/models/model_finder.h"
#include "app/paths.h"
#include "ui/text.h"

namespace confab::app {
namespace {

// Empty when there is none of that name, which `err` is told.
std::filesystem::path file_of(const ModelOptions& chosen, std::ostream& err) {
  try {
    const std::filesystem::path file = model_path(chosen);
    std::error_code error;
    if (std::filesystem::exists(file, error)) return file;
    throw UserError(fmt::format("{}: no such file", file.string()));
  } catch (const UserError& fault) {
    err << fmt::format("confab: {}\n", ui::one_line(fault.what()));
    return {};
  }
}

bool is_same_file(const std::filesystem::path& a, const std::filesystem::path& b) {
  std::error_code error;
  return std::filesystem::equivalent(a, b, error);
}

}  // namespace

int run_models(const ModelOptions& chosen, std::ostream& out, std::ostream& err) {
  const std::filesystem::path current = file_of(chosen, err);
  const std::vector<FoundModel> models = find_models(current);
  int widest = 4;
  for (const FoundModel& model : models)
    widest = std::max(widest, ui::width(ui::one_line(model.name)).value);
  const auto row = [&out](char mark, const std::string& name, int pad, std::string_view size,
                          const std::string& file) {
    out << fmt::format("{} {}{:{}}  {:>9}  {}\n", mark, name, "", pad, size, file);
  };
  row(' ', "NAME", widest - 4, "SIZE", "FILE");
  for (const FoundModel& model : models) {
    const std::string name = ui::one_line(model.name);
    row(is_same_file(model.path, current) ? '*' : ' ', name, widest - ui::width(name).value,
        size_text(model.bytes), ui::one_line(shorten_home(model.path.string())));
  }
  err << "* marks the default model; to use another: confab -m NAME\n";
  if (models.size() < 2)
    err << "To add a model, save a GGUF file in ~/.local/share/confab/models\n";
  return models.empty() ? 1 : 0;
}

}  // namespace confab::app
