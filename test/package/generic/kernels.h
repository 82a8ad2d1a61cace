#ifndef TH_GENERIC_FILE
#define TH_GENERIC_FILE "generic/kernels.h"
#else

/* output = scale * input, and the bias added to each row, where there is one. */
TH_API void ROWS_(affine)(RowsState* state, THTensor* input, THTensor* output,
                          THTensor* bias,  // [OPTIONAL]
                          accreal scale, bool inplace);

/* The rows of input that index names. */
TH_API void ROWS_(pick)(RowsState* state, THTensor* input, THTensor* output, THIndexTensor* index);

/* Noise from 0 to width is added to each element. */
TH_API void ROWS_(noise)(RowsState* state, THTensor* t, THGenerator* generator, accreal width);

#endif
