// SPDX-License-Identifier: MIT
// confab models: the model files on this machine.
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

// A line a model and, where there is a width, lines below it for other names and drafts. A width
// that is too small for all columns leaves the least useful out, then clips names; 0: it does not
// matter, as in a pipe.
void print_models(const std::vector<ModelRow>& rows, double read_gbs, ui::Cols width,
                  std::ostream& out);
// The same as JSON, with figures as they are, and all of it.
void print_models_json(const std::vector<ModelRow>& rows, double read_gbs, std::ostream& out);

// A table of the models that are found (app/stores/stores.h), on `out`, of at most this width (0:
// any), or as JSON: what they are, whether they fit and how fast they can be, with a star at the
// one that a chat would begin with. What to do with it, what was left out and which files are
// broken goes to `err`. Returns the exit status: 1 when there is none.
int run_models(const ModelsOptions& options, ui::Cols width, std::ostream& out, std::ostream& err);

}  // namespace confab::app
