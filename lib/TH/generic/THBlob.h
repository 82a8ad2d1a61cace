#ifndef TH_GENERIC_FILE
#define TH_GENERIC_FILE "generic/THBlob.h"
#else

/* ---- construction: returns a blob with one reference, owned by the caller ---- */
/* Creates a blob without axes and elements. Its memory does not exist before the first reshape. */
TH_API THBlob* THBlob_(new)(void);
TH_API THBlob* THBlob_(newWithShape)(THLongStorage* shape);
TH_API THBlob* THBlob_(newWithShapeNd)(int nAxes, const int64_t* shape);
TH_API THBlob* THBlob_(newWithShape4d)(int64_t num, int64_t channels, int64_t height,
                                       int64_t width);
TH_API void THBlob_(retain)(THBlob* self);
/* Releases one reference; the last release frees the blob. NULL is ignored. */
TH_API void THBlob_(free)(THBlob* self);

/* ---- shape ---- */
/* Changes the shape. If the new shape needs more memory than there is, data and diff get new memory
   that reads as 0; otherwise they keep their elements. Memory never shrinks. A shape without axes
   has one element. Errors: a negative size, more than TH_BLOB_MAX_AXES axes, a shape that is too
   large. */
TH_API void THBlob_(reshape)(THBlob* self, THLongStorage* shape);
TH_API void THBlob_(reshapeNd)(THBlob* self, int nAxes, const int64_t* shape);
TH_API void THBlob_(reshape4d)(THBlob* self, int64_t num, int64_t channels, int64_t height,
                               int64_t width);
TH_API void THBlob_(reshapeLike)(THBlob* self, const THBlob* other);
TH_API int THBlob_(nAxes)(const THBlob* self);
/* Returns the non-negative index of an axis. axis is from -nAxes to nAxes - 1; negative values
   count from the end. */
TH_API int THBlob_(canonicalAxisIndex)(const THBlob* self, int axis);
TH_API int64_t THBlob_(shape)(const THBlob* self, int axis);
TH_API THLongStorage* THBlob_(newShapeOf)(const THBlob* self);
/* Return the number of elements; the product of the sizes of the axes from first on; of the axes
   first ... last - 1. Requires 0 <= first <= last <= nAxes. */
TH_API int64_t THBlob_(count)(const THBlob* self);
TH_API int64_t THBlob_(countFrom)(const THBlob* self, int first);
TH_API int64_t THBlob_(countRange)(const THBlob* self, int first, int last);
/* Return the size of an axis of a blob with at most four axes; missing axes have size 1. axis is 0
   ... 3 from the front, or -4 ... -1 from the end. */
TH_API int64_t THBlob_(legacyShape)(const THBlob* self, int axis);
TH_API int64_t THBlob_(num)(const THBlob* self);
TH_API int64_t THBlob_(channels)(const THBlob* self);
TH_API int64_t THBlob_(height)(const THBlob* self);
TH_API int64_t THBlob_(width)(const THBlob* self);
/* Formats the shape and the number of elements, "2 3 4 5 (120)". Text that does not fit is
   truncated and ends in "...". */
TH_API THDescBuff THBlob_(shapeString)(const THBlob* self);
TH_API int THBlob_(shapeEquals)(const THBlob* self, const THBlob* other);
/* Returns 1 if the blob has this shape after axes of size 1 are prepended until it has four. */
TH_API int THBlob_(shapeEquals4d)(const THBlob* self, int64_t num, int64_t channels, int64_t height,
                                  int64_t width);
/* The same for a serialized BlobProto with the fields num, channels, height, width; for any other
   BlobProto, returns 1 if the shapes are equal. */
TH_API int THBlob_(shapeEqualsProto)(const THBlob* self, const void* bytes, size_t size);

/* ---- elements ---- */
/* Return the offset of an element in data and diff. In offset, an index may equal the size of its
   axis, so that the result can be the end of a range. In offsetNd the indices are those of the
   first nIndices axes; the others are 0. */
TH_API int64_t THBlob_(offset)(const THBlob* self, int64_t n, int64_t c, int64_t h, int64_t w);
TH_API int64_t THBlob_(offsetNd)(const THBlob* self, int nIndices, const int64_t* index);
TH_API real THBlob_(dataAt)(const THBlob* self, int64_t n, int64_t c, int64_t h, int64_t w);
TH_API real THBlob_(dataAtNd)(const THBlob* self, int nIndices, const int64_t* index);
TH_API real THBlob_(diffAt)(const THBlob* self, int64_t n, int64_t c, int64_t h, int64_t w);
TH_API real THBlob_(diffAtNd)(const THBlob* self, int nIndices, const int64_t* index);

/* ---- memory ---- */
/* Returns a tensor with the blob's shape that shares its memory; a blob without axes gives a tensor
   of one element. The tensor keeps the memory alive after the blob is freed. Like the functions of
   the storages, these allocate the memory and make the field `data` valid. */
TH_API THTensor* THBlob_(newData)(const THBlob* self);
TH_API THTensor* THBlob_(newDiff)(const THBlob* self);
/* Return the storages of the blob, which may have more elements than the blob. Not retained. */
TH_API THStorage* THBlob_(dataStorage)(const THBlob* self);
TH_API THStorage* THBlob_(diffStorage)(const THBlob* self);
/* Return the memory on the host, and on the blob's device (else the default device), for reading,
   and for reading and writing. */
TH_API const real* THBlob_(cpuData)(const THBlob* self);
TH_API real* THBlob_(mutableCpuData)(THBlob* self);
TH_API const real* THBlob_(gpuData)(const THBlob* self);
TH_API real* THBlob_(mutableGpuData)(THBlob* self);
TH_API const real* THBlob_(cpuDiff)(const THBlob* self);
TH_API real* THBlob_(mutableCpuDiff)(THBlob* self);
TH_API const real* THBlob_(gpuDiff)(const THBlob* self);
TH_API real* THBlob_(mutableGpuDiff)(THBlob* self);
/* Make the caller's block, with as many elements as the blob, the memory of the data. The caller
   keeps ownership. If the memory had another size, diff gets new memory, too. */
TH_API void THBlob_(setCpuData)(THBlob* self, real* data);
TH_API void THBlob_(setGpuData)(THBlob* self, real* data);

/* Copies the data or the diff of src. If the shapes differ, reshape must be 1; otherwise that is an
   error. */
TH_API void THBlob_(copyFrom)(THBlob* self, const THBlob* src, int copyDiff, int reshape);
/* Shares the data (the diff) of the other blob, which must have the same number of elements and the
   same element type. A reshape that needs more memory ends the sharing. */
TH_API void THBlob_(shareData)(THBlob* self, const THBlob* other);
TH_API void THBlob_(shareDiff)(THBlob* self, const THBlob* other);

/* ---- arithmetic, on the device that holds the memory ---- */
/* Elements that gpuData and the like have moved to a device stay there. Otherwise these functions
   and copyFrom leave the field `data` of the storages valid. */
/* data = data - diff. Error if the data was never written. */
TH_API void THBlob_(update)(THBlob* self);
/* Return the sum of absolute values, and of squares. If nothing was written they return 0 and
   allocate nothing. */
TH_API accreal THBlob_(asumData)(const THBlob* self);
TH_API accreal THBlob_(asumDiff)(const THBlob* self);
TH_API accreal THBlob_(sumsqData)(const THBlob* self);
TH_API accreal THBlob_(sumsqDiff)(const THBlob* self);
TH_API void THBlob_(scaleData)(THBlob* self, real factor);
TH_API void THBlob_(scaleDiff)(THBlob* self, real factor);

/* ---- Caffe's BlobProto ---- */
/* Sets the shape and the data, and the diff if the proto has one. If reshape is 0, the shapes must
   agree as in shapeEqualsProto. After an error the blob is unchanged. */
TH_API void THBlob_(fromProto)(THBlob* self, const void* bytes, size_t size, int reshape);
/* Serializes the blob to bytes, which is resized. The diff is included if writeDiff is not 0. */
TH_API void THBlob_(toProto)(const THBlob* self, int writeDiff, THByteStorage* bytes);
/* Returns the number of blobs in a BlobProtoVector. Creates the first of them, at most `capacity`,
   and stores them in blobs; the caller owns them. If the bytes are invalid, that is an error and no
   blob is created. */
TH_API ptrdiff_t THBlob_(newFromProtoVector)(const void* bytes, size_t size, THBlob** blobs,
                                             ptrdiff_t capacity);
TH_API void THBlob_(toProtoVector)(THBlob* const* blobs, ptrdiff_t count, int writeDiff,
                                   THByteStorage* bytes);

#endif
