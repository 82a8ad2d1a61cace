-- Runs busted in the interpreter that runs this file. Busted's launcher may choose another one.
require 'busted.runner'({ standalone = false })
