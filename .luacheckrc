std = 'luajit'
max_line_length = 100

files['test/lua'] = { std = 'luajit+busted' }
files['examples/nginx'] = { std = 'ngx_lua' }
files['test/checks/nginx'] = { std = 'ngx_lua' }
files['rockspec'] = { std = 'rockspec' }
-- As Torch7's programs have them.
files['test/package'] = { globals = { 'torch', 'rows' } }
-- What require 'torch' sets, and what scripts define.
files['test/lua/scripts'] = {
  std = 'luajit', read_globals = { 'torch', 'include', 'paths', table = { fields = { 'unpack' } } },
  globals = { 'mlp', 'Model' },
}
files['test/lua/support/packages'] = { globals = { 'torch', 'paths', 'image' } }
-- Whatever Lua it is.
files['lua/core/versions.lua'] = { std = 'max' }
files['test/lua/support/dialect.lua'] = {
  std = 'max', globals = { package = { fields = { 'searchpath' } } },
}
