#ifndef ROWS_KERNELS_H
#define ROWS_KERNELS_H

#include <TH.h>
#include <stdbool.h>

#define ROWS_(NAME) TH_CONCAT_3(ROWS_, Real, NAME)
#define THIndexTensor THLongTensor
#define THIndexTensor_(NAME) TH_CONCAT_2(THLongTensor_, NAME)
typedef void RowsState;

#include "generic/kernels.h"
#include <THGenerateFloatTypes.h>

#endif
