// SPDX-License-Identifier: MIT
// `confab models`: lists the model files on this machine.
#pragma once

#include <iosfwd>
#include <vector>

#include "app/models/fit_here.h"
#include "app/options.h"
#include "app/stores/stores.h"
#include "ui/text.h"

namespace confab::app {

struct ModelRow {
  FoundModel model;
  ModelFacts facts = {};
  bool is_default = false;
};

// Prints one line per model and, if there is a width, further lines for its other names and drafts.
// If the width is too small, leaves out the least useful columns, then clips names; 0: no limit, as
// in a pipe.
void print_models(const std::vector<ModelRow>& rows, double read_gbs, ui::Cols width,
                  std::ostream& out);
// The same as JSON, complete and with exact figures.
void print_models_json(const std::vector<ModelRow>& rows, double read_gbs, std::ostream& out);

// Prints the models that are found (app/stores/stores.h) on `out`, as a table of at most this width
// (0: no limit) or as JSON: what they are, whether they fit and how fast they can be. A star marks
// the model that a chat would start with. `err` receives what to do with the list, what was left
// out, and which files are broken. Returns the exit status: 1 if there is no model.
int run_models(const ModelsOptions& options, ui::Cols width, std::ostream& out, std::ostream& err);

}  // namespace confab::app
