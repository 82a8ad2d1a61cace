std = 'luajit'
max_line_length = 100

files['test/lua'] = { std = 'luajit+busted' }
files['rockspec'] = { std = 'rockspec' }
-- What require 'torch' sets, and one module of a script's own.
files['test/lua/scripts'] = {
  std = 'luajit', read_globals = { 'torch', 'include', 'paths', table = { fields = { 'unpack' } } },
  globals = { 'mlp' },
}
