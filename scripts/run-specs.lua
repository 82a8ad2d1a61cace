-- Runs busted, whatever interpreter its own launcher would take, in the one that runs this file.
require 'busted.runner'({ standalone = false })
