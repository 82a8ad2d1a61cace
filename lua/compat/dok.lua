-- dok: the functions that packages use of Torch7's package of that name. They are xlua's.

local xlua = require 'xlua'

local dok = {usage = xlua.usage, unpack = xlua.unpack, error = xlua.error}

if rawget(_G, 'dok') == nil then
   rawset(_G, 'dok', dok)
end

return dok
