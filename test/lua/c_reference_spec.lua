-- The C reference is generated from the installed headers. It contains every function that the
-- libraries export, and every function of Torch7 that is implemented.

local prefix = os.getenv 'TENSOR_PREFIX' or 'build/prefix'
local text, functions = assert(loadfile 'scripts/make-c-reference.lua')(prefix)

local function missing(names)
  local list, count = {}, 0
  for name in names do
    count = count + 1
    if not functions[name] then list[#list + 1] = name end
  end
  return table.concat(list, ' '), count
end

describe('the C reference', function()
  it('mentions every function that the headers declare', function()
    local absent, count = {}, 0
    for name in pairs(functions) do
      count = count + 1
      local generic = name:gsub('^TH.-(%u%l+)_(.*)$', 'TH%1_(%2)')
      if not text:find(name .. '(', 1, true) and not text:find(generic .. '(', 1, true) then
        absent[#absent + 1] = name
      end
    end
    assert.are.same({}, absent)
    assert.is_true(count > 2000)
  end)

  it('has a heading for each family of the op table', function()
    for _, row in ipairs(require 'tensor'._optable()) do
      local family = row.family
      assert.matches('\n### ' .. family:sub(1, 1):upper() .. family:sub(2) .. '\n', text, 1, true)
    end
  end)

  it('has the functions of Torch7 that are there', function()
    local absent, count = missing(io.lines 'test/data/c-symbols.txt')
    assert.equal('', absent)
    assert.is_true(count > 2000)
  end)

  it('has what the libraries export', function()
    local pipe = io.popen(("env -u LD_PRELOAD nm -D --defined-only '%s/lib/libTH.so' " ..
                           "'%s/lib/libluaT.so'"):format(prefix, prefix))
    local lines = pipe:lines()
    local absent, count = missing(function()
      for line in lines do
        line = line:gsub('@.*', '')  -- the version
        local name = line:match ' T (%a[%w_]*)$' or line:match ' T (_TH[%w_]*)$'
        if name and not name:find '^__' then return name end
      end
    end)
    pipe:close()
    assert.equal('', absent)
    assert.is_true(count > 2000)
  end)

  it('names types where a function is not for all', function()
    assert.matches('void THTensor_%(add%)%(THTensor%* r_, THTensor%* t, real value%);\n', text)
    assert.matches('accreal THTensor_%(sumall%)', text)
    assert.matches('newSelect%)%(THTensor%* tensor, int dim, int64_t index%);', text)
    assert.matches('sqrt%)%([^\n]*; /%* floating%-point types %*/', text)
  end)
end)
