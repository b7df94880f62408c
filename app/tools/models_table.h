// SPDX-License-Identifier: MIT
// How the models on this machine are listed.
#pragma once

#include <iosfwd>
#include <vector>

#include "app/models/fit_here.h"
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

}  // namespace confab::app
