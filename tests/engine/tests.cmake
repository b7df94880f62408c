# confab_tests(engine ...)
