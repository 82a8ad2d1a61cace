# LuaRocks moves files one by one, which breaks symbolic links. In a rock, each library is a single
# regular file with the name that the loader looks for.

if(TENSOR_ROCK)
  set_property(TARGET TH luaT PROPERTY VERSION)
  install(CODE "
    file(GLOB files \"${CMAKE_INSTALL_LIBDIR}/*.so*\")
    foreach(file IN LISTS files)
      if(IS_SYMLINK \"\${file}\")
        file(REMOVE \"\${file}\")
      endif()
    endforeach()")
endif()
