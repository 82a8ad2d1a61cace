# tensor_link(<program> <source>): links a test or benchmark with what its source includes. One that
# includes a header of one of libTH's rooms gets libTH's objects, whose symbols the shared library
# hides, and the software device; all others are linked as clients are.

function(tensor_link program source)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${source}")
  file(STRINGS "${source}" of_rooms
       REGEX "^ *# *include +[\"<](TH/)?(memory|tensor|ops|cpu|cuda|simt|soft|backend|generic|blob|io)/.*[\">]")
  file(STRINGS "${source}" of_luat REGEX "^ *# *include +[\"<](luaT/)?luaT\\.h")
  set_property(TARGET ${program} PROPERTY TENSOR_INTERNAL FALSE)
  if(of_rooms)
    set_property(TARGET ${program} PROPERTY TENSOR_INTERNAL TRUE)
    target_link_libraries(${program} PRIVATE th_internal)
    if(TARGET THsoft)
      target_link_libraries(${program} PRIVATE THsoft)
    endif()
  else()
    target_link_libraries(${program} PRIVATE TH Threads::Threads)
  endif()
  if(of_luat)
    target_link_libraries(${program} PRIVATE luaT PkgConfig::LUAJIT)
  endif()
  target_include_directories(${program} PRIVATE "${TH_GENERATED_DIR}")
endfunction()
