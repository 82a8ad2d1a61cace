-- require 'tensor': the core, and the extras on top of it.

local tensor = require 'tensor.module'
local versions = require 'tensor.versions'

local on_demand = require 'tensor.native'.on_demand

on_demand.add('tensor.plot', 'plot')
on_demand.add('tensor.image', 'image')
on_demand.add('tensor.columns', 'factorize describe')
on_demand.add_class('tensor.cmdline', 'CmdLine')
on_demand.add_class('tensor.test.tester', 'Tester')

require 'tensor.names'.install(tensor)

--- help([name or function]): prints the signatures and the description of a function or class.
-- Without an argument, prints the list of all names.
function tensor.help(what)
   on_demand.load_all()
   versions.require 'tensor.help'(tensor, what)
end

--- pretty(value): returns a value as text, as the prompt shows it: tables with their contents.
function tensor.pretty(value)
   return versions.require 'tensor.repl.show'.value(value)
end

--- hint(message): returns advice about an error message of Lua that concerns a tensor, as the
-- program tensor adds to it, or nil.
function tensor.hint(message)
   return versions.require 'tensor.repl.hints'.of(tostring(message), _G)
end

--- A table for tests that raises an error if a test is defined twice.
tensor.TestSuite = require 'tensor.test.suite'

--- test([names]): runs quick tests of the installation.
function tensor.test(names)
   return versions.require 'tensor.test.installed'(tensor, names)
end

require 'tensor.extra_arguments'.limit_module(tensor)

return tensor
