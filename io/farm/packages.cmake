# `cpack` in the build folder: a package of Debian's and a tarball, with the program and what belongs
# to it (io/farm/README.md).
set(CPACK_PACKAGE_VENDOR "the keydrape authors")
set(CPACK_PACKAGE_CONTACT "the keydrape authors <keydrape@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY ${PROJECT_DESCRIPTION})
set(CPACK_GENERATOR DEB TGZ)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL program)
set(CPACK_COMPONENTS_GROUPING ALL_COMPONENTS_IN_ONE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_ARCHIVE_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_PACKAGE_SECTION graphics)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
# The libraries that the program was linked with, in the versions that it needs.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# libblas3 and liblapack3 alone would be the reference ones, which are half as fast.
set(CPACK_DEBIAN_PACKAGE_DEPENDS libopenblas0-pthread)
include(CPack)
