-- The values that a Lua function can read besides its arguments, so that tensor.compile notices
-- when one of them changes. No instructions are decoded: a function can name a global only by a
-- string among its constants, so every such string counts.

local MOST = 20000  -- rows in a list

local classes = require 'tensor.classes'
local each_string = require 'tensor.constants'.each_string
local Forms = require 'tensor.nested'.Forms
local versions = require 'tensor.versions'
local following = versions.raw_next

-- Names of functions and classes of the module that read or change a state that no list shows.
local stateful = {}
for name in ([[
   deserialize deserializeFromStorage load loadobj save saveobj serialize serializeToStorage include
   tic toc Timer DiskFile MemoryFile PipeFile CmdLine Tester Generator Allocator test
   seed initialSeed manualSeed getRNGState setRNGState getGenerator setGenerator
   getnumthreads getnumcores setnumthreads info memory stats resetStats emptyCache synchronize
   setBroadcast setStrict setRule setRules setDefaultDevice setDeviceDebug setTF32
   setdefaulttensortype
   setheaptracking setprintoptions warnOfFallbacks withDevice profile
   help plot summary isatty pointer pushudata getenv setenv
]]):gmatch '%S+' do
   stateful[name] = true
end

-- Functions of Lua whose results depend on their arguments alone.
local pure = {}
for name in ([[
   assert error getmetatable ipairs next pairs pcall rawequal rawget rawlen rawset select
   setmetatable tonumber tostring type unpack xpcall
]]):gmatch '%S+' do
   if rawget(_G, name) then
      pure[_G[name]] = true
   end
end
for _, library in ipairs {'string', 'table', 'math', 'coroutine', 'bit', 'bit32', 'utf8'} do
   for _, f in following, rawget(_G, library) or {} do
      pure[f] = type(f) == 'function' or nil
   end
end
for _, f in ipairs{math.random, math.randomseed, coroutine.running, coroutine.isyieldable} do
   pure[f] = nil
end

local function index(t, key)
   return t[key]
end

--- dependencies(f): returns a list, its kinds, and a table whose keys are the tables that f can
-- read; or nil and a reason to refuse f. Row k of the list is {holder, key, value}, from element
-- 3k - 2 on. Kinds has two letters per row. The first letter is the kind of access:
--   u, U  an upvalue of the holder; of f itself;
--   f, F  a field of the holder; of the holder of the row before;
--   m     the metatable of the holder;
--   e     the environment of the holder;
--   p     all pairs of the holder; the key is their number, and a row n for each of them follows;
-- The second letter is t for a tensor, - for nil, and v for any other value. The list refers to
-- values weakly, and to tensors not at all.
local function install(tensor, core, Compiled)
   local debug = debug or {}
   local getupvalue, getinfo, getfenv = debug.getupvalue, debug.getinfo, debug.getfenv
   local getmetatable = debug.getmetatable
   if not (getupvalue and getinfo and getmetatable) then
      return function()
         return nil, 'cannot be examined: the debug library is incomplete'
      end
   end
   local own = getinfo(1, 'S').source:match '^(.*[/\\])' or '?'
   local core_class, isTensor = getmetatable(core), tensor.isTensor

   -- Tables of the module and of Lua. Only what others have put there counts.
   local library = {[tensor] = true, [Compiled] = true}
   for _, name in ipairs {'string', 'table', 'math', 'coroutine', 'bit', 'bit32', 'utf8', 'io',
                          'os', 'debug', 'jit', 'package'} do
      if rawget(_G, name) then
         library[_G[name]] = true
      end
   end
   for _, value in following, tensor do
      if type(value) == 'table' then
         library[value] = true
      end
   end

   -- The module's C functions, and why one of its functions cannot be repeated; made when needed.
   local of_module, refused
   local with_functions = {tensor}
   classes.extend('Tensor', function(class)
      library[class], of_module = true, nil
      with_functions[#with_functions + 1] = class
   end)
   local function know_module()
      of_module, refused = {}, {}
      for _, functions in ipairs(with_functions) do
         for _, f in following, functions do
            of_module[f] = type(f) == 'function' or nil
         end
      end
      for name in following, stateful do
         if tensor[name] then
            refused[tensor[name]] = name
         end
      end
   end

   -- Returns true if g is a Lua function of the module.
   local function is_own(g)
      return type(g) == 'function' and getinfo(g, 'S').source:sub(1, #own) == own
   end

   -- Returns true if g is a Lua function of the program, or another value of it that is called.
   local function is_foreign(g)
      if type(g) == 'function' then
         return getinfo(g, 'S').what ~= 'C' and not is_own(g)
      end
      return not library[g] and versions.is_callable(g)
   end

   return function(f)
      if not of_module then
         know_module()
      end
      local rows, kinds, count = setmetatable({}, {__mode = 'v'}), {}, 0
      local functions, found, tables, by_name = {f}, {[f] = true}, {}, {}
      local readable, keys = {}, nil
      local names, known, loaded, by_function, reason = {}, {}, {}, {}, nil
      for _, module in following, package.loaded do
         loaded[module] = true
      end
      local reach, reach_by_name
      -- Where tables and functions were found first: from[value] = {holder, label}.
      local from = {}

      -- Returns the path of a value that was found in a holder, as ' (upvalue s, field a.b)', and
      -- true if the holder is a table of the program. Returns '' for upvalues of f, and for values
      -- in tables of Lua or the module.
      local function path_of(holder, label)
         local is_field = type(holder) == 'table' and holder ~= _G and not library[holder]
         if type(holder) == 'table' and not is_field then
            return '', false
         end
         local parts, fields, visited = {}, '', {}
         while holder and not visited[holder] do
            visited[holder] = true
            if holder == _G or type(holder) == 'function' then
               local kind = holder == _G and 'global ' or 'upvalue '
               fields = fields ~= '' and ', field ' .. fields or ''
               table.insert(parts, 1, kind .. label .. fields)
               fields = ''
            else
               local text = type(label) == 'string' and label or ('[%s]'):format(tostring(label))
               local is_next = fields ~= '' and fields:sub(1, 1) ~= '['
               fields = text .. (is_next and '.' or '') .. fields
            end
            local place = holder ~= _G and from[holder]
            holder, label = place and place[1], place and place[2]
         end
         if fields ~= '' then
            table.insert(parts, 1, 'field ' .. fields)
         end
         local text = table.concat(parts, ', ')
         return text:find(',', 1, true) and (' (%s)'):format(text) or '', is_field
      end

      -- opaque: what the value is made of does not count.
      local function add(kind, holder, key, value, name, opaque)
         count = count + 1
         if count > MOST then
            reason = reason or ('can read more than %d values besides its arguments'):format(MOST)
            return
         end
         local is_tensor = value ~= nil and isTensor(value)
         rows[3 * count - 2], rows[3 * count - 1] = holder, key
         if not is_tensor then
            rows[3 * count] = value
         end
         if type(value) == 'table' then
            readable[value] = true
         end
         if kind == 'f' and count > 1 and rawequal(rows[3 * count - 5], holder)
            and kinds[count - 1]:find '^[fF]' then
            kind = 'F'
         end
         kinds[count] = kind .. (is_tensor and 't' or value == nil and '-' or 'v')
         if not opaque then
            reach(value, name or key, holder or f)
         end
      end

      -- A function can compare the tensors that are keys with others. They are fields of a table,
      -- so that the core reads them as captured tensors. Only the list refers to this table.
      local function add_key(key)
         if not keys then
            keys = setmetatable({}, {__mode = 'v'})
            rows[keys] = true
         end
         keys[#keys + 1] = key
         add('f', keys, #keys, key, nil, true)
      end

      -- A field of a table that is read by name.
      local function look_up(t, name)
         local value = rawget(t, name)
         if not library[t] then
            add('f', t, name, value)
            if value == nil and by_function[t] then
               local ok, got = pcall(index, t, name)
               if ok and not rawequal(got, rawget(_G, name)) then
                  reason = reason or ("finds '%s' by a function"):format(name)
               end
            end
         elseif value ~= nil and not (library[value] and not refused[value]) then
            if is_own(value) or type(value) == 'function' and getinfo(value, 'S').what == 'C' then
               reach(value, name, t)
            else
               add('f', t, name, value)
            end
         end
      end

      -- A function that gives a table its missing fields has to find those of _G. Those of the
      -- module's tables raise errors.
      function reach_by_name(t)
         if by_name[t] then
            return
         end
         by_name[t] = true
         tables[#tables + 1] = t
         if not library[t] then
            for key in following, t do
               if type(key) == 'userdata' and isTensor(key) then
                  reason = reason or 'can read a module or an environment with tensors as keys'
               elseif type(key) ~= 'string' then
                  if type(key) == 'table' then
                     readable[key] = true
                  end
                  add('f', t, key, rawget(t, key))
                  if type(key) == 'number' and rawget(t, key + 1) == nil then
                     add('f', t, key + 1)  -- the end of a list
                  end
               end
            end
            local metatable = getmetatable(t)
            local default = metatable and rawget(metatable, '__index')
            by_function[t] = type(default) == 'function' and not is_own(default)
            add('m', t, nil, metatable, 'metatable', type(default) == 'function')
            if by_function[t] then
               add('f', metatable, '__index', default, nil, true)
               reach_by_name(_G)
            end
         end
         for _, name in ipairs(names) do
            look_up(t, name)
         end
      end

      local function reach_all(t)
         if found[t] then
            return
         end
         found[t] = true
         add('m', t, nil, getmetatable(t), 'metatable')
         local fields = {}
         for key in following, t do  -- holds the keys of a weak table
            fields[#fields + 1] = key
         end
         add('p', t, #fields)
         for _, key in ipairs(fields) do
            if reason then
               return
            end
            add('n', nil, key, rawget(t, key), nil, true)
         end
         for _, key in ipairs(fields) do
            if type(key) == 'userdata' and isTensor(key) then
               add_key(key)
            end
            reach(key, 'a key', t)
            reach(rawget(t, key), key, t)
         end
      end

      -- A function of the module that calls functions of the program, such as tensor.grad(f), or
      -- calls functions of the module that do.
      local function reach_wrapped(g)
         found[g] = true
         for k = 1, math.huge do
            local name, value = getupvalue(g, k)
            if not name then
               return
            elseif (name == 'f' or name == 'rule' or name == 'which') and value ~= nil
                   or is_foreign(value) then
               add(g == f and 'U' or 'u', g ~= f and g or nil, k, value, name)
            elseif is_own(value) and not found[value] then
               reach_wrapped(value)
            end
         end
      end

      local function reach_function(g, name, holder)
         if refused[g] then
            reason = reason or ("uses '%s'%s, whose effect or result is not repeated")
                               :format(refused[g], (path_of(holder, name)))
         elseif g == require then
            reach_by_name(package.loaded)
         elseif getinfo(g, 'S').what == 'C' then
            if not pure[g] and not of_module[g] then
               reason = reason or ("uses '%s'%s, whose effect or result is not repeated")
                                  :format(tostring(name), (path_of(holder, name)))
            end
         elseif found[g] then
            return
         elseif getinfo(g, 'S').source:sub(1, #own) == own then
            reach_wrapped(g)
         else
            found[g] = true
            functions[#functions + 1] = g
         end
      end

      function reach(value, name, holder)
         local kind = type(value)
         if reason or value == nil or kind == 'number' or kind == 'string' or kind == 'boolean' then
            return
         end
         if from[value] == nil and value ~= f and name ~= nil then
            from[value] = {holder, name}
         end
         if kind == 'function' then
            reach_function(value, name, holder)
         elseif refused[value] then
            reason = ("uses '%s', whose effect or result is not repeated"):format(refused[value])
         elseif kind == 'table' then
            readable[value] = true
            if getmetatable(value) == Forms then
               return
            end
            local named = library[value] or loaded[value] or by_name[value]
            return (named and reach_by_name or reach_all)(value)
         elseif not isTensor(value) and getmetatable(value) ~= core_class then
            local path, is_field = path_of(holder, name)
            reason = ("reads '%s', a %s%s%s"):format(
               tostring(name), tensor.type(value) or kind, path,
               is_field and '; keep what the function uses in local variables of its own' or '')
         end
      end

      local function read_function(g)
         local is_f = g == f
         local some
         local function visit(name)
            some = true
            if not known[name] then
               known[name] = true
               names[#names + 1] = name
               for k = 1, #tables do
                  look_up(tables[k], name)
               end
            end
         end
         each_string(g, visit)
         if some and getfenv then
            local environment = getfenv(g)
            reach_by_name(environment)
            add('e', g, nil, environment)
         end
         for k = 1, math.huge do
            local name, value = getupvalue(g, k)
            if not name then
               return
            elseif name == '_ENV' and type(value) == 'table' then
               reach_by_name(value)
            end
            add(is_f and 'U' or 'u', not is_f and g or nil, k, value, name)
         end
      end

      for k = 2, #with_functions do  -- the classes
         reach_by_name(with_functions[k])
      end
      local strings = getmetatable ''
      reach(strings and strings.__index, '__index', strings)
      local k = 1
      while functions[k] and not reason do
         if k == 1 and getinfo(f, 'S').source:sub(1, #own) == own then
            reach_wrapped(f)
         else
            read_function(functions[k])
         end
         k = k + 1
      end
      if reason then
         return nil, reason
      end
      return rows, table.concat(kinds), readable
   end
end

return install
