# confab_tests(kernels ...)
