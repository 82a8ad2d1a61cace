#include "dist/collective.h"

#include <algorithm>
#include <cstring>

#include "base/error.h"
#include "dist/alone.h"
#include "dist/buffer.h"
#include "tensor/overlap.h"

namespace th::dist {

namespace {

// A collective: what the ranks agree on, and what it does.
struct Call {
  Header header;
  std::string detail;
  Buffer in, out;  // one of them may be empty
  std::function<Problem(const TransportTable&, void* group, Call&)> transfer;
  const Group::Devices* devices = nullptr;  // null: the buffers are on the host
  Combine combine;
  int64_t each = 0;  // allToAll: the number of elements of one part
  // The reason why the ranks cannot make this call; null: they can. It is reported after they have
  // agreed, so that all of them raise an error.
  const char* refusal = nullptr;
  bool is_all_reduce = false;
  bool writes_in = false;   // the result is in `in`
  bool writes_out = false;  // the result is in `out`

  void run(const GroupPtr& group) {
    const Group::Elements elements = {in.data(), in.count(), in.type(), combine.reduction};
    if (is_all_reduce && !devices && group->can_agree_and_reduce(elements)) {
      group->agree_and_reduce(header, detail, &elements);
      return;
    }
    group->agree(header, detail);
    if (refusal) fail("%s", refusal);
    if (in.count() == 0 && out.count() == 0) return;
    if (!group->handle()) {
      group->engine().check(transfer(alone_table(), nullptr, *this));
      return;
    }
    if (devices) {
      group->engine().check(transfer(*devices->table, devices->handle, *this));
      return;
    }
    group->transfer([this](const TransportTable& table, void* handle) {
      return transfer(table, handle, *this);
    });
  }
  void finish(const GroupPtr& group) {
    Buffer& result = writes_in ? in : out;
    if (!writes_in && !writes_out) return;
    if (combine.mean) result.divide(group->size());
    result.finish();
  }
};

class Collective final : public Work {
 public:
  Collective(GroupPtr group, std::shared_ptr<Call> call)
      : group_(std::move(group)), call_(std::move(call)) {
    job_ = std::make_shared<Job>([group = group_, call = call_] { call->run(group); });
    group_->engine().queue(job_);
  }
  bool is_done() override { return job_->is_done(); }
  void wait() override {
    job_->wait();
    if (call_) call_->finish(group_);
    call_.reset();
  }

 private:
  GroupPtr group_;
  std::shared_ptr<Call> call_;
  std::shared_ptr<Job> job_;
};

// The call of a group of one process, which has run on copies. Its results are written by wait(),
// as those of several processes are.
class Finished final : public Work {
 public:
  Finished(GroupPtr group, Call&& call) : group_(std::move(group)), call_(std::move(call)) {}
  bool is_done() override { return true; }
  void wait() override {
    if (group_) call_.finish(group_);
    group_ = nullptr;
  }

 private:
  GroupPtr group_;
  Call call_;
};

WorkPtr launch(const GroupPtr& group, Call&& call, const Way& way) {
  trace_exchange();
  group->number(&call.header);
  call.header.set_detail(way.detail);
  call.detail = way.detail;
  if (way.mode != Mode::blocking && group->handle()) {
    return std::make_unique<Collective>(group, std::make_shared<Call>(std::move(call)));
  }
  group->engine().run([&] { call.run(group); });
  if (copies(way.mode)) return std::make_unique<Finished>(group, std::move(call));
  call.finish(group);
  return nullptr;
}

Header header_of(Operation operation, const Tensor& t) {
  Header header(operation);
  header.set_tensor(t.dtype, t.nDimension, t.size);
  return header;
}

// Selects the transport for the memory of the tensor.
Device* select_devices(const GroupPtr& group, Call* call, const Tensor& t) {
  call->devices = group->devices_of(t);
  if (!call->devices) return nullptr;
  call->header.flags |= Header::kOnDevice;
  return call->devices->device;
}

void set_root(const Group& group, Header* header, int root) {
  if (root < 0 || root >= group.size()) {
    fail("root %lld is not a rank: the group has %d ranks", shown(root), group.size());
  }
  header->root = root;
}

void set_combine(Header* header, const Tensor& t, Combine combine) {
  if (combine.mean && is_integral(t.dtype)) {
    fail("'mean' of %sTensor: a floating-point tensor is expected", name_with_article(t.dtype));
  }
  header->set_reduction(combine.reduction, combine.mean);
}

constexpr char kNotGathered[] = "tensors without dimensions cannot be gathered";
constexpr char kNotScattered[] = "tensors cannot be scattered to results without dimensions";

// The sizes of t with another first dimension.
struct Shape {
  int ndim = 0;
  int64_t size[kMaxDims];
};
Shape with_ranks(const Group& group, const Tensor& t) {
  Shape shape;
  shape.ndim = t.nDimension + 1;
  if (shape.ndim > kMaxDims) fail("a tensor with %d dimensions has no place for another", kMaxDims);
  shape.size[0] = group.size();
  std::copy(t.size, t.size + t.nDimension, shape.size + 1);
  return shape;
}
Shape in_parts(const Group& group, const Tensor& t) {
  Shape shape;
  shape.ndim = t.nDimension;
  std::copy(t.size, t.size + t.nDimension, shape.size);
  const int ranks = group.size();
  if (t.nDimension == 0 || t.size[0] % ranks) {
    fail("a tensor of size %s cannot be split: the first dimension must be a multiple of %d",
         shape_text(t).c_str(), ranks);
  }
  shape.size[0] /= ranks;
  return shape;
}

// Input memory that the result does not overwrite.
Buffer input(Tensor* t, const Tensor* r, bool reduced, Mode mode, Device* device = nullptr) {
  return Buffer(t, Use::read, reduced, copies(mode) || (r && share_storage(*r, *t)), device);
}

void check_type(const Tensor& r, const Tensor& t) {
  if (r.dtype != t.dtype) {
    fail("the result is %sTensor, the operand %sTensor: the types must agree",
         name_with_article(r.dtype), name_with_article(t.dtype));
  }
}

}  // namespace

Combine combine_named(const char* name) {
  const std::string text = name;
  if (text == "mean") return {Reduction::sum, true};
  for (Reduction r : {Reduction::sum, Reduction::prod, Reduction::min, Reduction::max}) {
    if (text == name_of(r)) return {r, false};
  }
  fail("unknown reduction '%.40s': 'sum', 'mean', 'prod', 'min' or 'max' is expected", name);
}

WorkPtr barrier(const GroupPtr& group, const Way& way) {
  Call call;
  call.header = Header(Operation::barrier);
  return launch(group, std::move(call), way);
}

WorkPtr broadcast(const GroupPtr& group, Tensor* t, int root, const Way& way) {
  Call call;
  call.header = header_of(Operation::broadcast, *t);
  set_root(*group, &call.header, root);
  const bool is_root = group->rank() == root;
  Device* device = select_devices(group, &call, *t);
  call.in = Buffer(t, is_root ? Use::read : Use::overwrite, false, copies(way.mode), device);
  call.writes_in = !is_root;
  call.transfer = [](const TransportTable& table, void* handle, Call& c) {
    return table.broadcast(handle, c.in.data(), c.in.count(), c.in.type(), c.header.root);
  };
  return launch(group, std::move(call), way);
}

WorkPtr all_reduce(const GroupPtr& group, Tensor* t, Combine combine, const Way& way) {
  Call call;
  call.header = header_of(Operation::allReduce, *t);
  set_combine(&call.header, *t, combine);
  if (group->size() == 1 && !copies(way.mode)) return nullptr;
  Device* device = select_devices(group, &call, *t);
  call.in = Buffer(t, Use::write, true, copies(way.mode), device);
  call.combine = combine;
  call.is_all_reduce = true;
  call.writes_in = true;
  call.transfer = [](const TransportTable& table, void* handle, Call& c) {
    return table.all_reduce(handle, c.in.data(), c.in.count(), c.in.type(), c.combine.reduction);
  };
  return launch(group, std::move(call), way);
}

WorkPtr reduce(const GroupPtr& group, Tensor* t, Combine combine, int root, const Way& way) {
  Call call;
  call.header = header_of(Operation::reduce, *t);
  set_root(*group, &call.header, root);
  set_combine(&call.header, *t, combine);
  if (group->size() == 1 && !copies(way.mode)) return nullptr;
  const bool is_root = group->rank() == root;
  Device* device = select_devices(group, &call, *t);
  call.in = Buffer(t, is_root ? Use::write : Use::read, true, copies(way.mode), device);
  call.combine = combine;
  call.writes_in = is_root;
  call.transfer = [](const TransportTable& table, void* handle, Call& c) {
    return table.reduce(handle, c.in.data(), c.in.count(), c.in.type(), c.combine.reduction,
                        c.header.root);
  };
  return launch(group, std::move(call), way);
}

WorkPtr all_gather(const GroupPtr& group, Tensor* r, Tensor* t, const Way& way) {
  check_type(*r, *t);
  Call call;
  call.header = header_of(Operation::allGather, *t);
  if (t->nDimension == 0) call.refusal = kNotGathered;
  const Shape shape = with_ranks(*group, *t);
  Device* device = select_devices(group, &call, *t);
  call.in = input(t, r, false, way.mode, device);
  call.out = Buffer(r, shape.ndim, shape.size, false, copies(way.mode), device);
  call.writes_out = true;
  call.transfer = [](const TransportTable& table, void* handle, Call& c) {
    return table.all_gather(handle, c.in.data(), c.out.data(), c.in.count(), c.in.type());
  };
  return launch(group, std::move(call), way);
}

WorkPtr gather(const GroupPtr& group, Tensor* r, Tensor* t, int root, const Way& way) {
  Call call;
  call.header = header_of(Operation::gather, *t);
  if (t->nDimension == 0) call.refusal = kNotGathered;
  set_root(*group, &call.header, root);
  const bool is_root = group->rank() == root;
  if (is_root) check_type(*r, *t);
  call.in = input(t, is_root ? r : nullptr, false, way.mode);
  if (is_root) {
    const Shape shape = with_ranks(*group, *t);
    call.out = Buffer(r, shape.ndim, shape.size, false, copies(way.mode));
    call.writes_out = true;
  }
  call.transfer = [](const TransportTable& table, void* handle, Call& c) {
    return table.gather(handle, c.in.data(), c.out.data(), c.in.count(), c.in.type(),
                        c.header.root);
  };
  return launch(group, std::move(call), way);
}

WorkPtr scatter(const GroupPtr& group, Tensor* r, Tensor* t, int root, const Way& way) {
  Call call;
  call.header = header_of(Operation::scatter, *r);
  if (r->nDimension == 0) call.refusal = kNotScattered;
  set_root(*group, &call.header, root);
  Way own_way = way;
  if (group->rank() == root) {
    const Shape shape = with_ranks(*group, *r);
    if (t && t->dtype == r->dtype && has_shape(*t, shape.ndim, shape.size)) {
      call.in = input(t, r, false, way.mode);
    } else if (group->size() > 1) {
      // The other ranks have begun to wait, so all must get an error.
      own_way.detail =
          t ? std::string(name_with_article(t->dtype)) + "Tensor of size " + shape_text(*t)
            : "no tensor";
    } else {
      if (!t) fail("the root has no tensor to scatter");
      check_type(*r, *t);
      fail("a tensor of size %s is scattered to a result of size %s: size %s is expected",
           shape_text(*t).c_str(), shape_text(*r).c_str(),
           shape_text(shape.ndim, shape.size).c_str());
    }
  }
  call.out = Buffer(r, Use::overwrite, false, copies(way.mode));
  call.writes_out = true;
  call.transfer = [](const TransportTable& table, void* handle, Call& c) {
    return table.scatter(handle, c.in.data(), c.out.data(), c.out.count(), c.out.type(),
                         c.header.root);
  };
  return launch(group, std::move(call), own_way);
}

WorkPtr reduce_scatter(const GroupPtr& group, Tensor* r, Tensor* t, Combine combine,
                       const Way& way) {
  check_type(*r, *t);
  Call call;
  call.header = header_of(Operation::reduceScatter, *t);
  set_combine(&call.header, *t, combine);
  const Shape shape = in_parts(*group, *t);
  Device* device = select_devices(group, &call, *t);
  call.in = input(t, r, true, way.mode, device);
  call.out = Buffer(r, shape.ndim, shape.size, true, copies(way.mode), device);
  call.combine = combine;
  call.writes_out = true;
  call.transfer = [](const TransportTable& table, void* handle, Call& c) {
    return table.reduce_scatter(handle, c.in.data(), c.out.data(), c.out.count(), c.in.type(),
                                c.combine.reduction);
  };
  return launch(group, std::move(call), way);
}

WorkPtr all_to_all(const GroupPtr& group, Tensor* r, Tensor* t, const Way& way) {
  check_type(*r, *t);
  Call call;
  call.header = header_of(Operation::allToAll, *t);
  in_parts(*group, *t);
  Device* device = select_devices(group, &call, *t);
  call.in = input(t, r, false, way.mode, device);
  call.out = Buffer(r, t->nDimension, t->size, false, copies(way.mode), device);
  call.writes_out = true;
  call.transfer = [](const TransportTable& table, void* handle, Call& c) {
    return table.all_to_all(handle, c.in.data(), c.out.data(), c.each, c.in.type());
  };
  call.each = t->numel() / group->size();
  return launch(group, std::move(call), way);
}

void hash(Tensor* r, Tensor* t) {
  const int64_t one = 1;
  resize(r, 1, &one);
  Buffer buffer(t, Use::read, false, false);
  const auto* bytes = static_cast<const char*>(buffer.data());
  const size_t count = buffer.count() * item_size(buffer.type());
  uint64_t h = 14695981039346656037u;
  const auto add = [&h](uint64_t word) {
    h = (h ^ word) * 1099511628211u;
    h ^= h >> 29;
  };
  add(static_cast<uint64_t>(t->dtype));
  for (int d = 0; d < t->nDimension; ++d) add(static_cast<uint64_t>(t->size[d]));
  for (size_t k = 0; k < count; k += sizeof(uint64_t)) {
    uint64_t word = 0;
    std::memcpy(&word, bytes + k, std::min(sizeof(word), count - k));
    add(word);
  }
  *r->data_as<int64_t>(Access::overwrite) = static_cast<int64_t>(h);
}

}  // namespace th::dist
