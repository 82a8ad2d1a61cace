#ifndef TH_TENSOR_MACROS_INC
#define TH_TENSOR_MACROS_INC

/* Unchecked element access by indices, which count from 0. The data of the tensor must be valid on
   the host, which is the case after any TH function. The results of fastGet are lvalues. */

#define __TH_TENSOR_FIRST(self) ((self)->storage->data + (self)->storageOffset)

#define THTensor_fastGet1d(self, x0) (__TH_TENSOR_FIRST(self)[(x0) * (self)->stride[0]])
#define THTensor_fastGet2d(self, x0, x1) \
  (__TH_TENSOR_FIRST(self)[(x0) * (self)->stride[0] + (x1) * (self)->stride[1]])
#define THTensor_fastGet3d(self, x0, x1, x2) \
  (__TH_TENSOR_FIRST(                        \
      self)[(x0) * (self)->stride[0] + (x1) * (self)->stride[1] + (x2) * (self)->stride[2]])
#define THTensor_fastGet4d(self, x0, x1, x2, x3)                                 \
  (__TH_TENSOR_FIRST(self)[(x0) * (self)->stride[0] + (x1) * (self)->stride[1] + \
                           (x2) * (self)->stride[2] + (x3) * (self)->stride[3]])

#define THTensor_fastSet1d(self, x0, value) (THTensor_fastGet1d(self, x0) = (value))
#define THTensor_fastSet2d(self, x0, x1, value) (THTensor_fastGet2d(self, x0, x1) = (value))
#define THTensor_fastSet3d(self, x0, x1, x2, value) (THTensor_fastGet3d(self, x0, x1, x2) = (value))
#define THTensor_fastSet4d(self, x0, x1, x2, x3, value) \
  (THTensor_fastGet4d(self, x0, x1, x2, x3) = (value))

#endif
