// SPDX-License-Identifier: MIT
// Databases that refuse what is asked of them, as on a disk that fails or is full.
#pragma once

namespace confab::app {

// Of every database that is opened while it exists; one exists at a time.
class RefusingDatabase {
 public:
  RefusingDatabase();
  ~RefusingDatabase();
  RefusingDatabase(const RefusingDatabase&) = delete;
  RefusingDatabase& operator=(const RefusingDatabase&) = delete;

  // Lets n_left more accesses through, reads and writes, and none after them.
  void refuse_after(int n_left);
  void refuse_writes();
  void allow_all();
  bool has_refused() const;  // since any of these was called
};

}  // namespace confab::app
