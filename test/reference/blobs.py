#!/usr/bin/python3
"""Writes Caffe's BlobProto and BlobProtoVector, encoded without any library.

Run by hand, in the root: test/reference/blobs.py
In test/data/blobs element i of data is i / 2 - 3, element i of diff is 10 - i.
examples/data/digits-mean.binaryproto is the mean of the images of examples/data/digits.csv.
"""

import struct

VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5


def varint(value):
    value &= (1 << 64) - 1
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def tag(field, wire):
    return varint(field << 3 | wire)


def number(field, value):
    return tag(field, VARINT) + varint(value)


def message(field, content):
    return tag(field, BYTES) + varint(len(content)) + content


def packed(field, code, values):
    return message(field, struct.pack("<%d%s" % (len(values), code), *values))


def unpacked(field, code, values):
    wire = FIXED32 if code == "f" else FIXED64
    return b"".join(tag(field, wire) + struct.pack("<" + code, v) for v in values)


def data(n):
    return [i / 2 - 3 for i in range(n)]


def diff(n):
    return [10 - i for i in range(n)]


def legacy(*sizes):
    return b"".join(number(f, s) for f, s in zip((1, 2, 3, 4), sizes))


def shape(*sizes):
    return message(7, message(1, b"".join(map(varint, sizes))))


def unpacked_shape(*sizes):
    return message(7, b"".join(number(1, s) for s in sizes))


FILES = {
    # As the tools for mean images write them: the old shape, then floats.
    "legacy": legacy(1, 3, 2, 4) + packed(5, "f", data(24)),
    "legacy-partial": number(1, 1) + number(3, 0),
    "floats": shape(2, 3, 4) + packed(5, "f", data(24)),
    "floats-diff": shape(2, 3, 4) + packed(5, "f", data(24)) + packed(6, "f", diff(24)),
    "doubles": shape(2, 3, 4) + packed(8, "d", data(24)),
    "doubles-diff": shape(2, 3, 4) + packed(8, "d", data(24)) + packed(9, "d", diff(24)),
    "unpacked": unpacked_shape(2, 3) + unpacked(5, "f", data(6)) + unpacked(6, "f", diff(6)),
    "unpacked-doubles": unpacked_shape(2, 3) + unpacked(8, "d", data(6)),
    # Fields in any order, in several runs, a shape in two parts, and unknown fields.
    "mixed": (packed(5, "f", data(6)[:2]) + number(15, 1 << 63) + shape(2) +
              unpacked(5, "f", data(6)[2:3]) + message(16, b"unknown") +
              packed(5, "f", data(6)[3:]) + unpacked_shape(3) +
              tag(100, FIXED64) + bytes(8) + tag(101, FIXED32) + bytes(4)),
    # Doubles count where there are both.
    "both": shape(3) + packed(5, "f", [7, 8, 9]) + packed(8, "d", data(3)),
    "scalar": message(7, b"") + packed(5, "f", data(1)),
    "empty-axis": shape(0, 5),
    "vector": (message(1, shape(2, 3) + packed(5, "f", data(6))) +
               message(1, legacy(1, 1, 1, 4) + packed(8, "d", data(4))) +
               message(1, shape(1) + packed(5, "f", data(1)) + packed(6, "f", diff(1)))),
}


def mean_of_digits():
    with open("examples/data/digits.csv") as lines:
        images = [[int(pixel) for pixel in line.split(",")[:64]] for line in lines]
    mean = [sum(pixels) / len(images) for pixels in zip(*images)]
    return legacy(1, 1, 8, 8) + packed(5, "f", mean)


def write(path, content):
    with open(path, "wb") as file:
        file.write(content)


for name, content in FILES.items():
    write("test/data/blobs/%s.binaryproto" % name, content)
write("examples/data/digits-mean.binaryproto", mean_of_digits())
