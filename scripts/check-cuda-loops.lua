-- Compares the registers of CUDA kernels, and the instructions of their loops, with limits.
--
--   luajit scripts/check-cuda-loops.lua limits.txt file.cubin...
--
-- A row of the limits: a Lua pattern for the mangled name of a kernel; the most registers; the most
-- instructions of its main loop for each store or, if the loop stores nothing, for each load of
-- global memory. The main loop is the innermost one with the most of these accesses. Prints what it
-- found. Fails if a limit is exceeded, or a row matches no kernel.

local INSTRUCTION = 16  -- bytes
-- The low bits of an instruction are its operation.
local OPERATION, LOAD, STORE, BRANCH = 512, 0x181, 0x186, 0x147

local function read(name, mode)
  local file = assert(io.open(name, mode))
  local text = file:read '*a'
  file:close()
  return text
end

-- A little-endian number of some bytes, from a position that counts from 0.
local function number(text, at, bytes)
  local value = 0
  for k = bytes, 1, -1 do value = value * 256 + text:byte(at + k) end
  return value
end

-- The registers of each kernel, by the number of its symbol: entries of the section .nv.info.
local function registers_of(elf, at, size)
  local REGISTERS, SIZED = 0x2f, 4
  local registers, last = {}, at + size
  while at < last do
    local form, attribute, value = elf:byte(at + 1), elf:byte(at + 2), number(elf, at + 2, 2)
    if form == SIZED and attribute == REGISTERS then
      registers[number(elf, at + 4, 4)] = number(elf, at + 8, 4)
    end
    at = at + 4 + (form == SIZED and value or 0)
  end
  return registers
end

-- The kernels in an ELF file: name, registers, position and size.
local function kernels(elf)
  assert(elf:sub(1, 5) == '\127ELF\2', 'an ELF file of 64 bits is expected')
  local headers, size, count = number(elf, 0x28, 8), number(elf, 0x3a, 2), number(elf, 0x3c, 2)
  local function header(k) return headers + k * size end
  local names = number(elf, header(number(elf, 0x3e, 2)) + 24, 8)
  local found, registers = {}, {}
  for k = 0, count - 1 do
    local at = header(k)
    local name = elf:match('^[^%z]*', names + number(elf, at, 4) + 1)
    local first, bytes = number(elf, at + 24, 8), number(elf, at + 32, 8)
    if name == '.nv.info' then
      registers = registers_of(elf, first, bytes)
    elseif name:match '^%.text%.' then
      found[#found + 1] = { name = name:sub(7), symbol = number(elf, at + 44, 4), at = first,
                            size = bytes }
    end
  end
  for _, kernel in ipairs(found) do kernel.registers = registers[kernel.symbol] end
  return found
end

local function operation(elf, at) return number(elf, at, 2) % OPERATION end

-- The distance in bytes from the next instruction to the target of a branch.
local function distance(elf, at)
  local high = number(elf, at + 4, 4)
  if high >= 2 ^ 31 then high = high - 2 ^ 32 end
  return (math.floor(high / 4) * 256 + elf:byte(at + 3)) * 4
end

-- The innermost loops of a kernel that access global memory: instructions, loads and stores. A loop
-- in them that does not, as for the dimensions of an offset, counts once.
local function loops(elf, kernel)
  local all = {}
  for at = kernel.at, kernel.at + kernel.size - INSTRUCTION, INSTRUCTION do
    local by = operation(elf, at) == BRANCH and distance(elf, at) or 0
    if by < -INSTRUCTION then
      local first = at + INSTRUCTION + by
      local loop = { instructions = (at - first) / INSTRUCTION + 1, loads = 0, stores = 0 }
      local is_innermost = true
      for _, inner in ipairs(all) do is_innermost = is_innermost and inner.at < first end
      for k = first, at, INSTRUCTION do
        local op = operation(elf, k)
        if op == LOAD then loop.loads = loop.loads + 1 end
        if op == STORE then loop.stores = loop.stores + 1 end
      end
      loop.at = at
      if is_innermost and loop.loads + loop.stores > 0 then all[#all + 1] = loop end
    end
  end
  return all
end

local function main_loop(elf, kernel)
  local most, found = 0, nil
  for _, loop in ipairs(loops(elf, kernel)) do
    loop.accesses = loop.stores > 0 and loop.stores or loop.loads
    if loop.accesses > most then most, found = loop.accesses, loop end
  end
  return found
end

local all, failed = {}, false
for k = 2, #arg do
  local elf = read(arg[k], 'rb')
  for _, kernel in ipairs(kernels(elf)) do
    kernel.loop = main_loop(elf, kernel)
    all[#all + 1] = kernel
  end
end
for line in io.lines(arg[1]) do
  local pattern, registers, instructions = line:match '^([^#%s]%S*)%s+(%d+)%s+(%d+)'
  local matches = 0
  for _, kernel in ipairs(pattern and all or {}) do
    if kernel.name:match(pattern) then
      matches = matches + 1
      local loop = kernel.loop
      local each = loop and loop.instructions / loop.accesses or math.huge
      local exceeds = kernel.registers > tonumber(registers) or each > tonumber(instructions)
      failed = failed or exceeds
      print(('%s %3d registers, %6.1f instructions in the loop: %s'):format(
        exceeds and 'MORE' or 'ok  ', kernel.registers, each, kernel.name))
    end
  end
  if pattern and matches == 0 then
    failed = true
    print('no kernel matches ' .. pattern)
  end
end
os.exit(failed and 1 or 0)
