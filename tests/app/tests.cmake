# confab_tests(app ...)
