confab_tests(engine)
