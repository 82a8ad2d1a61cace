"""Writes test/data/pictures: PNG files of kinds that tensor reads and does not write.

Usage: python3 test/reference/picture_files.py test/data/pictures
"""

import struct
import sys
import zlib

GREY, RGB, PALETTE = 0, 2, 3
# Adam7: of each pass the first row and column, and the steps between them.
PASSES = [(0, 0, 8, 8), (0, 4, 8, 8), (4, 0, 8, 4), (0, 2, 4, 4), (2, 0, 4, 2), (0, 1, 2, 2),
          (1, 0, 2, 1)]


def chunk(kind, data):
    body = kind + data
    return struct.pack('>I', len(data)) + body + struct.pack('>I', zlib.crc32(body))


def packed(row, depth):
    """A row of samples in bytes, the first sample in the highest bits."""
    if depth == 16:
        return struct.pack('>%dH' % len(row), *row)
    bits = ''.join(format(sample, '0%db' % depth) for sample in row)
    bits += '0' * (-len(bits) % 8)
    return bytes(int(bits[k:k + 8], 2) for k in range(0, len(bits), 8))


def write(name, rows, width, depth, color, extra=b'', interlaced=False):
    """Rows of samples; extra are chunks in front of the pixels."""
    each = len(rows[0]) // width
    lines = []
    for top, left, down, across in PASSES if interlaced else [(0, 0, 1, 1)]:
        if left >= width:
            continue
        for row in rows[top::down]:
            pixels = [row[x * each + k] for x in range(left, width, across) for k in range(each)]
            lines.append(b'\0' + packed(pixels, depth))
    head = struct.pack('>IIBBBBB', width, len(rows), depth, color, 0, 0, int(interlaced))
    with open(sys.argv[1] + '/' + name, 'wb') as file:
        file.write(b'\x89PNG\r\n\x1a\n' + chunk(b'IHDR', head) + extra +
                   chunk(b'IDAT', zlib.compress(b''.join(lines))) + chunk(b'IEND', b''))


def samples(height, width, most):
    """7 (row * width + column) modulo most + 1, counted from 0."""
    return [[7 * (y * width + x) % (most + 1) for x in range(width)] for y in range(height)]


palette = chunk(b'PLTE', bytes(range(3 * 16)))
write('interlaced.png', samples(11, 13, 255), 13, 8, GREY, interlaced=True)
write('interlaced_rgb16.png', samples(5, 3 * 3, 65535), 3, 16, RGB, interlaced=True)
write('gamma.png', samples(4, 5, 255), 5, 8, GREY, chunk(b'gAMA', struct.pack('>I', 100000)))
write('palette.png', samples(3, 5, 15), 5, 4, PALETTE, palette)
write('palette_alpha.png', samples(3, 5, 15), 5, 4, PALETTE,
      palette + chunk(b'tRNS', bytes([0, 128])))
for bits in 1, 2, 4:
    write('grey%d.png' % bits, samples(3, 5, 2**bits - 1), 5, bits, GREY)
