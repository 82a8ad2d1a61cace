-- As those of packages for Torch7 are written.

package = 'rows'
version = 'scm-1'

source = {
  url = 'git+file://.',
}

description = {
  summary = 'Rows of matrices',
  license = 'MIT',
}

dependencies = {
  'torch >= 7.0',
}

build = {
  type = 'command',
  build_command = [[
cmake -E make_directory build;
cd build;
cmake .. -DLUALIB=$(LUALIB) -DLUA_INCDIR=$(LUA_INCDIR) -DLUA_LIBDIR=$(LUA_LIBDIR) \
  -DCMAKE_BUILD_TYPE=Release -DCMAKE_PREFIX_PATH="$(LUA_BINDIR)/.." \
  -DCMAKE_INSTALL_PREFIX="$(PREFIX)" -DCMAKE_POLICY_VERSION_MINIMUM=3.5;
$(MAKE)
]],
  install_command = 'cd build && $(MAKE) install',
}
