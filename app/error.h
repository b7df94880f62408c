// SPDX-License-Identifier: MIT
// What a person asked for cannot be done as asked: wrong flag, file, name or configuration.
#pragma once

#include <stdexcept>

namespace confab::app {

// what() is one line: what is wrong and what to do about it. A usage error exits with status 2.
class UserError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};
class UsageError : public UserError {
 public:
  using UserError::UserError;
};

}  // namespace confab::app
