#ifndef TH_GENERIC_FILE
#define TH_GENERIC_FILE "generic/THDist.h"
#else

/* Replaces the elements of self on all ranks by those of self at the root. */
TH_API void THDist_(broadcast)(THDistGroup* group, THTensor* self, int root);
/* Replace the elements of self by their reduction over all ranks: everywhere, or at the root only.
   Half and BFloat16 are reduced in float. */
TH_API void THDist_(allReduce)(THDistGroup* group, THTensor* self, THDistReduction reduction);
TH_API void THDist_(reduce)(THDistGroup* group, THTensor* self, THDistReduction reduction,
                            int root);
/* r: the tensors of all ranks. Its first dimension is the rank, the others are those of src. gather
   writes r at the root only; elsewhere it may be NULL. Errors: src has no dimensions. */
TH_API void THDist_(allGather)(THDistGroup* group, THTensor* r, THTensor* src);
TH_API void THDist_(gather)(THDistGroup* group, THTensor* r, THTensor* src, int root);
/* r gets the part of src that belongs to this rank. src is the tensor of the root, with one more
   dimension than r, the first; elsewhere it may be NULL. Errors: r has no dimensions. */
TH_API void THDist_(scatter)(THDistGroup* group, THTensor* r, THTensor* src, int root);
/* Divide the first dimension of src into one part for each rank; its size must be a multiple of
   their number. reduceScatter: r is this rank's part of the reduction. allToAll: r has the parts
   for this rank of all ranks, in their order. */
TH_API void THDist_(reduceScatter)(THDistGroup* group, THTensor* r, THTensor* src,
                                   THDistReduction reduction);
TH_API void THDist_(allToAll)(THDistGroup* group, THTensor* r, THTensor* src);
/* A message from one rank to another. receive: an error if type or shape differ. */
TH_API void THDist_(send)(THDistGroup* group, THTensor* self, int to);
TH_API void THDist_(receive)(THDistGroup* group, THTensor* self, int from);

/* The same calls, which return at once. The caller frees the result. */
TH_API THDistWork* THDist_(broadcastAsync)(THDistGroup* group, THTensor* self, int root);
TH_API THDistWork* THDist_(allReduceAsync)(THDistGroup* group, THTensor* self,
                                           THDistReduction reduction);
TH_API THDistWork* THDist_(reduceAsync)(THDistGroup* group, THTensor* self,
                                        THDistReduction reduction, int root);
TH_API THDistWork* THDist_(allGatherAsync)(THDistGroup* group, THTensor* r, THTensor* src);
TH_API THDistWork* THDist_(gatherAsync)(THDistGroup* group, THTensor* r, THTensor* src, int root);
TH_API THDistWork* THDist_(scatterAsync)(THDistGroup* group, THTensor* r, THTensor* src, int root);
TH_API THDistWork* THDist_(reduceScatterAsync)(THDistGroup* group, THTensor* r, THTensor* src,
                                               THDistReduction reduction);
TH_API THDistWork* THDist_(allToAllAsync)(THDistGroup* group, THTensor* r, THTensor* src);
TH_API THDistWork* THDist_(sendAsync)(THDistGroup* group, THTensor* self, int to);
TH_API THDistWork* THDist_(receiveAsync)(THDistGroup* group, THTensor* self, int from);

#endif
