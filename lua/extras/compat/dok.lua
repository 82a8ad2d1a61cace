-- dok: the functions of Torch7's package dok that other packages use. They are those of xlua.

local xlua = require 'xlua'

local dok = {usage = xlua.usage, unpack = xlua.unpack, error = xlua.error}

if rawget(_G, 'dok') == nil then
   rawset(_G, 'dok', dok)
end

return dok
