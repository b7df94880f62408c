// SPDX-License-Identifier: MIT
// A PDF of one page with one line of text (ISO 32000-1, annex H).
#pragma once

#include <string>
#include <vector>

namespace confab::app {

inline std::string small_pdf(const std::string& text) {
  const std::string content = "BT /F1 12 Tf 20 100 Td (" + text + ") Tj ET";
  const std::vector<std::string> objects{
      "<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
      "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 200] /Contents 4 0 R "
      "/Resources << /Font << /F1 5 0 R >> >> >>",
      "<< /Length " + std::to_string(content.size()) + " >>\nstream\n" + content + "\nendstream",
      "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"};
  std::string pdf = "%PDF-1.4\n", table;
  for (std::size_t i = 0; i < objects.size(); ++i) {
    std::string at = std::to_string(pdf.size());
    table += std::string(10 - at.size(), '0') + at + " 00000 n \n";
    pdf += std::to_string(i + 1) + " 0 obj\n" + objects[i] + "\nendobj\n";
  }
  const std::string begin = std::to_string(pdf.size());
  const std::string n = std::to_string(objects.size() + 1);
  return pdf + "xref\n0 " + n + "\n0000000000 65535 f \n" + table + "trailer\n<< /Size " + n +
         " /Root 1 0 R >>\nstartxref\n" + begin + "\n%%EOF\n";
}

}  // namespace confab::app
