#ifndef TH_INC
#define TH_INC

/* Includes the whole C interface of the tensor library. */

#include "THGeneral.h"

#include "THAllocator.h"
#include "THAtomic.h"
#include "THBlas.h"
#include "THBlob.h"
#include "THCsv.h"
#include "THDLPack.h"
#include "THDevice.h"
#include "THDiskFile.h"
#include "THDist.h"
#include "THFile.h"
#include "THHalf.h"
#include "THLapack.h"
#include "THLogAdd.h"
#include "THMath.h"
#include "THMemoryFile.h"
#include "THPrint.h"
#include "THRandom.h"
#include "THSize.h"
#include "THStorage.h"
#include "THSyncedMemory.h"
#include "THTape.h"
#include "THTensor.h"
#include "THTensorApply.h"
#include "THTensorDimApply.h"
#include "THTensorFile.h"
#include "THTensorMacros.h"
#include "THTensorRandom.h"
#include "THVector.h"

#endif
