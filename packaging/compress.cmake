# Compresses what Debian wants compressed, the same bytes each time; cpack runs it on what it packs.
file(GLOB_RECURSE files ${CPACK_TEMPORARY_DIRECTORY}/confab*.[15] ${CPACK_TEMPORARY_DIRECTORY}/changelog*)
list(FILTER files EXCLUDE REGEX "\\.gz$")
foreach(file ${files})
  execute_process(COMMAND gzip -9n ${file} COMMAND_ERROR_IS_FATAL ANY)
endforeach()
