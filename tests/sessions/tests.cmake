confab_tests(sessions)
