return [=[
load
> name = os.tmpname()
> tensor.save(name, {1, 'two', tensor.ones(3)})
> tensor.load(name)[3]:sum()
3
> os.remove(name)
true
> name = name .. '.npz'
> tensor.save(name, {weights = tensor.ones(2, 3)})
> tensor.load(name).weights:sum()
6
> os.remove(name)
true

save
> name = os.tmpname()
> tensor.save(name, tensor.LongTensor{1, 2, 3}, 'ascii')
> io.open(name):read(10)
4
1
3
V 1
> os.remove(name)
true

loadobj
> name = os.tmpname()
> tensor.saveobj(name, 'an object')
> tensor.loadobj(name)
an object
> os.remove(name)
true

saveobj
> name = os.tmpname()
> tensor.saveobj(name, {x = 1})
> tensor.loadobj(name).x
1
> os.remove(name)
true

serialize
> #tensor.serialize('text')
12
> tensor.serialize(5, 'ascii'):sub(1, 3)
1
5

deserialize
> tensor.deserialize(tensor.serialize({1, 2, 3}))[2]
2
> five = tensor.serialize(function() return 5 end)
> tensor.deserialize(five, {functions = true})()
5

serializeToStorage
> tensor.serializeToStorage(tensor.ones(2)):size()
127

deserializeFromStorage
> storage = tensor.serializeToStorage({x = 7})
> tensor.deserializeFromStorage(storage).x
7

File
> tensor.isTypeOf(tensor.MemoryFile(), 'torch.File')
true

DiskFile
> name = os.tmpname()
> f = tensor.DiskFile(name, 'w')
> f:writeInt(tensor.IntStorage{1, 2, 3})
3
> f:close().new == tensor.DiskFile.new
true
> tensor.DiskFile(name):readInt(3):totable()[3]
3
> os.remove(name)
true

PipeFile
> f = tensor.PipeFile('echo 1 2 3')
> f:readInt(3):totable()[2]
2

MemoryFile
> f = tensor.MemoryFile()
> f:writeObject({1, 'two'})
> f:seek(1):readObject()[2]
two

ascii
> f = tensor.MemoryFile()
> f:binary():ascii():isBinary()
false

binary
> f = tensor.MemoryFile():binary()
> f:writeDouble(1)
> f:position()
9

isBinary
> f = tensor.MemoryFile()
> f:isBinary()
false
> f:binary():isBinary()
true

autoSpacing
> f = tensor.MemoryFile()
> f:noAutoSpacing():autoSpacing():isAutoSpacing()
true

noAutoSpacing
> f = tensor.MemoryFile():noAutoSpacing()
> f:writeInt(1)
> f:writeInt(2)
> f:seek(1):readInt()
12

isAutoSpacing
> tensor.MemoryFile():isAutoSpacing()
true

quiet
> f = tensor.MemoryFile():quiet()
> f:readInt(), f:hasError()
0  true

pedantic
> f = tensor.MemoryFile():quiet():pedantic()
> (pcall(f.readInt, f))
false

isQuiet
> tensor.MemoryFile():isQuiet()
false

hasError
> f = tensor.MemoryFile():quiet()
> f:hasError()
false
> f:readInt()
0
> f:hasError()
true

clearError
> f = tensor.MemoryFile():quiet()
> f:readInt()
0
> f:clearError():hasError()
false

isReadable
> tensor.MemoryFile('w'):isReadable()
false

isWritable
> tensor.MemoryFile('w'):isWritable()
true

isOpened
> f = tensor.MemoryFile()
> f:isOpened()
true
> f:close():isOpened()
false

seek
> f = tensor.MemoryFile()
> f:writeString('abcdef')
6
> f:seek(3):readString('*a')
cdef

seekEnd
> f = tensor.MemoryFile()
> f:writeString('abc')
3
> f:seek(1):seekEnd():position()
4

position
> f = tensor.MemoryFile()
> f:writeString('abc')
3
> f:position()
4

close
> f = tensor.MemoryFile()
> f:close()
torch.MemoryFile [status: closed -- mode: rw]
> (pcall(f.writeInt, f, 1))
false

noBuffer
> name = os.tmpname()
> f = tensor.DiskFile(name, 'w'):noBuffer()
> f:writeString('at once')
7
> io.open(name):read('*a')
at once
> os.remove(name)
true

longSize
> f = tensor.MemoryFile():binary():longSize(4)
> f:writeLong(1)
> f:position()
5

nativeEndianEncoding
> name = os.tmpname()
> f = tensor.DiskFile(name, 'w'):binary():nativeEndianEncoding()
> f:writeInt(1)
> f:close():isOpened()
false
> io.open(name):read(4):byte(1, -1)
1  0  0  0
> os.remove(name)
true

littleEndianEncoding
> name = os.tmpname()
> f = tensor.DiskFile(name, 'w'):binary():littleEndianEncoding()
> f:writeInt(1)
> f:close():isOpened()
false
> io.open(name):read(4):byte(1, -1)
1  0  0  0
> os.remove(name)
true

bigEndianEncoding
> name = os.tmpname()
> f = tensor.DiskFile(name, 'w'):binary():bigEndianEncoding()
> f:writeInt(1)
> f:close():isOpened()
false
> io.open(name):read(4):byte(1, -1)
0  0  0  1
> os.remove(name)
true

isLittleEndianCPU
> f = tensor.DiskFile('/dev/null')
> f:isLittleEndianCPU() ~= f:isBigEndianCPU()
true

isBigEndianCPU
> f = tensor.DiskFile('/dev/null')
> f:isBigEndianCPU() ~= f:isLittleEndianCPU()
true

readString
> f = tensor.MemoryFile()
> f:writeString('one\ntwo\nthree')
13
> f:seek(1):readString('*l')
one
> f:readString('*a')
two
three

writeString
> f = tensor.MemoryFile()
> f:writeString('text')
4

readBool
> f = tensor.MemoryFile()
> f:writeBool(true)
> f:seek(1):readBool()
true

writeBool
> f = tensor.MemoryFile()
> f:writeBool(false)
> f:seek(1):readInt()
0

readByte
> f = tensor.MemoryFile():binary()
> f:writeByte(tensor.ByteStorage{7, 8})
2
> f:seek(1):readByte(2):totable()[2]
8
> f:seek(1):readByte()
7

writeByte
> f = tensor.MemoryFile():binary()
> f:writeByte(7)
> f:writeByte(tensor.ByteStorage{7, 8})
2
> f:position()
4

readChar
> f = tensor.MemoryFile():binary()
> f:writeChar(tensor.CharStorage{-7, 8})
2
> f:seek(1):readChar(2):totable()[2]
8
> f:seek(1):readChar()
-7

writeChar
> f = tensor.MemoryFile():binary()
> f:writeChar(-7)
> f:writeChar(tensor.CharStorage{-7, 8})
2
> f:position()
4

readShort
> f = tensor.MemoryFile():binary()
> f:writeShort(tensor.ShortStorage{-7, 800})
2
> f:seek(1):readShort(2):totable()[2]
800
> f:seek(1):readShort()
-7

writeShort
> f = tensor.MemoryFile():binary()
> f:writeShort(-7)
> f:writeShort(tensor.ShortStorage{-7, 800})
2
> f:position()
7

readInt
> f = tensor.MemoryFile():binary()
> f:writeInt(tensor.IntStorage{-7, 80000})
2
> f:seek(1):readInt(2):totable()[2]
80000
> f:seek(1):readInt()
-7

writeInt
> f = tensor.MemoryFile():binary()
> f:writeInt(-7)
> f:writeInt(tensor.IntStorage{-7, 80000})
2
> f:position()
13

readLong
> f = tensor.MemoryFile():binary()
> f:writeLong(tensor.LongStorage{-7, 2^40})
2
> f:seek(1):readLong(2):totable()[2]
1099511627776
> f:seek(1):readLong()
-7

writeLong
> f = tensor.MemoryFile():binary()
> f:writeLong(-7)
> f:writeLong(tensor.LongStorage{-7, 2^40})
2
> f:position()
25

readHalf
> f = tensor.MemoryFile():binary()
> f:writeHalf(tensor.HalfStorage{0.5, 2})
2
> f:seek(1):readHalf(2):totable()[2]
2
> f:seek(1):readHalf()
0.5

writeHalf
> f = tensor.MemoryFile():binary()
> f:writeHalf(0.5)
> f:writeHalf(tensor.HalfStorage{0.5, 2})
2
> f:position()
7

readBFloat16
> f = tensor.MemoryFile():binary()
> f:writeBFloat16(tensor.BFloat16Storage{0.5, 2})
2
> f:seek(1):readBFloat16(2):totable()[2]
2
> f:seek(1):readBFloat16()
0.5

writeBFloat16
> f = tensor.MemoryFile():binary()
> f:writeBFloat16(0.5)
> f:writeBFloat16(tensor.BFloat16Storage{0.5, 2})
2
> f:position()
7

readFloat
> f = tensor.MemoryFile():binary()
> f:writeFloat(tensor.FloatStorage{0.5, 1e30})
2
> f:seek(1):readFloat(2):totable()[2]
1.0000000150475e+30
> f:seek(1):readFloat()
0.5

writeFloat
> f = tensor.MemoryFile():binary()
> f:writeFloat(0.5)
> f:writeFloat(tensor.FloatStorage{0.5, 1e30})
2
> f:position()
13

readDouble
> f = tensor.MemoryFile():binary()
> f:writeDouble(tensor.DoubleStorage{0.1, 1e300})
2
> f:seek(1):readDouble(2):totable()[2]
1e+300
> f:seek(1):readDouble()
0.1

writeDouble
> f = tensor.MemoryFile():binary()
> f:writeDouble(0.1)
> f:writeDouble(tensor.DoubleStorage{0.1, 1e300})
2
> f:position()
25

writeObject
> f = tensor.MemoryFile()
> f:writeObject({x = tensor.ones(2)})
> f:seek(1):readObject().x:sum()
2

readObject
> f = tensor.MemoryFile()
> f:writeObject('first')
> f:writeObject('second')
> f:seek(1):readObject()
first
> f:readObject()
second

referenced
> f = tensor.MemoryFile():referenced(false)
> t = tensor.ones(2)
> f:writeObject({t, t})
> back = f:seek(1):readObject()
> back[1]:fill(5):sum(), back[2]:sum()
10  2

isReferenced
> tensor.MemoryFile():isReferenced()
true

isWritableObject
> f = tensor.MemoryFile()
> f:isWritableObject({})
3
> f:isWritableObject(io.stdout)
]=]
