#ifndef TH_IO_BLOCK_PIPE_SIGNAL_H
#define TH_IO_BLOCK_PIPE_SIGNAL_H

#include <cerrno>
#include <csignal>

namespace th {

// Blocks SIGPIPE, which a write to a pipe without readers raises, in this thread. The write then
// fails with EPIPE.
class BlockPipeSignal {
 public:
  explicit BlockPipeSignal(bool applies) : applies_(applies && !is_pending()) {
    if (!applies_) return;
    sigset_t signals = pipe_signal();
    pthread_sigmask(SIG_BLOCK, &signals, &before_);
  }
  ~BlockPipeSignal() {
    if (!applies_) return;
    const int error = errno;
    sigset_t signals = pipe_signal();
    int signal = 0;
    if (is_pending()) sigwait(&signals, &signal);
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    errno = error;
  }
  BlockPipeSignal(const BlockPipeSignal&) = delete;
  BlockPipeSignal& operator=(const BlockPipeSignal&) = delete;

 private:
  static sigset_t pipe_signal() {
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGPIPE);
    return signals;
  }
  static bool is_pending() {
    sigset_t signals;
    sigpending(&signals);
    return sigismember(&signals, SIGPIPE) == 1;
  }

  bool applies_;
  sigset_t before_;
};

}  // namespace th

#endif
