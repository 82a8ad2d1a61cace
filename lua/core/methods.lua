-- Conversions between element types, and methods that consist of a few calls of others.

local classes = require 'tensor.classes'
local core = require 'tensor.core'
local versions = require 'tensor.versions'
local each, shown = versions.each, versions.shown
local is_freed, list_length = core._isfreed, core._listlength
local types = require 'tensor.types'

-- The element types by the names of methods, of types in C and in NumPy.
local short_names = {}
for _, element in ipairs(types) do
   short_names[element.method], short_names[element.name:lower()] = element, element
   short_names[element.name:lower() .. 'tensor'] = element
end
for name, method in each {int8 = 'char', uint8 = 'byte', bool = 'byte', int16 = 'short',
                          int32 = 'int', int64 = 'long', float16 = 'half', float32 = 'float',
                          float64 = 'double'} do
   short_names[name] = short_names[method]
end

local function install(tensor)
   --- t:type(): returns the class name. t:type(name): returns a tensor of that class: t itself if
   -- it has that class, otherwise a converted copy. Instead of the name, a class is accepted.
   local function converter(kind, isobject)
      return function(self, name, class)
         if not isobject(self) then
            local reason = is_freed(self) and 'a finalizer or tensor.scope has freed it'
                           or 'a method is called with a colon'
            error(('type: a %s is expected, got %s: %s')
                  :format(kind:lower(), tensor.type(self), reason), 2)
         end
         local current = tensor.typename(self)
         if name == nil then
            return current
         end
         if name == current then
            return self
         end
         class = class or type(name) == 'string' and name:match('^torch%..*' .. kind .. '$')
                 and tensor.getmetatable(name)
         if not class then
            local short = type(name) == 'string' and short_names[name:lower()]
            local advice = short and (': use t:%s(), or the name torch.%s%s')
                                     :format(short.method, short.name, kind) or ''
            error(('type: %s is not a %s class%s'):format(tostring(name), kind:lower(), advice), 2)
         end
         local converted = class.new()
         if kind == 'Tensor' then
            if self:dim() > 0 then
               converted:resizeAs(self):copy(self)
            end
         else
            converted:resize(self:size()):copy(self)
         end
         return converted
      end
   end

   for _, kind in ipairs {'Tensor', 'Storage'} do
      local isobject = kind == 'Tensor' and tensor.isTensor or tensor.isStorage
      local convert = converter(kind, isobject)
      local methods = {}
      function methods.type(self, name)
         return convert(self, name)
      end
      for _, element in ipairs(types) do
         local name, class = types.class_name(element, kind), tensor[element.name .. kind]
         methods[element.method] = function(self)
            return convert(self, name, class)
         end
      end
      function methods.real(self)
         return convert(self, (tensor.getdefaulttensortype():gsub('Tensor$', kind)))
      end
      function methods.typeAs(self, other)
         local name = isobject(other) and tensor.typename(other)
         -- A module of nn has a type, too.
         if not name and type(other) == 'table' and versions.is_callable(other.type) then
            local ok, result = pcall(other.type, other)
            name = ok and type(result) == 'string' and tensor.getmetatable(result) and result
         end
         if not name then
            error(('typeAs: a %s is expected, got %s'):format(kind:lower(), tensor.type(other)), 2)
         end
         return convert(self, name)
      end
      classes.extend(kind, function(class)
         for name, method in each(methods) do
            class[name] = method
         end
      end)
   end

   classes.extend('Tensor', function(class)
      --- The function as a method.
      class.isTensor = tensor.isTensor

      --- t:repeatTensor(counts...) or result:repeatTensor(t, counts...): repeats t counts[d] times
      -- along dimension d. If there are more counts than dimensions, dimensions of size 1 are added
      -- in front of t.
      function class.repeatTensor(self, first, ...)
         local source, result = self, nil
         local given = select('#', ...)
         local sizes
         if tensor.isTensor(first) then
            result, source = self, first
            sizes = {...}
         else
            sizes, given = {first, ...}, (first ~= nil or given > 0) and given + 1 or 0
         end
         if given == 1 and tensor.isStorage(sizes[1]) then
            sizes = sizes[1]:totable()
            given = #sizes
         elseif given == 1 and type(sizes[1]) == 'table' then
            sizes = sizes[1]
            given = list_length('repeatTensor', sizes)
         end
         if not tensor.isTensor(source) then
            error('repeatTensor: a tensor is expected, got ' .. tensor.type(source), 2)
         end
         if source:dim() == 0 then
            error('repeatTensor: a tensor without dimensions cannot be repeated', 2)
         end
         if given < source:dim() then
            error(('repeatTensor: a count for each of the %d dimensions is expected, '
                   .. 'got %d number%s'):format(source:dim(), given, given == 1 and '' or 's'), 2)
         end
         local counts = {}
         for d = 1, given do
            local count = sizes[d]
            if type(count) ~= 'number' or count ~= count then
               error(('repeatTensor: number expected for size %d, got %s')
                     :format(d, count ~= count and 'nan' or tensor.type(count)), 2)
            end
            if count % 1 ~= 0 and tensor.getRule 'numbers' ~= 'torch7' then
               error(('repeatTensor: size %d must be an integer, got %s')
                     :format(d, shown(count)), 2)
            end
            counts[d] = count < 0 and math.ceil(count) or math.floor(count)
            if counts[d] < 0 then
               error(('repeatTensor: size %d is negative: %s'):format(d, shown(counts[d])), 2)
            end
         end
         counts = tensor.LongStorage(counts)
         if not result then
            return (tensor['repeat'](source, counts))
         end
         -- By Torch7's rule the elements are converted as by copy, which truncates.
         if tensor.getRule 'types' == 'torch7' then
            source = source:typeAs(result)
         end
         return (tensor['repeat'](result, source, counts))
      end
   end)

   function tensor.repeatTensor(t, ...)
      if not tensor.isTensor(t) then
         error('repeatTensor: a tensor is expected, got ' .. tensor.type(t), 2)
      end
      return t:repeatTensor(...)
   end
   function tensor.totable(object)
      if not tensor.isTensor(object) and not tensor.isStorage(object) then
         error('totable: a tensor or storage is expected, got ' .. tensor.type(object), 2)
      end
      return object:totable()
   end
   function tensor.numel(t)
      if not tensor.isTensor(t) then
         error('numel: a tensor is expected, got ' .. tensor.type(t), 2)
      end
      return t:nElement()
   end
   function tensor.clone(t, ...)
      if not tensor.isTensor(t) then
         error('clone: a tensor is expected, got ' .. tensor.type(t), 2)
      end
      return t:clone(...)
   end
end

return install
