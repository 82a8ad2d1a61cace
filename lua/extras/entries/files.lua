-- Help texts for files: a section of entries.lua.

return {'files and serialization',
   {'load', [=[
tensor.load(filename [, mode [, referenced]])
tensor.load(filename, options)]=],
      'Reads an object from a file. `mode`: "binary", "ascii", "b32" or "b64"; without one, ' ..
      'binary and text are detected. Options: `mode`, `referenced`, `progress`, and ' ..
      '`functions`: whether functions, which are code, are read. The endings `.npy`, `.npz`, ' ..
      '`.safetensors`, `.csv`, `.tsv`, `.png`, `.jpeg`, `.jpg` and `.binaryproto` select other ' ..
      'formats, which have more options: see files.md. The option `format`, such as "npy", ' ..
      'selects them for other names.'},
   {'save', [=[
tensor.save(filename, object [, mode [, referenced]])
tensor.save(filename, object, options)]=],
      'Writes an object, with everything that it refers to, to a file in Torch7\'s format. The ' ..
      'endings `.npy`, `.npz`, `.safetensors`, `.csv`, `.tsv`, `.png`, `.jpeg`, `.jpg` and ' ..
      '`.binaryproto` select other formats, and so does the option `format`, such as "npy". An ' ..
      'existing file stays until the new one is complete. Without a mode, extensions of other ' ..
      'programs, such as `.gif` and `.txt`, are refused.'},
   {'loadobj', 'tensor.loadobj(filename [, mode [, referenced]])', 'Another name of `load`.'},
   {'saveobj', 'tensor.saveobj(filename, object [, mode [, referenced]])',
      'Another name of `save`.'},
   {'serialize', 'tensor.serialize(object [, mode])', 'Returns as a string what `save` writes.'},
   {'deserialize', [=[
tensor.deserialize(string [, mode])
tensor.deserialize(string, options)]=],
      'Returns the object from a string that `serialize` returned.'},
   {'serializeToStorage', 'tensor.serializeToStorage(object [, mode])',
      'Returns as a CharStorage what `save` writes.'},
   {'deserializeFromStorage', [=[
tensor.deserializeFromStorage(storage [, mode])
tensor.deserializeFromStorage(storage, options)]=],
      'Returns the object from a CharStorage or ByteStorage, or from a tensor of these types.'},
   {'File', 'tensor.File()', 'The parent class of all file classes. It has no constructor.'},
   {'DiskFile', 'tensor.DiskFile(name [, mode [, quiet]])',
      'Opens a file on disk for reading ("r"), writing ("w") or both ("rw"). With `quiet`, ' ..
      'returns nil if the file cannot be opened.'},
   {'PipeFile', 'tensor.PipeFile(command [, mode [, quiet]])',
      'Runs a shell command and reads its output ("r") or writes its input ("w").'},
   {'MemoryFile', 'tensor.MemoryFile([storage] [, mode])',
      'Creates a file in memory: in a CharStorage that ends in 0, or in a new one.'},
   {'ascii', 'f:ascii()',
      'Switches to text: numbers are written and read as text. This is the default.'},
   {'binary', 'f:binary()', 'Switches to binary: numbers are written and read as in memory.'},
   {'isBinary', 'f:isBinary()', 'Returns true if the file is in binary mode.'},
   {'autoSpacing', 'f:autoSpacing()',
      'In text, writes a space between numbers and a newline after each call. This is the ' ..
      'default.'},
   {'noAutoSpacing', 'f:noAutoSpacing()',
      'In text, writes neither spaces nor newlines between numbers.'},
   {'isAutoSpacing', 'f:isAutoSpacing()', 'Returns true if `autoSpacing` is on.'},
   {'quiet', 'f:quiet()', 'Makes failures set a flag for `hasError` instead of raising an error.'},
   {'pedantic', 'f:pedantic()', 'Makes failures raise an error. This is the default.'},
   {'isQuiet', 'f:isQuiet()', 'Returns true if failures set a flag instead of raising an error.'},
   {'hasError', 'f:hasError()', 'Returns true if an operation has failed since `clearError`.'},
   {'clearError', 'f:clearError()', 'Clears the flag that `hasError` returns.'},
   {'isReadable', 'f:isReadable()', 'Returns true if the file can be read.'},
   {'isWritable', 'f:isWritable()', 'Returns true if the file can be written.'},
   {'isOpened', 'f:isOpened()', 'Returns true if the file is open.'},
   {'seek', 'f:seek(position)', 'Moves to a byte, counted from 1.'},
   {'seekEnd', 'f:seekEnd()', 'Moves to the end of the file.'},
   {'position', 'f:position()',
      'Returns the position of the next byte to read or write, counted from 1.'},
   {'close', 'f:close()', 'Closes the file. If not everything could be written, it is an error.'},
   {'noBuffer', 'f:noBuffer()',
      'Turns buffering off: everything is written to the file immediately.'},
   {'longSize', 'f:longSize(bytes)',
      'Sets the size of longs in a binary file to 4 or 8 bytes; 0 means 8.'},
   {'nativeEndianEncoding', 'f:nativeEndianEncoding()',
      'Writes and reads binary numbers in the byte order of this CPU. This is the default.'},
   {'littleEndianEncoding', 'f:littleEndianEncoding()',
      'Writes and reads binary numbers with the low byte first.'},
   {'bigEndianEncoding', 'f:bigEndianEncoding()',
      'Writes and reads binary numbers with the high byte first.'},
   {'isLittleEndianCPU', 'f:isLittleEndianCPU()',
      'Returns true if this CPU stores the low byte first.'},
   {'isBigEndianCPU', 'f:isBigEndianCPU()', 'Returns true if this CPU stores the high byte first.'},
   {'readString', 'f:readString(format)',
      'Returns the rest of the file ("*a"), or the next line without its newline ("*l").'},
   {'writeString', 'f:writeString(string)',
      'Writes a string and returns the number of bytes written.'},
   {'readBool', 'f:readBool()', 'Reads a boolean, which is stored as an integer.'},
   {'writeBool', 'f:writeBool(value)', 'Writes a boolean as an integer.'},
   {'readByte', [=[
f:readByte()
f:readByte(n)
f:readByte(storage)]=],
      'Reads an unsigned 8-bit integer. With `n`, returns `n` of them in a new storage. With ' ..
      '`storage`, fills it and returns the number of elements read.'},
   {'writeByte', [=[
f:writeByte(number)
f:writeByte(storage)]=],
      'Writes a number, or the elements of a storage, as unsigned 8-bit integers. For a ' ..
      'storage, returns their number.'},
   {'readChar', [=[
f:readChar()
f:readChar(n)
f:readChar(storage)]=],
      'Reads a signed 8-bit integer. With `n`, returns `n` of them in a new storage. With ' ..
      '`storage`, fills it and returns the number of elements read.'},
   {'writeChar', [=[
f:writeChar(number)
f:writeChar(storage)]=],
      'Writes a number, or the elements of a storage, as signed 8-bit integers. For a storage, ' ..
      'returns their number.'},
   {'readShort', [=[
f:readShort()
f:readShort(n)
f:readShort(storage)]=],
      'Reads a 16-bit integer. With `n`, returns `n` of them in a new storage. With `storage`, ' ..
      'fills it and returns the number of elements read.'},
   {'writeShort', [=[
f:writeShort(number)
f:writeShort(storage)]=],
      'Writes a number, or the elements of a storage, as 16-bit integers. For a storage, ' ..
      'returns their number.'},
   {'readInt', [=[
f:readInt()
f:readInt(n)
f:readInt(storage)]=],
      'Reads a 32-bit integer. With `n`, returns `n` of them in a new storage. With `storage`, ' ..
      'fills it and returns the number of elements read.'},
   {'writeInt', [=[
f:writeInt(number)
f:writeInt(storage)]=],
      'Writes a number, or the elements of a storage, as 32-bit integers. For a storage, ' ..
      'returns their number.'},
   {'readLong', [=[
f:readLong()
f:readLong(n)
f:readLong(storage)]=],
      'Reads a 64-bit integer. With `n`, returns `n` of them in a new storage. With `storage`, ' ..
      'fills it and returns the number of elements read.'},
   {'writeLong', [=[
f:writeLong(number)
f:writeLong(storage)]=],
      'Writes a number, or the elements of a storage, as 64-bit integers. For a storage, ' ..
      'returns their number.'},
   {'readHalf', [=[
f:readHalf()
f:readHalf(n)
f:readHalf(storage)]=],
      'Reads a 16-bit float (binary16). With `n`, returns `n` of them in a new storage. With ' ..
      '`storage`, fills it and returns the number of elements read.'},
   {'writeHalf', [=[
f:writeHalf(number)
f:writeHalf(storage)]=],
      'Writes a number, or the elements of a storage, as 16-bit floats (binary16). For a ' ..
      'storage, returns their number.'},
   {'readBFloat16', [=[
f:readBFloat16()
f:readBFloat16(n)
f:readBFloat16(storage)]=],
      'Reads a BFloat16 number. With `n`, returns `n` of them in a new storage. With `storage`, ' ..
      'fills it and returns the number of elements read.'},
   {'writeBFloat16', [=[
f:writeBFloat16(number)
f:writeBFloat16(storage)]=],
      'Writes a number, or the elements of a storage, as BFloat16 numbers. For a storage, ' ..
      'returns their number.'},
   {'readFloat', [=[
f:readFloat()
f:readFloat(n)
f:readFloat(storage)]=],
      'Reads a float. With `n`, returns `n` of them in a new storage. With `storage`, fills it ' ..
      'and returns the number of elements read.'},
   {'writeFloat', [=[
f:writeFloat(number)
f:writeFloat(storage)]=],
      'Writes a number, or the elements of a storage, as floats. For a storage, returns their ' ..
      'number.'},
   {'readDouble', [=[
f:readDouble()
f:readDouble(n)
f:readDouble(storage)]=],
      'Reads a double. With `n`, returns `n` of them in a new storage. With `storage`, fills it ' ..
      'and returns the number of elements read.'},
   {'writeDouble', [=[
f:writeDouble(number)
f:writeDouble(storage)]=],
      'Writes a number, or the elements of a storage, as doubles. For a storage, returns their ' ..
      'number.'},
   {'writeObject', 'f:writeObject(object [, name [, hook]])',
      'Writes a value, table, function, or object of a class. One that was written to the file ' ..
      'before is written as a reference. `name` stands for the object in error messages. The ' ..
      'result of `hook(x)` is written instead of each table, function or object `x`.'},
   {'readObject', 'f:readObject()', 'Reads the next object.'},
   {'referenced', 'f:referenced(flag)',
      'Sets whether an object that is written again becomes a reference. By default it does.'},
   {'isReferenced', 'f:isReferenced()',
      'Returns true if objects that are written again become references.'},
   {'isWritableObject', 'f:isWritableObject(object)',
      'Returns the kind of an object in files, a number, or nil if the object cannot be written.'},
}
