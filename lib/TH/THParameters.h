#ifndef TH_PARAMETERS_INC
#define TH_PARAMETERS_INC

/* Expands the parameter lists of THOps.def. TH_PARAMETERS(M, S, in(T, src), dim(d)) is
     M(...) S() M(...)
   where the columns of M are those of the kinds below. At most 12 parameters. */
#define TH_PARAMETERS(M, S, ...) TH_UNWRAP(TH_PARAMETERS_(M, S, __VA_ARGS__, TH_COUNT_))
#define TH_UNWRAP(...) __VA_ARGS__
#define TH_COMMA() ,
#define TH_SEMICOLON() ;

/* A list of parameters of a C function. */
#define TH_C_PARAMETERS(parameters) TH_PARAMETERS(TH_C_PARAMETER_, TH_COMMA, TH_UNWRAP parameters)
#define TH_C_PARAMETER_(kind, type, core, name, expression, value, ...) __VA_ARGS__

/* One line for each kind of parameter: (kind, type of tensor, type in the core, name, expression of
   the parameters in C, default value in Lua, parameters in C). The default value is `required` if
   there is none. */
#define TH_KIND_out(type, x) (out, type, th::Tensor*, x, x, new, TH_C_##type * x)
#define TH_KIND_inout(type, x) (inout, type, th::Tensor*, x, x, required, TH_C_##type * x)
#define TH_KIND_view(type, x) (view, type, th::Tensor*, x, x, new, TH_C_##type * x)
#define TH_KIND_in(type, x) (in, type, th::Tensor*, x, x, required, TH_C_##type * x)
#define TH_KIND_like(type, x) (like, type, th::Tensor*, x, x, required, const TH_C_##type* x)
#define TH_KIND_list(type, x, n)                                                                  \
  (list, type, th::TensorList, x, th::TensorList(reinterpret_cast<th::Tensor**>(x), n), required, \
   TH_C_##type * *x, int n)
#define TH_KIND_element(x) (element, None, th::Scalar, x, x, required, real x)
#define TH_KIND_number(x) (number, None, th::Scalar, x, x, required, real x)
#define TH_KIND_accumulator(x) (accumulator, None, th::Scalar, x, x, required, accreal x)
#define TH_KIND_float64(x) (float64, None, double, x, x, required, double x)
#define TH_KIND_int64(x) (int64, None, int64_t, x, x, required, int64_t x)
#define TH_KIND_int32(x) (int32, None, int64_t, x, x, required, int x)
#define TH_KIND_dim(x) (dim, None, int64_t, x, x, required, int x)
#define TH_KIND_index(x) (index, None, int64_t, x, x, required, int64_t x)
#define TH_KIND_flag(x) (flag, None, bool, x, x, required, int x)
#define TH_KIND_option(values, x, value) (option_##values, None, char, x, x, value, const char* x)
#define TH_KIND_text(x) (text, None, const char*, x, x, required, const char* x)
#define TH_KIND_sizes(x) (sizes, None, th::Sizes, x, x, required, THLongStorage * x)
#define TH_KIND_dims(x) (dims, None, th::Sizes, x, x, required, THLongStorage * x)
#define TH_KIND_int_list(x) (int_list, None, th::Sizes, x, x, required, THLongStorage * x)
#define TH_KIND_dim_list(x) (dim_list, None, th::Sizes, x, x, required, THLongStorage * x)
#define TH_KIND_each(x) (each, None, th::Sizes, x, x, required, THLongStorage * x)
#define TH_KIND_generator(x) (generator, None, th::Generator*, x, x, new, THGenerator * x)
#define TH_KIND_opt(parameter, value) TH_OPT_(value, TH_KIND_##parameter)
#define TH_OPT_(value, columns) TH_OPT_OF_(value, TH_UNWRAP columns)
#define TH_OPT_OF_(value, ...) TH_OPT_IN_(value, __VA_ARGS__)
#define TH_OPT_IN_(value, kind, type, core, name, expression, required, ...) \
  (kind, type, core, name, expression, value, __VA_ARGS__)

#define TH_C_T THTensor
#define TH_C_Any THTensor
#define TH_C_Wide THTensor
#define TH_C_Byte THByteTensor
#define TH_C_Char THCharTensor
#define TH_C_Mask THByteTensor
#define TH_C_Int THIntTensor
#define TH_C_Long THLongTensor
#define TH_C_Float THFloatTensor
#define TH_C_Double THDoubleTensor

#define TH_COUNT_ 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0
#define TH_PARAMETERS_(M, S, ...) TH_CHOOSE_(__VA_ARGS__)(M, S, __VA_ARGS__)
#define TH_CHOOSE_(...) TH_CHOSEN_(__VA_ARGS__)
#define TH_CHOSEN_(a, b, c, d, e, f, g, h, i, j, k, l, count, ...) TH_KINDS_##count
#define TH_KINDS_1(M, S, a, ...) M TH_KIND_##a
#define TH_KINDS_2(M, S, a, ...) M TH_KIND_##a S() TH_KINDS_1(M, S, __VA_ARGS__)
#define TH_KINDS_3(M, S, a, ...) M TH_KIND_##a S() TH_KINDS_2(M, S, __VA_ARGS__)
#define TH_KINDS_4(M, S, a, ...) M TH_KIND_##a S() TH_KINDS_3(M, S, __VA_ARGS__)
#define TH_KINDS_5(M, S, a, ...) M TH_KIND_##a S() TH_KINDS_4(M, S, __VA_ARGS__)
#define TH_KINDS_6(M, S, a, ...) M TH_KIND_##a S() TH_KINDS_5(M, S, __VA_ARGS__)
#define TH_KINDS_7(M, S, a, ...) M TH_KIND_##a S() TH_KINDS_6(M, S, __VA_ARGS__)
#define TH_KINDS_8(M, S, a, ...) M TH_KIND_##a S() TH_KINDS_7(M, S, __VA_ARGS__)
#define TH_KINDS_9(M, S, a, ...) M TH_KIND_##a S() TH_KINDS_8(M, S, __VA_ARGS__)
#define TH_KINDS_10(M, S, a, ...) M TH_KIND_##a S() TH_KINDS_9(M, S, __VA_ARGS__)
#define TH_KINDS_11(M, S, a, ...) M TH_KIND_##a S() TH_KINDS_10(M, S, __VA_ARGS__)
#define TH_KINDS_12(M, S, a, ...) M TH_KIND_##a S() TH_KINDS_11(M, S, __VA_ARGS__)

#endif
