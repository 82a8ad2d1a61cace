-- Finds bytecode instructions whose result is only used as the table of one further index operation
-- nearby, such as t[i] in t[i][j]. For these, returns a number from 1 to 1021, a hash that rarely
-- collides; otherwise false.

local bit = require 'bit'
local band, rshift = bit.band, bit.rshift

-- Operand modes, as numbered in lj_bc.h of LuaJIT 2.1.
local DST, BASE, VAR, RBASE, FUNC, JUMP = 1, 2, 3, 4, 12, 13
local INDEX, NEWINDEX = 0, 1  -- metamethods (MM_index, MM_newindex)
-- The number of following instructions that are searched for the second index operation and for the
-- end of the value's life.
local NEAR = 24

local function decoder(util)
   local funcbc = util.funcbc

   -- Decodes an instruction: opcode, operands a, b and c or d, the modes of a, b and c, and the
   -- metamethod. b is valid only if bkind is not 0.
   local function decode(f, pc)
      local ins, mode = funcbc(f, pc)
      if not ins then
         return
      end
      local bkind = band(rshift(mode, 3), 15)
      return band(ins, 255), band(rshift(ins, 8), 255), rshift(ins, 24),
         bkind == 0 and rshift(ins, 16) or band(rshift(ins, 16), 255),
         band(mode, 7), bkind, band(rshift(mode, 7), 15), rshift(mode, 11)
   end

   -- Returns the opcodes of all instructions of the function with this source.
   local function numbers(text)
      local f, found = loadstring(text), {}
      local pc = 1
      while funcbc(f, pc) do
         found[#found + 1] = (decode(f, pc))
         pc = pc + 1
      end
      return found
   end
   local ret0, ret1 = numbers('')[1], numbers('local a return a')[2]
   local ret = numbers('local a, b return a, b')
   local returns = {[ret0] = true, [ret1] = true, [ret[#ret]] = true}
   local loop = numbers('for i = 1, 2 do end')
   -- FORL, ITERL and LOOP. Each is followed in the numbering by its interpreted-only (I) and
   -- JIT-compiled (J) variants; those listed here are the compiled ones.
   local forl = loop[#loop - 1]
   local compiled = {[forl + 2] = true, [forl + 5] = true, [forl + 8] = true}

   local function reads(slot, b, c, bkind, ckind)
      return (bkind == VAR and b == slot) or (ckind == VAR and c == slot)
         or (ckind == RBASE and b <= slot and slot <= c)
   end

   -- Returns true if the slot is not read after pc. Returns false if unsure, and for functions with
   -- inner functions, which may capture the slot as an upvalue.
   local function is_dead(f, pc, slot)
      if util.funcinfo(f).children then
         return false
      end
      for at = pc, pc + NEAR do
         local op, a, b, c, akind, bkind, ckind = decode(f, at)
         if not op or ckind == FUNC or reads(slot, b, c, bkind, ckind) then
            return false
         elseif ckind == JUMP or compiled[op] then
            -- A jump ends the life of the slots from a on. The first four of a loop are its control
            -- variables, which stay alive.
            return slot >= (akind == BASE and a + 4 or a)
         elseif returns[op] then
            return slot < a or slot > a + c - 2
         elseif akind == RBASE or (akind == VAR and a == slot)
            or (akind == BASE and a <= slot + 3) then  -- some read three slots below their base
            return false
         elseif akind == DST and a == slot then
            -- A copy may be executed conditionally, as in `a and b`.
            return ckind ~= VAR or bkind ~= 0
         end
      end
      return false
   end

   local function is_chained(f, pc)
      local op, slot, _, _, akind, bkind, _, event = decode(f, pc)
      if not op or akind ~= DST or bkind ~= VAR or event ~= INDEX then
         return false
      end
      local number = (37 * pc + slot) % 1021 + 1
      for at = pc + 1, pc + NEAR do
         local b, c, ckind, a
         op, a, b, c, akind, bkind, ckind, event = decode(f, at)
         if not op then
            return false
         elseif bkind == VAR and b == slot and (ckind ~= VAR or c ~= slot) then
            if akind == DST and event == INDEX then
               return (a == slot or is_dead(f, at + 1, slot)) and number
            end
            return akind == VAR and event == NEWINDEX and a ~= slot and is_dead(f, at + 1, slot)
               and number
         elseif akind ~= DST or a == slot or ckind == FUNC or ckind == JUMP
            or reads(slot, b, c, bkind, ckind) then
            return false
         end
      end
      return false
   end

   -- Self-check: counts the chained instructions of a known piece of code. A LuaJIT with another
   -- instruction set gives another count.
   local function count(text)
      local f, pc, found = loadstring('local t, i, j, s = ... ' .. text), 1, 0
      while funcbc(f, pc) do
         found = found + (is_chained(f, pc) and 1 or 0)
         pc = pc + 1
      end
      return found
   end
   if count 's = t[i][j] return s' == 1 and count 't[i][j] = s' == 1
      and count 'local r = t[i] s = r[j] return r, s' == 0 then
      return is_chained
   end
   return function() return false end
end

return decoder
