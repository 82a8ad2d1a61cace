# Empties PREFIX and installs BUILD into it, so no files of an earlier build remain.
file(REMOVE_RECURSE "${PREFIX}")
# It may belong to another user, who called cmake --install.
file(REMOVE "${BUILD}/install_manifest.txt")
execute_process(COMMAND "${CMAKE_COMMAND}" --install "${BUILD}" --prefix "${PREFIX}"
                OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
