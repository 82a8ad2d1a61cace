# What is installed beside the library and the modules, and the Debian packages that `make deb` makes
# through CPack: one for each component.

if(NOT TENSOR_ROCK)
  set(doc "${CMAKE_INSTALL_DOCDIR}")
  install(FILES packaging/tensor.1 DESTINATION "${CMAKE_INSTALL_MANDIR}/man1" COMPONENT runtime)
  install(FILES packaging/tensor.bash RENAME tensor COMPONENT runtime
          DESTINATION "${CMAKE_INSTALL_DATADIR}/bash-completion/completions")
  install(FILES packaging/_tensor DESTINATION "${CMAKE_INSTALL_DATADIR}/zsh/site-functions"
          COMPONENT runtime)
  # As they lie in the sources: they link each other.
  install(FILES README.md LICENSE CHANGELOG.md CONTRIBUTING.md DESTINATION "${doc}"
          COMPONENT runtime)
  install(DIRECTORY doc/ DESTINATION "${doc}/doc" COMPONENT runtime
          FILES_MATCHING PATTERN "*.md" PATTERN "*.txt")
endif()
