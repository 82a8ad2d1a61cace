# Compiles for ARM64 on another machine, with Debian's cross compiler:
#   cmake -S . -B build/arm64 -DCMAKE_TOOLCHAIN_FILE=cmake/aarch64-linux-gnu.cmake
# TH_ARM64_ROOT (a CMake or environment variable) is a folder created by scripts/arm64-root, which
# contains the compiler, the ARM64 libraries and qemu-user. Without it, the system's are used. The
# programs built run under qemu.

set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(TH_ARM64_ROOT "$ENV{TH_ARM64_ROOT}" CACHE PATH "A root with ARM64's libraries; empty: /")
# try_compile needs this variable, too.
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES TH_ARM64_ROOT)

set(arm64_bin /usr/bin)
if(TH_ARM64_ROOT)
  set(arm64_bin "${TH_ARM64_ROOT}/bin")
  set(CMAKE_SYSROOT "${TH_ARM64_ROOT}")
  set(ENV{PKG_CONFIG_SYSROOT_DIR} "${TH_ARM64_ROOT}")
endif()
set(CMAKE_C_COMPILER "${arm64_bin}/aarch64-linux-gnu-gcc")
set(CMAKE_CXX_COMPILER "${arm64_bin}/aarch64-linux-gnu-g++")
set(arm64_usr "${TH_ARM64_ROOT}/usr")
set(ENV{PKG_CONFIG_LIBDIR}
    "${arm64_usr}/lib/aarch64-linux-gnu/pkgconfig:${arm64_usr}/share/pkgconfig")

set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
if(NOT TH_ARM64_ROOT)
  set(CMAKE_FIND_ROOT_PATH /usr)
endif()
set(CMAKE_CROSSCOMPILING_EMULATOR "${arm64_bin}/qemu-aarch64;-L;${TH_ARM64_ROOT}/")
