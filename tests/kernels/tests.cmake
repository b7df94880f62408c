confab_tests(kernels)
