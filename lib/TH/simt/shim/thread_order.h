#ifndef TH_SIMT_SHIM_THREAD_ORDER_H
#define TH_SIMT_SHIM_THREAD_ORDER_H

namespace th {

// In which order the blocks of a grid and the threads of a block run. Ascending at first.
enum class ThreadOrder { ascending, descending };
ThreadOrder thread_order();
void set_thread_order(ThreadOrder order);

}  // namespace th

#endif
