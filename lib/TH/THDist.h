#ifndef TH_DIST_INC
#define TH_DIST_INC

/* Programs of several processes, which a launcher such as mpirun starts. Each process has a rank.
   All ranks of a group call the same collectives in the same order, with tensors of the same type
   and shape. If they do not, the call is an error on all ranks. Without a launcher the program is
   one process: rank 0 of 1, for which collectives cost next to nothing.

     THDist_init();
     THDistFloat_allReduce(NULL, t, THDistSum);   t: the sum over all ranks
     if (THDist_rank(NULL) == 0) ...

   A group of NULL means all ranks. Ranks count from 0. A call waits until the tensors can be used
   again. If a rank does not take part within the timeout, the others get an error that names it. A
   process that ends while others are in a collective ends them, too. */

#include "THTensor.h"

typedef struct THDistGroup THDistGroup;
typedef struct THDistWork THDistWork;

/* THDistMean is for floating-point tensors. */
typedef enum THDistReduction {
  THDistSum,
  THDistMean,
  THDistProd,
  THDistMin,
  THDistMax
} THDistReduction;

/* Starts the transport if a launcher has started this process. The other functions call it. If not
   all ranks call it within the timeout, it writes a message to stderr and ends the process. */
TH_API void THDist_init(void);
TH_API int THDist_rank(const THDistGroup* group);
TH_API int THDist_size(const THDistGroup* group);
/* The rank among the processes of the same machine. */
TH_API int THDist_localRank(void);
/* The number of processes on this machine. */
TH_API int THDist_localSize(void);
/* Returns the name and the version of the transport's library, or "" without a transport. */
TH_API const char* THDist_library(void);
/* The time after which a missing rank is an error, in seconds. Initially 600. */
TH_API void THDist_setTimeout(double seconds);
TH_API double THDist_timeout(void);

/* Waits until all ranks of the group have called this. */
TH_API void THDist_barrier(THDistGroup* group);
/* Divides the group: the ranks with the same color form a new group, in the order of their keys.
   Returns NULL for a negative color. The caller frees the group. */
TH_API THDistGroup* THDist_split(THDistGroup* group, int color, int key);
TH_API void THDist_freeGroup(THDistGroup* group);

/* Functions whose names end in Async return at once. They work on copies, so the program can use
   the tensors meanwhile. The calls of a process run one after the other in a thread of their own.
   wait waits for the end and writes the results; later calls of it do nothing. isDone returns 1 if
   wait will not have to wait for other ranks. free releases the call. Without a wait the call
   continues, and its results are not written. */
TH_API THDistWork* THDist_barrierAsync(THDistGroup* group);
TH_API void THDistWork_wait(THDistWork* work);
TH_API int THDistWork_isDone(THDistWork* work);
TH_API void THDistWork_free(THDistWork* work);

/* Ends the processes of all ranks. */
TH_API void THDist_abort(int status);

/* Functions for each type of tensors: THDistFloat_allReduce, and so on. */
#define THDist_(NAME) TH_CONCAT_4(THDist, Real, _, NAME)
#define TH_GENERIC_FILE "generic/THDist.h"
#include "THGenerateEveryType.h"

#endif
