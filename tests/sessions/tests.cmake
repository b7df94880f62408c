# confab_tests(sessions ...)
