#ifndef TH_GENERIC_FILE
#define TH_GENERIC_FILE "generic/rows.c"
#else

/* output[i] = log(1 + sum_j exp(weight[j] * input[i][j])) + bias, row by row in threads, with the
   fields of the structs alone. */
static int rows_(soft)(lua_State* L) {
  THTensor* input = luaT_checkudata(L, 1, torch_Tensor);
  THTensor* weight = luaT_checkudata(L, 2, torch_Tensor);
  real bias = (real)luaL_checknumber(L, 3);
  THTensor* output = luaT_checkudata(L, 4, torch_Tensor);
  long i, n;
  luaL_argcheck(L, input->nDimension == 2, 1, "a matrix is expected");
  THArgCheck(THTensor_(nElement)(weight) == input->size[1], 2, "a weight for each column");
  THTensor_(resize1d)(output, input->size[0]);
  THVector_(fill)(output->storage->data + output->storageOffset, bias, output->size[0]);
  weight = THTensor_(newContiguous)(weight);
  n = input->size[0];
#pragma omp parallel for private(i)
  for (i = 0; i < n; i++) {
    THTensor* row = THTensor_(newSelect)(input, 0, i);
    THTensor* scaled = THTensor_(new)();
    accreal sum = 0;
    THTensor_(cmul)(scaled, row, weight);
    TH_TENSOR_APPLY(real, scaled, sum += exp(*scaled_data););
    output->storage->data[output->storageOffset + i * output->stride[0]] += (real)THLog1p(sum);
    THTensor_(free)(row);
    THTensor_(free)(scaled);
  }
  THTensor_(free)(weight);
  lua_settop(L, 4);
  return 1;
}

/* The dot products of the rows of two matrices, of any layout, by a loop over both and by BLAS. */
static int rows_(dots)(lua_State* L) {
  THTensor* a = luaT_checkudata(L, 1, torch_Tensor);
  THTensor* b = luaT_checkudata(L, 2, torch_Tensor);
  THTensor* products = THTensor_(new)();
  THTensor* sums = THTensor_(newWithSize2d)(a->size[0], 1);
  long i;
  THTensor_(resizeAs)(products, a);
  TH_TENSOR_APPLY3(real, products, real, a, real, b, *products_data = *a_data * *b_data;);
  TH_TENSOR_DIM_APPLY2(
      real, sums, real, products, 1, long k; *sums_data = 0;
      for (k = 0; k < products_size; k++) { *sums_data += products_data[k * products_stride]; });
  for (i = 0; i < a->size[0]; i++) {
    real dot = THBlas_(dot)(a->size[1], THTensor_(data)(a) + i * a->stride[0], a->stride[1],
                            THTensor_(data)(b) + i * b->stride[0], b->stride[1]);
    THAssertMsg(fabs((double)(dot - THTensor_fastGet2d(sums, i, 0))) < 1e-3, "row %ld", i);
  }
  THTensor_(free)(products);
  luaT_pushudata(L, sums, torch_Tensor);
  return 1;
}

/* The matrix reflected at its diagonal, of which every element is read and written singly. */
static int rows_(reflect)(lua_State* L) {
  THTensor* t = luaT_checkudata(L, 1, torch_Tensor);
  THTensor* r = luaT_checkudata(L, 2, torch_Tensor);
  long i, j;
  THTensor_(resize2d)(r, t->size[1], t->size[0]);
  for (i = 0; i < r->size[0]; i++) {
    for (j = 0; j < r->size[1]; j++) THTensor_fastSet2d(r, i, j, THTensor_fastGet2d(t, j, i));
  }
  return 0;
}

/* beta r + a b' by BLAS, on contiguous memory, which is by columns what is transposed by rows. */
static int rows_(product)(lua_State* L) {
  THTensor* r = luaT_checkudata(L, 1, torch_Tensor);
  THTensor* a = luaT_checkudata(L, 2, torch_Tensor);
  THTensor* b = luaT_checkudata(L, 3, torch_Tensor);
  real beta = (real)luaL_checknumber(L, 4);
  THBlas_(gemm)('t', 'n', b->size[0], a->size[0], a->size[1], 1, THTensor_(data)(b), b->stride[0],
                THTensor_(data)(a), a->stride[0], beta, THTensor_(data)(r), r->stride[0]);
  return 0;
}

/* An element beyond the end. */
static int rows_(beyond)(lua_State* L) {
  THTensor* t = luaT_checkudata(L, 1, torch_Tensor);
  lua_pushnumber(L, (lua_Number)THTensor_(get2d)(t, t->size[0], 0));
  return 1;
}

static const struct luaL_Reg rows_(Functions)[] = {
    {"soft", rows_(soft)},       {"dots", rows_(dots)},     {"reflect", rows_(reflect)},
    {"product", rows_(product)}, {"beyond", rows_(beyond)}, {NULL, NULL}};

static void rows_(Init)(lua_State* L) {
  luaT_pushmetatable(L, torch_Tensor);
  luaT_registeratname(L, rows_(Functions), "rows");
  lua_pop(L, 1);
}

#endif
