// SPDX-License-Identifier: MIT
// The text of a PDF, by pdftotext, where it is installed.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

namespace confab::app {

struct PdfLimits {
  std::size_t bytes = std::size_t{64} << 20;  // of text
  std::chrono::milliseconds time{20'000};
};

// The bytes of the PDF; the name is for what goes wrong. Throws UserError when pdftotext is not
// installed, cannot read it (it is damaged, or wants a password), takes too long, or finds no text.
std::string pdf_text(const std::string& name, const std::string& bytes,
                     const PdfLimits& limits = {});

}  // namespace confab::app
