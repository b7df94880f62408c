# `cpack`: confab_VERSION_ARCHITECTURE.deb. See ./dev package, which sets SOURCE_DATE_EPOCH and makes the
# archives of the same files.
set(maintainer "The confab authors <packages@confab.invalid>" CACHE STRING "Of the Debian package")
set(docs ${CMAKE_INSTALL_DATADIR}/doc/confab)
string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)  # that of SOURCE_DATE_EPOCH, if set
configure_file(${PROJECT_SOURCE_DIR}/packaging/debian/changelog.in changelog.Debian @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/changelog.Debian DESTINATION ${docs})
install(FILES ${PROJECT_SOURCE_DIR}/CHANGELOG.md DESTINATION ${docs} RENAME changelog)
install(FILES ${PROJECT_SOURCE_DIR}/packaging/debian/copyright DESTINATION ${docs})

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME confab)
set(CPACK_PACKAGE_CONTACT ${maintainer})
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "chat in the terminal with language models on this machine")
string(CONCAT CPACK_PACKAGE_DESCRIPTION
  "A full-screen chat with language models in GGUF files, which run on this\n"
  "machine's processor, or on its graphics processor, without a network. Conversations are kept in a database\n"
  "and can be searched and exported. What a model has read is kept on disk and\n"
  "not read again. A tiny demo model comes along.")
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_SECTION utils)
if(CONFAB_PORTABLE)  # dpkg-shlibdeps would name the C library of this machine
  set(CPACK_DEBIAN_PACKAGE_DEPENDS "libc6 (>= 2.31), libgcc-s1")
else()
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
endif()
# What is opened when it is used: engines elsewhere, graphics processors, PDFs (pdftotext).
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS libcurl4)
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "libvulkan1, mesa-vulkan-drivers, poppler-utils")
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/packaging/compress.cmake)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
  OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
include(CPack)
