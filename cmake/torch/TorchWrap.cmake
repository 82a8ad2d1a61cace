# add_torch_wrap(<target> <Lua file>): runs the Lua file with the name of the C file that it must
# write.
macro(ADD_TORCH_WRAP target luafile)
  include_directories("${CMAKE_CURRENT_BINARY_DIR}")
  get_filename_component(Torch_wrapped "${luafile}" NAME_WE)
  find_program(Torch_LUA NAMES luajit lua5.1 lua)
  add_custom_command(
    OUTPUT "${CMAKE_CURRENT_BINARY_DIR}/${Torch_wrapped}.c"
    COMMAND "${Torch_LUA}" "${CMAKE_CURRENT_SOURCE_DIR}/${luafile}"
            "${CMAKE_CURRENT_BINARY_DIR}/${Torch_wrapped}.c"
    WORKING_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}"
    DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/${luafile}")
  add_custom_target(${target} DEPENDS "${CMAKE_CURRENT_BINARY_DIR}/${Torch_wrapped}.c")
endmacro()
