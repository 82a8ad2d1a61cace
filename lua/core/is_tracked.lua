-- is_tracked(x): returns true for a tracked number, without loading tracked_number.lua.

return function(x)
   local class = type(x) == 'table' and getmetatable(x)
   return type(class) == 'table' and rawget(class, 'is_tracked_number') == true
end
