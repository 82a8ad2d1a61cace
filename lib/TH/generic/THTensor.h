#ifndef TH_GENERIC_FILE
#define TH_GENERIC_FILE "generic/THTensor.h"
#else

/* C code may read these fields, but not write them. The struct has further fields that are private
   to TH. storage is NULL until the tensor has an element. */
struct THTensor {
  int64_t* size;
  int64_t* stride; /* in elements */
  int nDimension;
  THStorage* storage;
  ptrdiff_t storageOffset; /* in elements */
  int refcount;
  char flag;
};

/* ---- access ---- */
TH_API THStorage* THTensor_(storage)(const THTensor* self); /* not retained; may be NULL */
TH_API ptrdiff_t THTensor_(storageOffset)(const THTensor* self);
TH_API int THTensor_(nDimension)(const THTensor* self);
TH_API int64_t THTensor_(size)(const THTensor* self, int dim);
TH_API int64_t THTensor_(stride)(const THTensor* self, int dim);
TH_API THLongStorage* THTensor_(newSizeOf)(THTensor* self);
TH_API THLongStorage* THTensor_(newStrideOf)(THTensor* self);
/* Returns the host address of the first element, for reading and writing; device memory becomes
   stale. NULL for a tensor without storage. */
TH_API real* THTensor_(data)(const THTensor* self);
/* Device of the tensor's storage; without storage, the default device. to and prefetch work as for
   storages, so they affect all tensors that share the storage. */
TH_API const char* THTensor_(device)(const THTensor* self);
TH_API void THTensor_(to)(THTensor* self, const char* device);
TH_API void THTensor_(prefetch)(THTensor* self, const char* device);
TH_API void THTensor_(setFlag)(THTensor* self, const char flag);
TH_API void THTensor_(clearFlag)(THTensor* self, const char flag);
TH_API ptrdiff_t THTensor_(nElement)(const THTensor* self);
TH_API ptrdiff_t THTensor_(numel)(THTensor* self);
TH_API int THTensor_(isContiguous)(const THTensor* self);
TH_API int THTensor_(isSize)(const THTensor* self, const THLongStorage* dims);
TH_API THDescBuff THTensor_(desc)(const THTensor* tensor);
TH_API THDescBuff THTensor_(sizeDesc)(const THTensor* tensor);

/* ---- construction: returns a tensor with one reference, owned by the caller ---- */
TH_API THTensor* THTensor_(new)(void);
TH_API THTensor* THTensor_(newWithTensor)(THTensor* tensor); /* same view */
/* stride may be NULL. A negative stride means the contiguous one. */
TH_API THTensor* THTensor_(newWithStorage)(THStorage* storage, ptrdiff_t storageOffset,
                                           THLongStorage* size, THLongStorage* stride);
TH_API THTensor* THTensor_(newWithStorage1d)(THStorage* storage, ptrdiff_t storageOffset,
                                             int64_t size0, int64_t stride0);
TH_API THTensor* THTensor_(newWithStorage2d)(THStorage* storage, ptrdiff_t storageOffset,
                                             int64_t size0, int64_t stride0, int64_t size1,
                                             int64_t stride1);
TH_API THTensor* THTensor_(newWithStorage3d)(THStorage* storage, ptrdiff_t storageOffset,
                                             int64_t size0, int64_t stride0, int64_t size1,
                                             int64_t stride1, int64_t size2, int64_t stride2);
TH_API THTensor* THTensor_(newWithStorage4d)(THStorage* storage, ptrdiff_t storageOffset,
                                             int64_t size0, int64_t stride0, int64_t size1,
                                             int64_t stride1, int64_t size2, int64_t stride2,
                                             int64_t size3, int64_t stride3);
TH_API THTensor* THTensor_(newWithSize)(THLongStorage* size, THLongStorage* stride);
TH_API THTensor* THTensor_(newWithSize1d)(int64_t size0);
TH_API THTensor* THTensor_(newWithSize2d)(int64_t size0, int64_t size1);
TH_API THTensor* THTensor_(newWithSize3d)(int64_t size0, int64_t size1, int64_t size2);
TH_API THTensor* THTensor_(newWithSize4d)(int64_t size0, int64_t size1, int64_t size2,
                                          int64_t size3);
TH_API THTensor* THTensor_(newClone)(THTensor* self);      /* contiguous copy */
TH_API THTensor* THTensor_(newContiguous)(THTensor* self); /* retained, or a copy */
TH_API THTensor* THTensor_(newSelect)(THTensor* tensor, int dim, int64_t index);
TH_API THTensor* THTensor_(newNarrow)(THTensor* tensor, int dim, int64_t first, int64_t size);
TH_API THTensor* THTensor_(newTranspose)(THTensor* tensor, int dim1, int dim2);
TH_API THTensor* THTensor_(newUnfold)(THTensor* tensor, int dim, int64_t size, int64_t step);
TH_API THTensor* THTensor_(newView)(THTensor* tensor, THLongStorage* size);
TH_API THTensor* THTensor_(newExpand)(THTensor* tensor, THLongStorage* size);
/* Broadcasts the tensors in ops to a common shape. Each of rets becomes the expanded view. A tensor
   may be in both lists. */
TH_API void THTensor_(expandNd)(THTensor** rets, THTensor** ops, int count);
TH_API void THTensor_(retain)(THTensor* self);
/* Releases one reference; the last release frees the tensor. NULL is ignored. */
TH_API void THTensor_(free)(THTensor* self);
/* Copies self to dst, unless both are the same view of one storage, then frees self. */
TH_API void THTensor_(freeCopyTo)(THTensor* self, THTensor* dst);

/* ---- sizes: the storage grows if necessary and never shrinks ---- */
TH_API void THTensor_(resize)(THTensor* tensor, THLongStorage* size, THLongStorage* stride);
TH_API void THTensor_(resizeAs)(THTensor* tensor, THTensor* src);
TH_API void THTensor_(resizeNd)(THTensor* tensor, int nDimension, int64_t* size, int64_t* stride);
TH_API void THTensor_(resize1d)(THTensor* tensor, int64_t size0);
TH_API void THTensor_(resize2d)(THTensor* tensor, int64_t size0, int64_t size1);
TH_API void THTensor_(resize3d)(THTensor* tensor, int64_t size0, int64_t size1, int64_t size2);
TH_API void THTensor_(resize4d)(THTensor* tensor, int64_t size0, int64_t size1, int64_t size2,
                                int64_t size3);
TH_API void THTensor_(resize5d)(THTensor* tensor, int64_t size0, int64_t size1, int64_t size2,
                                int64_t size3, int64_t size4);
TH_API void THTensor_(setStorage)(THTensor* self, THStorage* storage, ptrdiff_t storageOffset,
                                  THLongStorage* size, THLongStorage* stride);
TH_API void THTensor_(setStorageNd)(THTensor* self, THStorage* storage, ptrdiff_t storageOffset,
                                    int nDimension, int64_t* size, int64_t* stride);
TH_API void THTensor_(setStorage1d)(THTensor* self, THStorage* storage, ptrdiff_t storageOffset,
                                    int64_t size0, int64_t stride0);
TH_API void THTensor_(setStorage2d)(THTensor* self, THStorage* storage, ptrdiff_t storageOffset,
                                    int64_t size0, int64_t stride0, int64_t size1, int64_t stride1);
TH_API void THTensor_(setStorage3d)(THTensor* self, THStorage* storage, ptrdiff_t storageOffset,
                                    int64_t size0, int64_t stride0, int64_t size1, int64_t stride1,
                                    int64_t size2, int64_t stride2);
TH_API void THTensor_(setStorage4d)(THTensor* self, THStorage* storage, ptrdiff_t storageOffset,
                                    int64_t size0, int64_t stride0, int64_t size1, int64_t stride1,
                                    int64_t size2, int64_t stride2, int64_t size3, int64_t stride3);

/* ---- element access; indices are checked ---- */
TH_API void THTensor_(set1d)(THTensor* tensor, int64_t x0, real value);
TH_API void THTensor_(set2d)(THTensor* tensor, int64_t x0, int64_t x1, real value);
TH_API void THTensor_(set3d)(THTensor* tensor, int64_t x0, int64_t x1, int64_t x2, real value);
TH_API void THTensor_(set4d)(THTensor* tensor, int64_t x0, int64_t x1, int64_t x2, int64_t x3,
                             real value);
TH_API real THTensor_(get1d)(const THTensor* tensor, int64_t x0);
TH_API real THTensor_(get2d)(const THTensor* tensor, int64_t x0, int64_t x1);
TH_API real THTensor_(get3d)(const THTensor* tensor, int64_t x0, int64_t x1, int64_t x2);
TH_API real THTensor_(get4d)(const THTensor* tensor, int64_t x0, int64_t x1, int64_t x2,
                             int64_t x3);

/* ---- copies: in row-major order of the elements; src may have any element type ---- */
TH_API void THTensor_(copy)(THTensor* tensor, THTensor* src);
#define TH_TYPE(Name, type, acctype, kind, ...) \
  TH_API void THTensor_(copy##Name)(THTensor * tensor, struct TH##Name##Tensor * src);
#include "../THTypes.def"
#undef TH_TYPE

#endif
