-- torch.test: short checks of the installed library, each against a result that was computed by
-- other means.

return function(torch, names)
   local tester = torch.Tester()
   local tests = torch.TestSuite()

   function tests.arithmetic()
      local t = torch.range(1, 6):view(2, 3)
      tester:eq((t * 2 + 1):totable(), {{3, 5, 7}, {9, 11, 13}})
      tester:eq(t:sum(1):totable(), {{5, 7, 9}})
      tester:assertalmosteq(torch.exp(torch.ones(1))[1], math.exp(1), 1e-15)
   end

   function tests.types()
      for _, name in ipairs {'Byte', 'Char', 'Short', 'Int', 'Long', 'Half', 'BFloat16', 'Float',
                             'Double'} do
         local t = torch[name .. 'Tensor'] {1, 2, 3}
         tester:eq(t:cmul(t):totable(), {1, 4, 9}, name)
         tester:asserteq(torch.type(t), ('torch.%sTensor'):format(name))
      end
   end

   function tests.views()
      local t = torch.zeros(3, 4)
      t:t():select(1, 2):fill(1)
      tester:eq(t:totable(), {{0, 1, 0, 0}, {0, 1, 0, 0}, {0, 1, 0, 0}})
      tester:eq(t[{{2, 3}, 2}]:totable(), {1, 1})
      tester:assert(not t:t():isContiguous())
   end

   function tests.products()
      local a = torch.Tensor {{1, 2}, {3, 4}}
      tester:eq((a * a):totable(), {{7, 10}, {15, 22}})
      tester:eq(torch.mv(a, torch.Tensor {1, 1}):totable(), {3, 7})
   end

   function tests.equations()
      local a = torch.Tensor {{2, 0}, {0, 4}}
      tester:eq(torch.inverse(a), torch.Tensor {{0.5, 0}, {0, 0.25}}, 1e-15)
      tester:eq(torch.symeig(a), torch.Tensor {2, 4}, 1e-15)
   end

   function tests.sorting()
      local values, indices = torch.sort(torch.Tensor {3, 1, 2})
      tester:eq(values:totable(), {1, 2, 3})
      tester:eq(indices:totable(), {2, 3, 1})
   end

   function tests.random()
      local generator = torch.Generator()
      torch.manualSeed(generator, 5489)
      for _ = 1, 9999 do
         torch.random(generator)
      end
      -- The reference output of the authors of MT19937.
      tester:asserteq(torch.random(generator), 4123659995)
   end

   function tests.convolution()
      local image = torch.range(1, 9):view(3, 3)
      tester:eq(torch.xcorr2(image, torch.ones(2, 2)):totable(), {{12, 16}, {24, 28}})
   end

   function tests.errors()
      tester:assertError(function() return torch.ones(2, 3) * torch.ones(2, 3) end)
      tester:assertError(function() return torch.ones(2)[3] end)
   end

   tester:add(tests)
   return tester:run(names)
end
