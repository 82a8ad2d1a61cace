-- Glyphs of the bitmap font beyond ASCII: Greek letters, symbols, and accents on Latin letters.

local symbols = {}

-- Glyphs drawn side by side, separated by a column, below their code points.
symbols.blocks = {
  -- alpha, beta, gamma, delta, epsilon, theta, lambda, mu, pi, sigma, tau, phi, omega
  {{0x3b1, 0x3b2, 0x3b3, 0x3b4, 0x3b5, 0x3b8, 0x3bb, 0x3bc, 0x3c0, 0x3c3, 0x3c4, 0x3c6, 0x3c9}, [[
..... .##.. ..... .###. ..... .###. .#... ..... ..... ..... ..... ..... .....
..... #..#. ..... .#... ..... #...# ..#.. ..... ..... ..... ..... ..#.. .....
.##.# #.#.. #...# ..#.. .#### #...# ..#.. #...# ##### .#### ##### .###. .#.#.
#..#. #..#. #...# .###. #.... ##### ..##. #...# .#.#. #..#. ..#.. #.#.# #...#
#..#. #...# .#.#. #...# .###. #...# .#.#. #...# .#.#. #...# ..#.. #.#.# #.#.#
#..#. #...# .#.#. #...# #.... #...# #...# ##.## .#.#. #...# ..#.. #.#.# #.#.#
.##.# #.##. ..#.. .###. .#### .###. #...# #.#.# .#..# .###. ...## .###. .#.#.
..... #.... ..#.. ..... ..... ..... ..... #.... ..... ..... ..... ..#.. .....
..... #.... ..#.. ..... ..... ..... ..... #.... ..... ..... ..... ..... .....
]]},
  -- Delta, Sigma, Omega, sharp s, degree, square, cube, plus-minus, times, center dot, at most, at
  -- least, infinity
  {{0x394, 0x3a3, 0x3a9, 0xdf, 0xb0, 0xb2, 0xb3, 0xb1, 0xd7, 0xb7, 0x2264, 0x2265, 0x221e}, [[
..#.. ##### .###. .##.. .##.. .##.. ###.. ..#.. ..... ..... ...## ##... .....
..#.. #.... #...# #..#. #..#. #..#. ...#. ..#.. #...# ..... .##.. ..##. .....
.#.#. .#... #...# #..#. #..#. ..#.. .##.. ##### .#.#. ..... #.... ....# .#.#.
.#.#. ..#.. #...# #.#.. .##.. .#... ...#. ..#.. ..#.. ..#.. .##.. ..##. #.#.#
#...# .#... .#.#. #..#. ..... ####. ###.. ..#.. .#.#. ..... ...## ##... #.#.#
#...# #.... .#.#. #..#. ..... ..... ..... ..... #...# ..... ..... ..... .#.#.
##### ##### ##.## #.##. ..... ..... ..... ##### ..... ..... ##### ##### .....
..... ..... ..... ..... ..... ..... ..... ..... ..... ..... ..... ..... .....
..... ..... ..... ..... ..... ..... ..... ..... ..... ..... ..... ..... .....
]]},
  -- ae and oe as one letter, l with a stroke, pound, euro
  {{0xe6, 0xc6, 0x153, 0x152, 0x142, 0x141, 0xa3, 0x20ac}, [[
..... .#### ..... .#### .##.. .#... ..##. ..###
..... #.#.. ..... #.#.. ..#.. .#... .#..# .#...
##.#. #.#.. .#.#. #.#.. ..##. .##.. .#... ####.
..#.# ####. #.#.# #.##. ..#.. .#... ####. .#...
.#### #.#.. #.### #.#.. .##.. ##... .#... ####.
#.#.. #.#.. #.#.. #.#.. ..#.. .#... .#... .#...
.#.## #.### .#.## .#### .###. .#### ##### ..###
..... ..... ..... ..... ..... ..... ..... .....
..... ..... ..... ..... ..... ..... ..... .....
]]},
}

-- The two rows above small letters.
local accents = {
  acute = {'...#.', '..#..'}, grave = {'.#...', '..#..'}, circumflex = {'..#..', '.#.#.'},
  diaeresis = {'.#.#.', '.....'}, tilde = {'.#.#.', '#.#..'}, ring = {'.##..', '.##..'},
  caron = {'.#.#.', '..#..'}, double = {'..#.#', '.#.#.'},
}

-- Code points of small letters with an accent, and their letters.
local accented = {
  acute = {[0xe1] = 'a', [0xe9] = 'e', [0xed] = 'i', [0xf3] = 'o', [0xfa] = 'u', [0xfd] = 'y',
           [0x107] = 'c', [0x144] = 'n', [0x15b] = 's', [0x17a] = 'z'},
  grave = {[0xe0] = 'a', [0xe8] = 'e', [0xec] = 'i', [0xf2] = 'o', [0xf9] = 'u'},
  circumflex = {[0xe2] = 'a', [0xea] = 'e', [0xee] = 'i', [0xf4] = 'o', [0xfb] = 'u'},
  diaeresis = {[0xe4] = 'a', [0xeb] = 'e', [0xef] = 'i', [0xf6] = 'o', [0xfc] = 'u', [0xff] = 'y'},
  tilde = {[0xe3] = 'a', [0xf1] = 'n', [0xf5] = 'o'},
  ring = {[0xe5] = 'a', [0x16f] = 'u'},
  caron = {[0x10d] = 'c', [0x11b] = 'e', [0x148] = 'n', [0x159] = 'r', [0x161] = 's',
           [0x17e] = 'z'},
  double = {[0x151] = 'o', [0x171] = 'u'},
}

-- Capitals, above which an accent does not fit, and signs that look like ASCII ones.
local similar = {
  A = {0xc0, 0xc1, 0xc2, 0xc3, 0xc4, 0xc5}, C = {0xc7, 0x106, 0x10c}, E = {0xc8, 0xc9, 0xca, 0xcb},
  I = {0xcc, 0xcd, 0xce, 0xcf}, N = {0xd1, 0x143},
  O = {0xd2, 0xd3, 0xd4, 0xd5, 0xd6, 0xd8, 0x150}, R = {0x158}, S = {0x15a, 0x160},
  U = {0xd9, 0xda, 0xdb, 0xdc, 0x170}, Y = {0xdd}, Z = {0x179, 0x17d},
  c = {0xe7}, o = {0xf8}, ['-'] = {0x2212, 0x2013, 0x2014}, ["'"] = {0x2018, 0x2019},
}
symbols.micro = {0xb5, 0x3bc}  -- two code points of one sign

--- Calls f(code, letter, rows) for each accented letter. rows: the two rows of the accent.
function symbols.each_accented(f)
  for _, name in ipairs {'acute', 'grave', 'circumflex', 'diaeresis', 'tilde', 'ring', 'caron',
                         'double'} do
    for code = 0xe0, 0x17e do
      if accented[name][code] then f(code, accented[name][code], accents[name]) end
    end
  end
end

--- Calls f(code, letter) for each letter that is drawn like another one.
function symbols.each_similar(f)
  for byte = 39, 122 do
    local letter = string.char(byte)
    for _, code in ipairs(similar[letter] or {}) do f(code, letter) end
  end
end

return symbols
