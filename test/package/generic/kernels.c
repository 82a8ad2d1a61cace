#ifndef TH_GENERIC_FILE
#define TH_GENERIC_FILE "generic/kernels.c"
#else

void ROWS_(affine)(RowsState* state, THTensor* input, THTensor* output, THTensor* bias,
                   accreal scale_, bool inplace) {
  real scale = TH_CONVERT_ACCREAL_TO_REAL(scale_);
  long i;
  THArgCheck(input->nDimension == 2, 2, "a matrix is expected");
  THArgCheck(!bias || THTensor_(nElement)(bias) == input->size[1], 4,
             "a bias for each of %ld columns", (long)input->size[1]);
  if (inplace) {
    THTensor_(set)(output, input);
  } else {
    THTensor_(resizeAs)(output, input);
    THTensor_(copy)(output, input);
  }
  THTensor_(mul)(output, output, scale);
  if (!bias) return;
  for (i = 0; i < output->size[0]; i++) {
    THTensor* row = THTensor_(newSelect)(output, 0, i);
    THTensor_(cadd)(row, row, 1, bias);
    THTensor_(free)(row);
  }
}

void ROWS_(pick)(RowsState* state, THTensor* input, THTensor* output, THIndexTensor* index) {
  long i, n = THIndexTensor_(nElement)(index);
  index = THIndexTensor_(newContiguous)(index);
  THTensor_(resize2d)(output, n, input->size[1]);
#pragma omp parallel for private(i)
  for (i = 0; i < n; i++) {
    long from = (long)THIndexTensor_(data)(index)[i] - TH_INDEX_BASE;
    THTensor* to = THTensor_(newSelect)(output, 0, i);
    THTensor* row = THTensor_(newSelect)(input, 0, from);
    THTensor_(copy)(to, row);
    THTensor_(free)(to);
    THTensor_(free)(row);
  }
  THIndexTensor_(free)(index);
}

void ROWS_(noise)(RowsState* state, THTensor* t, THGenerator* generator, accreal width) {
  TH_TENSOR_APPLY(real, t, *t_data += (real)THRandom_uniform(generator, 0, width););
}

#endif
