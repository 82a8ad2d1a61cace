#include "kernels.h"

#include "generic/kernels.c"
#include <THGenerateFloatTypes.h>
