#ifndef TH_GENERIC_FILE
#define TH_GENERIC_FILE "generic/THBlob.h"
#else

/* ---- construction: a blob with one reference, which is the caller's ---- */
/* No axis, no element, and no memory to ask for before the first reshape. */
TH_API THBlob* THBlob_(new)(void);
TH_API THBlob* THBlob_(newWithShape)(THLongStorage* shape);
TH_API THBlob* THBlob_(newWithShapeNd)(int nAxes, const int64_t* shape);
TH_API THBlob* THBlob_(newWithShape4d)(int64_t num, int64_t channels, int64_t height,
                                       int64_t width);
TH_API void THBlob_(retain)(THBlob* self);
/* Gives back one reference; the last one frees. NULL is ignored. */
TH_API void THBlob_(free)(THBlob* self);

/* ---- shape ---- */
/* A shape that needs more memory than there is gives data and diff new memory, which reads as 0;
   any other keeps their elements. Memory never shrinks. Without axes there is one element. */
TH_API void THBlob_(reshape)(THBlob* self, THLongStorage* shape);
TH_API void THBlob_(reshapeNd)(THBlob* self, int nAxes, const int64_t* shape);
TH_API void THBlob_(reshape4d)(THBlob* self, int64_t num, int64_t channels, int64_t height,
                               int64_t width);
TH_API void THBlob_(reshapeLike)(THBlob* self, const THBlob* other);
TH_API int THBlob_(nAxes)(const THBlob* self);
/* axis: -nAxes ... nAxes - 1, negative from the end. */
TH_API int THBlob_(canonicalAxisIndex)(const THBlob* self, int axis);
TH_API int64_t THBlob_(shape)(const THBlob* self, int axis);
TH_API THLongStorage* THBlob_(newShapeOf)(const THBlob* self);
/* The number of elements; that of the axes from first on; and that of first ... last - 1, where
   0 <= first <= last <= nAxes. */
TH_API int64_t THBlob_(count)(const THBlob* self);
TH_API int64_t THBlob_(countFrom)(const THBlob* self, int first);
TH_API int64_t THBlob_(countRange)(const THBlob* self, int first, int last);
/* Of a blob with at most four axes; those that are missing are 1. Axes 0 ... 3 count from the
   front, -4 ... -1 from the back. */
TH_API int64_t THBlob_(legacyShape)(const THBlob* self, int axis);
TH_API int64_t THBlob_(num)(const THBlob* self);
TH_API int64_t THBlob_(channels)(const THBlob* self);
TH_API int64_t THBlob_(height)(const THBlob* self);
TH_API int64_t THBlob_(width)(const THBlob* self);
/* "2 3 4 5 (120)", cut with "..." where it would not fit. */
TH_API THDescBuff THBlob_(shapeString)(const THBlob* self);
TH_API int THBlob_(shapeEquals)(const THBlob* self, const THBlob* other);
/* Whether the blob has this shape once axes of size 1 are put in front of its own, to make four. */
TH_API int THBlob_(shapeEquals4d)(const THBlob* self, int64_t num, int64_t channels, int64_t height,
                                  int64_t width);
/* The same for a BlobProto with num, channels, height or width; with any other, whether the shapes
   are equal. */
TH_API int THBlob_(shapeEqualsProto)(const THBlob* self, const void* bytes, size_t size);

/* ---- elements ---- */
/* Where an element is in data and diff. An index of offset may be as large as the size of its axis:
   such offsets are ends of ranges. offsetNd takes indices for the first axes, or for all. */
TH_API int64_t THBlob_(offset)(const THBlob* self, int64_t n, int64_t c, int64_t h, int64_t w);
TH_API int64_t THBlob_(offsetNd)(const THBlob* self, int nIndices, const int64_t* index);
TH_API real THBlob_(dataAt)(const THBlob* self, int64_t n, int64_t c, int64_t h, int64_t w);
TH_API real THBlob_(dataAtNd)(const THBlob* self, int nIndices, const int64_t* index);
TH_API real THBlob_(diffAt)(const THBlob* self, int64_t n, int64_t c, int64_t h, int64_t w);
TH_API real THBlob_(diffAtNd)(const THBlob* self, int nIndices, const int64_t* index);

/* ---- memory ---- */
/* A tensor of the blob's shape in its memory; one of a single element where there are no axes. It
   keeps the memory, whatever becomes of the blob. */
TH_API THTensor* THBlob_(newData)(const THBlob* self);
TH_API THTensor* THBlob_(newDiff)(const THBlob* self);
/* The memory itself, which may have more elements than the blob. Not retained. */
TH_API THStorage* THBlob_(dataStorage)(const THBlob* self);
TH_API THStorage* THBlob_(diffStorage)(const THBlob* self);
/* Memory of the host, and of the device that the blob's is on, or else of the default one: for
   reading, and for reading and writing. */
TH_API const real* THBlob_(cpuData)(const THBlob* self);
TH_API real* THBlob_(mutableCpuData)(THBlob* self);
TH_API const real* THBlob_(gpuData)(const THBlob* self);
TH_API real* THBlob_(mutableGpuData)(THBlob* self);
TH_API const real* THBlob_(cpuDiff)(const THBlob* self);
TH_API real* THBlob_(mutableCpuDiff)(THBlob* self);
TH_API const real* THBlob_(gpuDiff)(const THBlob* self);
TH_API real* THBlob_(mutableGpuDiff)(THBlob* self);
/* The caller's own block of as many elements as the blob has becomes the memory of the data, and
   stays the caller's to free. Where the memory had another size, the diff gets new memory, too. */
TH_API void THBlob_(setCpuData)(THBlob* self, real* data);
TH_API void THBlob_(setGpuData)(THBlob* self, real* data);

/* data or diff become those of src, whose shape must be the same, or is taken over with reshape. */
TH_API void THBlob_(copyFrom)(THBlob* self, const THBlob* src, int copyDiff, int reshape);
/* The other blob, which has as many elements, and this one have the same memory from now on. A
   reshape to more elements than there is memory for ends that. */
TH_API void THBlob_(shareData)(THBlob* self, const THBlob* other);
TH_API void THBlob_(shareDiff)(THBlob* self, const THBlob* other);

/* ---- arithmetic, where the memory is ---- */
/* data = data - diff; an error where the data were never written. */
TH_API void THBlob_(update)(THBlob* self);
/* The sum of absolute values, and of squares; 0, without taking memory, where nothing was written.
 */
TH_API accreal THBlob_(asumData)(const THBlob* self);
TH_API accreal THBlob_(asumDiff)(const THBlob* self);
TH_API accreal THBlob_(sumsqData)(const THBlob* self);
TH_API accreal THBlob_(sumsqDiff)(const THBlob* self);
TH_API void THBlob_(scaleData)(THBlob* self, real factor);
TH_API void THBlob_(scaleDiff)(THBlob* self, real factor);

/* ---- Caffe's BlobProto ---- */
/* Sets shape and data, and diff where there is one; without reshape the shapes must agree as
   shapeEqualsProto has it. On an error the blob is as it was. */
TH_API void THBlob_(fromProto)(THBlob* self, const void* bytes, size_t size, int reshape);
/* bytes is resized. */
TH_API void THBlob_(toProto)(const THBlob* self, int writeDiff, THByteStorage* bytes);
/* How many blobs a BlobProtoVector has. The first of them, as many as fit, become new blobs. */
TH_API ptrdiff_t THBlob_(newFromProtoVector)(const void* bytes, size_t size, THBlob** blobs,
                                             ptrdiff_t room);
TH_API void THBlob_(toProtoVector)(THBlob* const* blobs, ptrdiff_t count, int writeDiff,
                                   THByteStorage* bytes);

#endif
