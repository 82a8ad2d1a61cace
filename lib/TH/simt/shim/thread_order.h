#ifndef TH_SIMT_SHIM_THREAD_ORDER_H
#define TH_SIMT_SHIM_THREAD_ORDER_H

namespace th {

// The order in which blocks and threads run. Initially ascending.
enum class ThreadOrder { ascending, descending };
ThreadOrder thread_order();
void set_thread_order(ThreadOrder order);

}  // namespace th

#endif
