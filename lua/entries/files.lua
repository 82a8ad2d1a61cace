-- The part of entries.lua about files.

return {'files and objects in them',
   {'load', [=[
tensor.load(filename [, mode [, referenced]])
tensor.load(filename, options)]=],
      'The object that save has put into a file, or Torch7. mode: "binary", "ascii", "b32" ' ..
      'or "b64"; without one it is found out. Options: mode, referenced, progress, and ' ..
      'functions: whether functions, which are code, are read. The endings .npy, .npz, ' ..
      '.safetensors, .csv, .tsv, .png, .jpeg, .jpg and .binaryproto tell of other formats, with ' ..
      'options of their own: files.md.'},
   {'save', [=[
tensor.save(filename, object [, mode [, referenced]])
tensor.save(filename, object, options)]=],
      'Writes an object, with all that it refers to, to a file, in Torch7\'s format or, where ' ..
      'its name ends so, in another: .npy, .npz, .safetensors, .csv, .tsv, .png, .jpeg, .jpg, ' ..
      '.binaryproto. A file that was there stays until the new one is complete.'},
   {'loadobj', 'tensor.loadobj(filename [, mode [, referenced]])', 'Another name of load.'},
   {'saveobj', 'tensor.saveobj(filename, object [, mode [, referenced]])',
      'Another name of save.'},
   {'serialize', 'tensor.serialize(object [, mode])', 'What save writes, as a string.'},
   {'deserialize', [=[
tensor.deserialize(string [, mode])
tensor.deserialize(string, options)]=], 'The object that serialize made a string of.'},
   {'serializeToStorage', 'tensor.serializeToStorage(object [, mode])',
      'What save writes, as a CharStorage.'},
   {'deserializeFromStorage', [=[
tensor.deserializeFromStorage(storage [, mode])
tensor.deserializeFromStorage(storage, options)]=],
      'The object that is in a CharStorage or ByteStorage.'},
   {'File', 'tensor.File()', 'The class of all files, which makes none itself.'},
   {'DiskFile', 'tensor.DiskFile(name [, mode [, quiet]])',
      'A file on disk, for reading ("r"), writing ("w"), or both ("rw"). A quiet one that ' ..
      'cannot be opened is nil.'},
   {'PipeFile', 'tensor.PipeFile(command [, mode [, quiet]])',
      'What a command of the shell prints ("r"), or reads ("w").'},
   {'MemoryFile', 'tensor.MemoryFile([storage] [, mode])',
      'A file in a CharStorage that ends in 0, or in a new one.'},
   {'ascii', 'f:ascii()', 'Numbers are text from now on, as in a new file.'},
   {'binary', 'f:binary()', 'Numbers are bytes as in memory from now on.'},
   {'isBinary', 'f:isBinary()', 'Whether numbers are bytes.'},
   {'autoSpacing', 'f:autoSpacing()',
      'Text has blanks between the numbers of a call and a newline after them, as in a new ' ..
      'file.'},
   {'noAutoSpacing', 'f:noAutoSpacing()', 'Text has neither.'},
   {'isAutoSpacing', 'f:isAutoSpacing()', 'Whether it has them.'},
   {'quiet', 'f:quiet()', 'What fails is noted for hasError, and no error.'},
   {'pedantic', 'f:pedantic()', 'What fails is an error, as in a new file.'},
   {'isQuiet', 'f:isQuiet()', 'Whether what fails is only noted.'},
   {'hasError', 'f:hasError()', 'Whether something has failed since clearError.'},
   {'clearError', 'f:clearError()', 'Forgets that something has failed.'},
   {'isReadable', 'f:isReadable()', 'Whether the file may be read.'},
   {'isWritable', 'f:isWritable()', 'Whether the file may be written.'},
   {'isOpened', 'f:isOpened()', 'Whether the file is not closed yet.'},
   {'seek', 'f:seek(position)', 'Goes to a byte, counted from 1.'},
   {'seekEnd', 'f:seekEnd()', 'Goes behind the last byte.'},
   {'position', 'f:position()', 'The byte that is read or written next, from 1.'},
   {'close', 'f:close()', 'Closes the file; an error where not all could be written.'},
   {'noBuffer', 'f:noBuffer()', 'What is written goes to the disk at once.'},
   {'longSize', 'f:longSize(bytes)', 'Longs have 4 or 8 bytes in a binary file; 0: 8.'},
   {'nativeEndianEncoding', 'f:nativeEndianEncoding()',
      'Binary numbers have the order of bytes of this CPU, as in a new file.'},
   {'littleEndianEncoding', 'f:littleEndianEncoding()', 'The low byte comes first.'},
   {'bigEndianEncoding', 'f:bigEndianEncoding()', 'The high byte comes first.'},
   {'isLittleEndianCPU', 'f:isLittleEndianCPU()', 'Whether this CPU has the low byte first.'},
   {'isBigEndianCPU', 'f:isBigEndianCPU()', 'Whether this CPU has the high byte first.'},
   {'readString', 'f:readString(format)',
      'All that is left ("*a"), or a line without its newline ("*l").'},
   {'writeString', 'f:writeString(string)', 'Writes the bytes; returns how many.'},
   {'readBool', 'f:readBool()', 'A boolean, which is an integer in the file.'},
   {'writeBool', 'f:writeBool(value)', 'Writes a boolean as an integer.'},
   {'readByte', [=[
f:readByte()
f:readByte(n)
f:readByte(storage)]=],
      'One of the unsigned integers of a byte; n in a new storage; a storage full, ' ..
      'which gives their number.'},
   {'writeByte', [=[
f:writeByte(number)
f:writeByte(storage)]=], 'Writes unsigned integers of a byte.'},
   {'readChar', [=[
f:readChar()
f:readChar(n)
f:readChar(storage)]=],
      'One of the integers of a byte; n in a new storage; a storage full, ' ..
      'which gives their number.'},
   {'writeChar', [=[
f:writeChar(number)
f:writeChar(storage)]=], 'Writes integers of a byte.'},
   {'readShort', [=[
f:readShort()
f:readShort(n)
f:readShort(storage)]=],
      'One of the integers of two bytes; n in a new storage; a storage full, ' ..
      'which gives their number.'},
   {'writeShort', [=[
f:writeShort(number)
f:writeShort(storage)]=], 'Writes integers of two bytes.'},
   {'readInt', [=[
f:readInt()
f:readInt(n)
f:readInt(storage)]=],
      'One of the integers of four bytes; n in a new storage; a storage full, ' ..
      'which gives their number.'},
   {'writeInt', [=[
f:writeInt(number)
f:writeInt(storage)]=], 'Writes integers of four bytes.'},
   {'readLong', [=[
f:readLong()
f:readLong(n)
f:readLong(storage)]=],
      'One of the integers of eight bytes; n in a new storage; a storage full, ' ..
      'which gives their number.'},
   {'writeLong', [=[
f:writeLong(number)
f:writeLong(storage)]=], 'Writes integers of eight bytes.'},
   {'readHalf', [=[
f:readHalf()
f:readHalf(n)
f:readHalf(storage)]=],
      'One of the floats of two bytes; n in a new storage; a storage full, ' ..
      'which gives their number.'},
   {'writeHalf', [=[
f:writeHalf(number)
f:writeHalf(storage)]=], 'Writes floats of two bytes.'},
   {'readBFloat16', [=[
f:readBFloat16()
f:readBFloat16(n)
f:readBFloat16(storage)]=],
      'One of the BFloat16s; n in a new storage; a storage full, ' ..
      'which gives their number.'},
   {'writeBFloat16', [=[
f:writeBFloat16(number)
f:writeBFloat16(storage)]=], 'Writes BFloat16s.'},
   {'readFloat', [=[
f:readFloat()
f:readFloat(n)
f:readFloat(storage)]=],
      'One of the floats; n in a new storage; a storage full, ' ..
      'which gives their number.'},
   {'writeFloat', [=[
f:writeFloat(number)
f:writeFloat(storage)]=], 'Writes floats.'},
   {'readDouble', [=[
f:readDouble()
f:readDouble(n)
f:readDouble(storage)]=],
      'One of the doubles; n in a new storage; a storage full, ' ..
      'which gives their number.'},
   {'writeDouble', [=[
f:writeDouble(number)
f:writeDouble(storage)]=], 'Writes doubles.'},
   {'writeObject', 'f:writeObject(object [, name [, hook]])',
      'Writes a value, table, function, or object of a class. One that was written to the ' ..
      'file before is written as a reference. The name stands for the object in error messages. ' ..
      'The result of hook(x) is written instead of each table, function or object x.'},
   {'readObject', 'f:readObject()', 'The next object.'},
   {'referenced', 'f:referenced(flag)',
      'Whether objects that come again are references, as in a new file.'},
   {'isReferenced', 'f:isReferenced()', 'Whether they are.'},
   {'isWritableObject', 'f:isWritableObject(object)',
      'The kind of an object in files, a number, or nil where it cannot be written.'},
}
