#include "generic/bridge.h"

namespace th {

void Settled::start() {
  for (int k = 0; k < count_; ++k) {
    const Storage* s = tensors_[k]->storage;
    on_request_ = on_request_ || (s && !s->is_exposed() && s->get_home());
    before_.remember(tensors_[k]);
  }
}

void Settled::settle() {
  for (int k = 0; k < count_; ++k) {
    Storage* s = tensors_[k]->storage;
    if (on_request_ && s && s->is_exposed() && s->get_home()) s->set_exposed(false);
    lend(tensors_[k]);
  }
  settled_ = true;
}

}  // namespace th
