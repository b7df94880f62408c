# `cpack`: confab_VERSION_ARCHITECTURE.deb. See ./dev package, which sets SOURCE_DATE_EPOCH.
set(docs ${CMAKE_INSTALL_DATADIR}/doc/confab)
set(changelog ${CMAKE_CURRENT_BINARY_DIR}/changelog.gz)
add_custom_command(OUTPUT ${changelog}
  COMMAND gzip -9n < ${PROJECT_SOURCE_DIR}/CHANGELOG.md > ${changelog}
  DEPENDS ${PROJECT_SOURCE_DIR}/CHANGELOG.md VERBATIM)
add_custom_target(confab_changelog ALL DEPENDS ${changelog})
install(FILES ${changelog} DESTINATION ${docs})
install(FILES ${PROJECT_SOURCE_DIR}/packaging/debian/copyright DESTINATION ${docs})

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME confab)
set(CPACK_PACKAGE_CONTACT "The confab authors <confab@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "chat in the terminal with language models on this machine")
set(CPACK_PACKAGE_DESCRIPTION
  "A full-screen chat with language models in GGUF files, which run on this machine's processor, "
  "without a network. Conversations are kept in a database and can be searched and exported; what a "
  "model has read is kept on disk and not read again. A tiny demo model comes along.")
string(REPLACE ";" "" CPACK_PACKAGE_DESCRIPTION "${CPACK_PACKAGE_DESCRIPTION}")
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION utils)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
  OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
include(CPack)
