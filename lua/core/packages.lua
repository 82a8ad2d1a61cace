-- Finds Lua packages in package.path, and files in their folders.

local function folder_of(path)
   return path:match '^(.*)[/\\]'
end

local function install(tensor)
   --- packageLuaPath([name]): returns the folder of a package in package.path, or nil. Without a
   -- name, returns the parent of this module's folder, which contains the packages installed
   -- beside it.
   function tensor.packageLuaPath(name)
      if name == nil then
         local own = tensor.packageLuaPath 'torch' or tensor.packageLuaPath 'tensor'
         return own and folder_of(own)
      end
      if type(name) ~= 'string' then
         error('packageLuaPath: the name of a package is expected, got ' .. tensor.type(name), 2)
      end
      for pattern in package.path:gmatch '[^;]+' do
         local path = pattern:gsub('%?', (name:gsub('%%', '%%%%')))
         local file = io.open(path)
         if file then
            file:close()
            return folder_of(path)
         end
      end
   end

   --- include(name, file): runs a file in the folder of a package.
   function tensor.include(name, file)
      if type(name) ~= 'string' then
         error('include: the name of a package is expected, got ' .. tensor.type(name), 2)
      end
      if type(file) ~= 'string' then
         error('include: the name of a file is expected, got ' .. tensor.type(file), 2)
      end
      local folder = tensor.packageLuaPath(name)
      if not folder then
         error(('include: package %s not found in package.path'):format(name), 2)
      end
      return dofile(folder .. '/' .. file)
   end

   -- The class of allocators of C code. Lua cannot construct them, only push them from pointers.
   tensor.newmetatable('torch.Allocator', nil, nil, nil, nil, tensor)
end

return install
