#ifndef TENSOR_TEST_FAILING_MALLOC_H
#define TENSOR_TEST_FAILING_MALLOC_H

#ifdef __cplusplus
extern "C" {
#endif

/* Starts to count allocations. The one numbered `first`, from 1, fails, and with all_that_follow
   every later one. first 0: none fails. */
void failing_malloc_arm(long first, int all_that_follow);
/* Stops; returns the number of allocations counted. */
long failing_malloc_disarm(void);
/* The code whose allocation failed first, in words; empty: none failed. */
const char* failing_malloc_place(void);
/* Counts an allocation of that caller; whether it fails. */
int failing_malloc_fails(const void* caller);

#ifdef __cplusplus
}
#endif

#endif
