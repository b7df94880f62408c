# confab_tests(ui ...)
