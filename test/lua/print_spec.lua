-- The printed form of tensors and storages: Torch7's output, wide matrices, summaries, options.

local tensor = require 'tensor'
local print = require 'tensor.print'
local rules = require 'support.rules'

local here = debug.getinfo(1, 'S').source:match('^@(.*[/\\])') or './'
local cases = dofile(here .. '../data/print-cases.lua')

local defaults = {threshold = 1000, edgeitems = 3, precision = 4, linewidth = 80,
                  integers = 'torch7', nonfinite = 'torch7', vectors = 'torch7',
                  slices = 'torch7', sizes = 'torch7'}

-- Joins lines; the last one also ends with a newline.
local function lines(...)
  return table.concat({...}, '\n') .. '\n'
end

-- Returns a tensor of these sizes with the values 1, 2, 3, ...
local function counting(...)
  local t = tensor.DoubleTensor(...)
  local storage = t:storage()
  for i = 1, t:nElement() do
    storage[i] = i
  end
  return t
end

describe('the printed form', function()
  before_each(function()
    print.setoptions(defaults)
  end)

  describe('is what Torch7 printed for', function()
    setup(function() rules.set 'torch7' end)
    teardown(function() rules.set 'tensor' end)
    for _, case in ipairs(cases) do
      local expression = case[1]
      it(expression, function()
        local chunk = assert(loadstring('return ' .. expression))
        setfenv(chunk, setmetatable({torch = tensor}, {__index = _G}))
        -- The expected random numbers are those of Torch7 on the CPU.
        local device, generator = tensor.getDefaultDevice(), tensor.getGenerator()
        if expression:find('rand') then
          tensor.setDefaultDevice('cpu')
          tensor.setGenerator('mt19937')
        end
        tensor.manualSeed(123)
        local value = chunk()
        tensor.setDefaultDevice(device)
        tensor.setGenerator(generator)
        if tensor.isTensor(value) then
          value:to(device)
        end
        assert.are.equal(table.concat(case, '\n', 2),
                         (require 'support.dialect'.plain(tostring(value))))
      end)
    end
  end)

  it('has the columns of Torch7 for NaN and for exponents near 100', function()
    rules.set 'torch7'
    finally(function() rules.set 'tensor' end)
    local t = tensor.zeros(1, 9)
    t[1][1] = 0 / 0
    assert.are.equal(('nan%s\n[torch.DoubleTensor of size 1x9]\n'):format((' 0.000000'):rep(8)),
                     tostring(t))
    for text, elements in pairs {
      ['  1.0000e+99\n  5.0000e-01'] = {1e99, 0.5}, ['1.0000e-100\n 1.5000e+00'] = {1e-100, 1.5},
      ['1.0000e+100\n 1.0000e+00'] = {1e100, 1}, [' 1.0000e+98\n 5.0000e-01'] = {1e98, 0.5},
    } do
      assert.are.equal(text .. '\n[torch.DoubleTensor of size 2]\n',
                       tostring(tensor.Tensor(elements)))
    end
  end)

  it('is the same for every element type where the elements are', function()
    for _, name in ipairs {'Char', 'Short', 'Int', 'Half', 'BFloat16', 'Double'} do
      local t = tensor[name .. 'Tensor']({{-1, 20}, {3, 100}})
      assert.are.equal(lines('  -1   20', '   3  100', '[torch.' .. name .. 'Tensor of size 2x2]'),
                       tostring(t))
    end
    assert.are.equal(lines(' 0.5000', '-1.2500', '[torch.HalfTensor of size 2]'),
                     tostring(tensor.HalfTensor {0.5, -1.25}))
  end)

  it('has no elements where a dimension has none', function()
    assert.are.equal('[torch.DoubleTensor of size 0x3]\n', tostring(tensor.DoubleTensor(0, 3)))
    assert.are.equal('[torch.ByteTensor of size 2x0x3]\n', tostring(tensor.ByteTensor(2, 0, 3)))
    assert.are.equal('[torch.LongTensor of size 0]\n', tostring(tensor.LongTensor(0)))
  end)

  it('follows the elements of a view, not those of its storage', function()
    local t = tensor.DoubleTensor {1, 2.5, 3e9}
    assert.are.equal(lines(' 1', '[torch.DoubleTensor of size 1]'), tostring(t:narrow(1, 1, 1)))
    local column = tensor.DoubleTensor({{1, 0.5}, {2, 0.25}}):select(2, 1)
    assert.are.equal(lines(' 1', ' 2', '[torch.DoubleTensor of size 2]'), tostring(column))
  end)

  it('splits matrices that are wider than a line into groups of columns', function()
    -- Cells of width 3 and a space: 20 fit into 80 columns.
    assert.are.equal(
      lines('Columns 1 to 20',
            '  1   2   3   4   5   6   7   8   9  10  11  12  13  14  15  16  17  18  19  20',
            ' 23  24  25  26  27  28  29  30  31  32  33  34  35  36  37  38  39  40  41  42',
            '',
            'Columns 21 to 22',
            ' 21  22',
            ' 43  44',
            '[torch.DoubleTensor of size 2x22]'),
      tostring(counting(2, 22)))
    local groups = {}
    for first, last in tostring(counting(1, 60) / 7):gmatch('Columns (%d+) to (%d+)\n') do
      groups[#groups + 1] = first .. '-' .. last
    end
    -- Width 7, so 10 columns per line.
    assert.are.same({'1-10', '11-20', '21-30', '31-40', '41-50', '51-60'}, groups)
  end)

  it('is one group where the columns just fit', function()
    assert.is_nil(tostring(counting(1, 20)):find('Columns', 1, true))
  end)

  it('splits the matrices of more dimensions, each with its factor', function()
    local text = tostring(counting(1, 1, 11) * 1e6 + 0.5)
    assert.are.equal(
      lines('(1,.,.) = ',
            ' Columns 1 to 9',
            ' 1e+07 *',
            '   0.1000  0.2000  0.3000  0.4000  0.5000  0.6000  0.7000  0.8000  0.9000',
            '',
            'Columns 10 to 11',
            ' 1e+07 *',
            '   1.0000  1.1000',
            '[torch.DoubleTensor of size 1x1x11]'),
      text)
  end)

  it('aligns numbers with infinities as Torch7 does', function()
    local inf = math.huge
    assert.are.equal(lines('        inf', ' 1.0000e+00', '[torch.DoubleTensor of size 2]'),
                     tostring(tensor.Tensor {inf, 1}))
    assert.are.equal(lines('       -inf', '        inf', '[torch.FloatTensor of size 2]'),
                     tostring(tensor.FloatTensor {-inf, inf}))
    assert.are.equal(lines('         inf   1.5000e+00', '  0.0000e+00         -inf',
                           '[torch.DoubleTensor of size 2x2]'),
                     tostring(tensor.Tensor {{inf, 1.5}, {0, -inf}}))
    assert.are.equal(lines('        inf', ' 3.0000e+00', '[torch.FloatStorage of size 2]'),
                     tostring(tensor.FloatStorage {inf, 3}))
    assert.are.equal(lines('inf', '1.000000', 'nan', '[torch.DoubleTensor of size 3]'),
                     tostring(tensor.Tensor {inf, 1, 0 / 0}))
  end)

  it('shows very small and very large numbers in three-digit exponents', function()
    assert.are.equal(lines('  1.0000e+00', ' 1.0000e-300', '[torch.DoubleTensor of size 2]'),
                     tostring(tensor.DoubleTensor {1, 1e-300}))
    assert.are.equal(lines('1.0000e+100', '[torch.DoubleTensor of size 1]'),
                     tostring(tensor.DoubleTensor {1e100}))
    assert.are.equal(lines(' 4.9407e-324', '[torch.DoubleTensor of size 1]'),
                     tostring(tensor.DoubleTensor {4.9406564584124654e-324}))
  end)

  describe('of many elements', function()
    it('is whole up to the threshold', function()
      local _, count = tostring(counting(1000)):gsub('\n', '\n')
      assert.are.equal(1001, count)
    end)

    it('has both ends of a vector', function()
      assert.are.equal(
        lines('    1', '    2', '    3', ' ...', ' 1999', ' 2000', ' 2001',
              '[torch.DoubleTensor of size 2001]'),
        tostring(counting(2001)))
    end)

    it('has the corners of a matrix', function()
      assert.are.equal(
        lines('    1     2     3  ...    48    49    50',
              '   51    52    53  ...    98    99   100',
              '  101   102   103  ...   148   149   150',
              ' ...',
              ' 1351  1352  1353  ...  1398  1399  1400',
              ' 1401  1402  1403  ...  1448  1449  1450',
              ' 1451  1452  1453  ...  1498  1499  1500',
              '[torch.DoubleTensor of size 30x50]'),
        tostring(counting(30, 50)))
    end)

    it('keeps the rows of a short dimension', function()
      assert.are.equal(
        lines('    1     2     3  ...   998   999  1000',
              ' 1001  1002  1003  ...  1998  1999  2000',
              '[torch.DoubleTensor of size 2x1000]'),
        tostring(counting(2, 1000)))
    end)

    it('leaves out slices', function()
      print.setoptions {edgeitems = 1}
      assert.are.equal(
        lines('(1,.,.) = ',
              '     1     2',
              '     3     4',
              '',
              '...',
              '',
              '(300,.,.) = ',
              '  1197  1198',
              '  1199  1200',
              '[torch.DoubleTensor of size 300x2x2]'),
        tostring(counting(300, 2, 2)))
    end)

    it('takes its format from what is shown', function()
      local t = counting(5000):fill(1)
      t[2500] = 1e-5
      assert.are.equal(lines(' 1', ' 1', ' 1', ' ...', ' 1', ' 1', ' 1',
                             '[torch.DoubleTensor of size 5000]'), tostring(t))
    end)

    it('works on views that are not contiguous', function()
      local t = counting(50, 30):t()
      assert.are.equal('    1    31    61  ...  1411  1441  1471', tostring(t):match('^[^\n]*'))
    end)

    it('formats no element that is not shown', function()
      require 'support.dialect'.check 'jit.off'
      local t = tensor.FloatTensor(1000, 2000):fill(1)
      -- Counts thousands of VM instructions; visiting each element would take more than 2000
      -- thousands.
      local thousands = 0
      jit.off()
      debug.sethook(function() thousands = thousands + 1 end, '', 1000)
      local text = tostring(t)
      debug.sethook()
      jit.on()
      assert.are.equal(8, #text:gsub('[^\n]', ''))
      assert.is_true(thousands < 100, thousands .. ' thousand instructions')
    end)

    it('has both ends of a storage', function()
      assert.are.equal(
        lines('    1', '    2', '    3', ' ...', ' 1199', ' 1200', ' 1201',
              '[torch.DoubleStorage of size 1201]'),
        tostring(counting(1201):storage()))
    end)
  end)

  describe('options', function()
    it('change the digits', function()
      print.setoptions {precision = 2}
      assert.are.equal(lines(' 0.50', '-1.25', '[torch.DoubleTensor of size 2]'),
                       tostring(tensor.DoubleTensor {0.5, -1.25}))
      assert.are.equal(lines(' 1.00e+10', '[torch.DoubleTensor of size 1]'),
                       tostring(tensor.DoubleTensor {1e10}))
      assert.are.equal(lines('0.001 *', ' 1.00', ' 2.00', '[torch.DoubleTensor of size 2]'),
                       tostring(tensor.DoubleTensor {1e-3, 2e-3}))
    end)

    it('show all digits of integers', function()
      require 'support.dialect'.since('5.3', 'numbers of Lua 5.1 have no more than 53 bits')
      print.setoptions {integers = 'plain'}
      assert.are.equal(lines(' 1234567890123', '             5', '            -7',
                             '[torch.LongTensor of size 3]'),
                       tostring(tensor.LongTensor {1234567890123, 5, -7}))
      assert.are.equal(lines(' 1234567890           1', '[torch.IntTensor of size 1x2]'),
                       tostring(tensor.IntTensor {{1234567890, 1}}))
      assert.are.equal(lines(' 10000000000', '[torch.DoubleTensor of size 1]'),
                       tostring(tensor.DoubleTensor {1e10}))
      assert.are.equal(lines(' 1.0000e+25', '[torch.DoubleTensor of size 1]'),
                       tostring(tensor.DoubleTensor {1e25}))
      -- Integers with more digits than a double can represent.
      local long = tensor.LongTensor(2):fill(2 ^ 53)
      long:add(tensor.LongTensor {1, -1})
      assert.are.equal(lines(' 9007199254740993', ' 9007199254740991',
                             '[torch.LongTensor of size 2]'), tostring(long))
      local all = tensor.range(1, 2000):long():add(123456789000)
      assert.are.equal(lines(' 123456789001', ' 123456789002', ' 123456789003', ' ...',
                             ' 123456790998', ' 123456790999', ' 123456791000',
                             '[torch.LongTensor of size 2000]'), tostring(all))
      print.setoptions {integers = 'torch7'}
      assert.are.equal(lines(' 1.0000e+10', '[torch.LongTensor of size 1]'),
                       tostring(tensor.LongTensor {1e10}))
    end)

    it('align what is not finite', function()
      print.setoptions {nonfinite = 'aligned'}
      local nan, inf = 0 / 0, 1 / 0
      assert.are.equal(lines('   1  nan', '-inf  400', '[torch.DoubleTensor of size 2x2]'),
                       tostring(tensor.DoubleTensor {{1, nan}, {-inf, 400}}))
      assert.are.equal(lines('   1.5000       nan', '     -inf  400.0000',
                             '[torch.FloatTensor of size 2x2]'),
                       tostring(tensor.FloatTensor {{1.5, nan}, {-inf, 400}}))
      assert.are.equal(lines(' 1.5000e+10         nan', '        inf -4.7000e-09',
                             '[torch.DoubleTensor of size 2x2]'),
                       tostring(tensor.DoubleTensor {{1.5e10, nan}, {inf, -4.7e-9}}))
      assert.are.equal(lines(' nan', '-inf', ' inf', '[torch.DoubleTensor of size 3]'),
                       tostring(tensor.DoubleTensor {nan, -inf, inf}))
      assert.are.equal(lines('1e+07 *', '    nan', ' 1.5000', '[torch.DoubleTensor of size 2]'),
                       tostring(tensor.DoubleTensor {nan, 1.5e7 + 0.5}))
    end)

    describe('by the rule of', function()
      local auto = {integers = 'auto', nonfinite = 'auto', vectors = 'auto', slices = 'auto',
                    sizes = 'auto'}
      local nan = 0 / 0
      before_each(function() print.setoptions(auto) end)
      after_each(function() tensor.setRule('printing', 'tensor') end)

      it('require tensor', function()
        assert.are.equal(lines(' 1.5000', '    nan', '[torch.DoubleTensor of size 2]'),
                         tostring(tensor.DoubleTensor {1.5, nan}))
        assert.are.equal(lines(' 20000000000', '[torch.LongTensor of size 1]'),
                         tostring(tensor.LongTensor {2e10}))
        print.setoptions {linewidth = 30}
        assert.are.equal(lines(' 1:   1   2   3   4   5', ' 6:   6   7   8   9  10',
                               '11:  11  12  13  14  15', '16:  16  17  18  19  20', '21:  21',
                               '[torch.DoubleTensor of size 21]'), tostring(counting(21)))
        assert.are.equal(21, select(2, tostring(counting(20)):gsub('\n', '')))
        local labels = {}
        for label in tostring(counting(8):resize(2, 2, 1, 2)):gmatch '%((%d,%d)' do
          labels[#labels + 1] = label
        end
        assert.are.equal('1,1 1,2 2,1 2,2', table.concat(labels, ' '))
        assert.are.equal('[2 x 3]', tostring(counting(2, 3):size()))
        assert.are.equal('[]', tostring(tensor.LongStorage()))
        assert.are.equal(lines('-1', ' 2', '[torch.LongStorage of size 2]'),
                         tostring(tensor.LongStorage {-1, 2}))
        assert.are.equal(lines(' 2', '[torch.IntStorage of size 1]'),
                         tostring(tensor.IntStorage {2}))
        assert.are.equal(10, select(2, tostring(tensor.LongStorage(9)):gsub('\n', '')))
        local long = (tensor.LongTensor {2^53} + 1):storage()
        assert.matches('9007199254740993', tostring(long))
      end)

      it('Torch7', function()
        tensor.setRule('printing', 'torch7')
        assert.are.equal(lines('1.500000', 'nan', '[torch.DoubleTensor of size 2]'),
                         tostring(tensor.DoubleTensor {1.5, nan}))
        assert.are.equal(lines(' 2.0000e+10', '[torch.LongTensor of size 1]'),
                         tostring(tensor.LongTensor {2e10}))
        assert.are.equal(31, select(2, tostring(counting(30)):gsub('\n', '')))
        local labels = {}
        for label in tostring(counting(8):resize(2, 2, 1, 2)):gmatch '%((%d,%d)' do
          labels[#labels + 1] = label
        end
        assert.are.equal('1,1 2,1 1,2 2,2', table.concat(labels, ' '))
        assert.are.equal(lines(' 2', ' 3', '[torch.LongStorage of size 2]'),
                         tostring(counting(2, 3):size()))
      end)
    end)

    it('change the length of lines', function()
      print.setoptions {linewidth = 30}
      assert.are.equal(lines('Columns 1 to 7', '  1   2   3   4   5   6   7',
                             ' 11  12  13  14  15  16  17', '', 'Columns 8 to 10',
                             '  8   9  10', ' 18  19  20', '[torch.DoubleTensor of size 2x10]'),
                       tostring(counting(20):resize(2, 10)))
      -- The terminal's width; 80 without a terminal.
      print.setoptions {linewidth = 'terminal'}
      assert.is_string(tostring(counting(200):resize(2, 100)))
    end)

    it('change what is summarised', function()
      print.setoptions {threshold = 4, edgeitems = 1}
      assert.are.equal(lines(' 1', ' ...', ' 5', '[torch.DoubleTensor of size 5]'),
                       tostring(counting(5)))
      assert.are.equal(lines(' 1', ' 2', ' 3', ' 4', '[torch.DoubleTensor of size 4]'),
                       tostring(counting(4)))
    end)

    it('can request all elements', function()
      print.setoptions {threshold = math.huge}
      local _, count = tostring(counting(3000)):gsub('\n', '\n')
      assert.are.equal(3001, count)
    end)

    it('are returned, and refused where they make no sense', function()
      assert.are.equal(print.options, print.setoptions {edgeitems = 2})
      assert.are.equal(2, print.options.edgeitems)
      assert.has_error(function() print.setoptions {digits = 3} end,
                       'setprintoptions: unknown option digits; the options are edgeitems, '
                       .. 'integers, linewidth, nonfinite, precision, sizes, slices, '
                       .. 'threshold, vectors')
      assert.has_error(function() print.setoptions {integers = 'all'} end,
                       "setprintoptions: integers must be 'auto' or 'plain' or 'torch7', got all")
      assert.has_error(function() print.setoptions {linewidth = 0} end,
                       'setprintoptions: linewidth must be a whole number from 1 to '
                       .. "2147483648 or 'terminal', got 0")
      assert.has_error(function() print.setoptions {precision = 'plain'} end)
      assert.has_error(function() print.setoptions {edgeitems = 0} end)
      assert.has_error(function() print.setoptions {precision = 'x'} end)
      assert.has_error(function() print.setoptions {threshold = 0 / 0} end)
      assert.has_error(function() print.setoptions(3) end)
      -- An invalid option leaves all options unchanged.
      assert.has_error(function() print.setoptions {edgeitems = 7, precision = 99} end)
      assert.are.equal(2, print.options.edgeitems)
    end)
  end)

  it('fits summaries into the line, with the mark of omitted columns', function()
    print.setoptions {integers = 'plain'}
    for _, t in ipairs {tensor.LongTensor(50, 50):fill(12345678901), tensor.ones(50, 50) * 1e200} do
      for line in tostring(t):gmatch '[^\n]+' do
        assert.is_true(#line <= 80, line)
      end
    end
  end)
end)
