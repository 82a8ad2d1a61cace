# Installs BUILD into PREFIX (below DESTDIR, if set in the environment). Removes an earlier
# installation, and writes the list of installed files for Uninstall.cmake.
include("${CMAKE_CURRENT_LIST_DIR}/Uninstall.cmake")
execute_process(COMMAND "${CMAKE_COMMAND}" --install "${BUILD}" --prefix "${PREFIX}"
                OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
file(READ "${BUILD}/install_manifest.txt" files)
# After `sudo make install`, users could not overwrite the file, and each installation writes it.
file(REMOVE "${BUILD}/install_manifest.txt")
file(WRITE "${manifest}" "${files}\n")
string(REGEX MATCHALL "\n" lines "${files}\n")
list(LENGTH lines count)
message(STATUS "installed ${count} files below $ENV{DESTDIR}${PREFIX}")
