-- tensor.summary: statistics of a tensor for inspection.

local types = require 'tensor.types'
local versions = require 'tensor.versions'

local BINS, BAR = 10, 40

local units = {{2^30, 'GiB'}, {2^20, 'MiB'}, {2^10, 'KiB'}}

local function bytes(n)
   for _, unit in ipairs(units) do
      if n >= unit[1] then return ('%.1f %s'):format(n / unit[1], unit[2]) end
   end
   return ('%d B'):format(n)
end

local function shape(size) return #size > 0 and table.concat(size, 'x') or 'no dimension' end

-- Formats a summary as text.
local function text(s)
   local lines = {
      ('%s of %s%s on %s'):format(s.type, #s.size > 0 and 'size ' or '', shape(s.size), s.device),
      ('%d element%s of %d B: %s; %s, in a storage of %s'):format(
         s.elements, s.elements == 1 and '' or 's', s.elementSize, bytes(s.bytes),
         s.contiguous and 'contiguous' or 'not contiguous', bytes(s.storageBytes)),
   }
   if s.elements > 0 then
      lines[#lines + 1] = ('NaN: %d, infinite: %d, zero: %d'):format(s.nans, s.infinities, s.zeros)
   end
   if not s.min then return table.concat(lines, '\n') end
   lines[#lines + 1] = ('from %.6g to %.6g, mean %.6g, standard deviation %.6g')
                       :format(s.min, s.max, s.mean, s.std)
   local most = math.max(versions.unpack(s.histogram))
   for k, count in ipairs(s.histogram) do
      local bar = ('#'):rep(math.ceil(BAR * count / most))
      lines[#lines + 1] = ('%12.5g .. %-12.5g %10d %s')
                          :format(s.edges[k], s.edges[k + 1], count, bar):gsub('%s+$', '')
   end
   return table.concat(lines, '\n')
end

local summaries = {__tostring = text}

-- Computes range, mean, standard deviation and histogram of the finite elements.
local function measure(s, values)
   s.min, s.max, s.mean = values:min(), values:max(), values:mean()
   s.std = values:nElement() > 1 and values:std() or 0
   s.edges, s.histogram = {s.min, s.max}, {values:nElement()}
   -- No histogram if all values are equal or the range overflows.
   local step = (s.max - s.min) / BINS
   if step > 0 and step < math.huge then
      s.histogram = values:histc(BINS, s.min, s.max):totable()
      for k = 0, BINS do s.edges[k + 1] = k == BINS and s.max or s.min + k * step end
   end
end

return function(tensor)
   --- summary(t): returns a table with the shape, type, device, memory use and statistics of t.
   -- tostring formats it. For a table of columns, returns that of describe.
   function tensor.summary(t)
      if type(t) == 'table' and tensor.describe then
         return tensor.describe(t)
      end
      if not tensor.isTensor(t) then
         error(('summary: a tensor is expected, got %s'):format(tensor.type(t)), 2)
      end
      local storage = t:storage()
      local s = {
         type = t:type(), size = t:size():totable(), elements = t:nElement(), device = t:device(),
         contiguous = t:isContiguous(), elementSize = t:elementSize(), nans = 0, infinities = 0,
      }
      s.bytes = s.elements * s.elementSize
      s.storageBytes = storage and storage:size() * s.elementSize or 0
      if s.elements > 0 then
         local values = t
         if types.widened[s.type] then
            values = t:type(types.widened[s.type])
         elseif types.is_integral[s.type] then
            values = t:type(types.beside(s.type, 'torch.DoubleTensor'))
         end
         local finite = values:isfinite()
         local count = finite:sum()
         s.nans = values:isnan():sum()
         s.infinities = s.elements - count - s.nans
         s.zeros = values:eq(0):sum()
         if count < s.elements then values = values:maskedSelect(finite) end
         if count > 0 then measure(s, values) end
      end
      return setmetatable(s, summaries)
   end
end
