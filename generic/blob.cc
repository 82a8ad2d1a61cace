// The blob classes, torch.FloatBlob and torch.DoubleBlob.

#include "blob/blob.h"

#include <initializer_list>

#include "bindings.h"
#include "blobs.h"
#include "backend/device_list.h"
#include "luaT.h"

namespace bind {

namespace {

using th::Blob;
using Part = Blob::Part;

const char* blob_class(DType type) {
  return type == DType::Float ? "torch.FloatBlob" : "torch.DoubleBlob";
}

template <DType type>
int construct(lua_State* L) {
  int last = lua_gettop(L);
  Blob* blob = push_new_blob(L, type);
  if (last == 0) return 1;
  int64_t shape[th::kMaxDims];
  int axes = read_sizes(L, registered_state(L), 1, last, shape);
  protect(L, blob_class(type), [&] { blob->reshape(axes, shape); });
  return 1;
}

template <DType type>
int make_empty(lua_State* L) {
  push_new_blob(L, type);
  return 1;
}

// Also callable from Lua code, with any argument.
int destroy(lua_State* L) {
  Blob* blob = to_blob(L, 1);
  auto** box = static_cast<void**>(lua_touserdata(L, 1));
  if (!blob || is_held(state_of(L), box)) return 0;
  *box = nullptr;
  blob->release();
  return 0;
}

int return_number(lua_State* L, double number) {
  lua_pushnumber(L, number);
  return 1;
}
int return_number(lua_State* L, int64_t number) {
  push_integer(L, number);
  return 1;
}
bool flag(lua_State* L, int index, bool otherwise) {
  return lua_isnoneornil(L, index) ? otherwise : lua_toboolean(L, index);
}

// ---- shape ----

// Reads an axis that counts from 1, or from the end if negative. Returns it as the core counts it.
int check_axis(lua_State* L, int index) {
  int64_t axis = check_index(L, index, "axis");
  // Clamp to int: such an axis is out of range for every blob.
  return static_cast<int>(axis > INT32_MAX ? INT32_MAX : axis < -INT32_MAX ? -INT32_MAX : axis);
}

int reshape(lua_State* L) {
  Blob* blob = check_blob(L, 1);
  if (lua_gettop(L) < 2) return raise_error(L, "reshape: the new shape is expected");
  int64_t shape[th::kMaxDims];
  int axes = read_sizes(L, state_of(L), 2, lua_gettop(L), shape);
  protect(L, "reshape", [&] { blob->reshape(axes, shape); });
  collect_under_pressure(L, state_of(L));
  return return_self(L);
}
int reshape_like(lua_State* L) {
  Blob *blob = check_blob(L, 1), *other = check_blob(L, 2);
  protect(L, "reshapeLike", [&] { blob->reshape_like(*other); });
  collect_under_pressure(L, state_of(L));
  return return_self(L);
}
int shape(lua_State* L) {
  Blob* blob = check_blob(L, 1);
  if (!lua_isnoneornil(L, 2)) {
    int axis = check_axis(L, 2);
    protect(L, "shape", [&] { axis = blob->canonical_axis(axis); });
    return return_number(L, blob->shape()[axis]);
  }
  push_sizes(L, state_of(L), "shape", blob->axes(), blob->shape());
  return 1;
}
int axis_count(lua_State* L) { return return_number(L, int64_t{check_blob(L, 1)->axes()}); }
int canonical_axis_index(lua_State* L) {
  Blob* blob = check_blob(L, 1);
  int axis = check_axis(L, 2);
  protect(L, "canonicalAxisIndex", [&] { axis = blob->canonical_axis(axis); });
  return return_number(L, int64_t{axis} + TH_INDEX_BASE);
}

// count([first [, last]]): number of elements of axes first to last, inclusive.
int count(lua_State* L) {
  Blob* blob = check_blob(L, 1);
  if (lua_isnoneornil(L, 2)) return return_number(L, blob->count());
  int64_t first = check_axis(L, 2), last = blob->axes();
  if (first < 0) first += blob->axes();
  if (!lua_isnoneornil(L, 3)) {
    last = check_integer_argument(L, 3);
    if (last < 0) last += blob->axes() + 1;
  }
  int64_t elements = 0;
  protect(L, "count", [&] { elements = blob->count(first, last); });
  return return_number(L, elements);
}

int legacy(lua_State* L, const char* function, int axis) {
  Blob* blob = check_blob(L, 1);
  int64_t size = 0;
  protect(L, function, [&] { size = blob->legacy_shape(axis); });
  return return_number(L, size);
}
int legacy_shape(lua_State* L) { return legacy(L, "legacyShape", check_axis(L, 2)); }
int num(lua_State* L) { return legacy(L, "num", 0); }
int channels(lua_State* L) { return legacy(L, "channels", 1); }
int height(lua_State* L) { return legacy(L, "height", 2); }
int width(lua_State* L) { return legacy(L, "width", 3); }

// The text of a shape, in memory that needs no destructor.
struct ShapeText {
  char text[(th::kMaxBlobAxes + 1) * 24];
  ShapeText(lua_State* L, const Blob& blob) {
    protect(L, "shapeString",
            [&] { __builtin_snprintf(text, sizeof(text), "%s", blob.shape_text().c_str()); });
  }
};
int shape_string(lua_State* L) {
  lua_pushstring(L, ShapeText(L, *check_blob(L, 1)).text);
  return 1;
}
int text(lua_State* L) {
  const Blob& blob = *check_blob(L, 1);
  lua_pushfstring(L, "[%s of shape %s]", blob_class(blob.dtype()), ShapeText(L, blob).text);
  return 1;
}

// shapeEquals(blob | sizes | bytes of a BlobProto | num, channels, height, width)
int shape_equals(lua_State* L) {
  Blob* blob = check_blob(L, 1);
  const bool legacy = lua_type(L, 2) == LUA_TNUMBER;
  if (!legacy && lua_gettop(L) > 2) refuse_extra(L, 2);
  bool equal = false;
  if (Blob* other = to_blob(L, 2)) {
    equal = blob->equals_shape(other->axes(), other->shape());
  } else if (lua_type(L, 2) == LUA_TSTRING) {
    equal = equals_proto_shape(L, *blob, 2);
  } else {
    int64_t sizes[th::kMaxDims];
    bool sizes_given = lua_istable(L, 2) || lua_isuserdata(L, 2);
    if (legacy ? lua_gettop(L) != 5 : !sizes_given) {
      return raise_error(L,
                         "shapeEquals: a blob, a table of sizes, a LongStorage, the bytes of a "
                         "BlobProto or four numbers are expected");
    }
    int n = read_sizes(L, state_of(L), 2, lua_gettop(L), sizes);
    equal = legacy ? blob->equals_legacy_shape(sizes) : blob->equals_shape(n, sizes);
  }
  lua_pushboolean(L, equal);
  return 1;
}

// ---- elements ----

// Reads indices as numbers, a table or a LongStorage. They count from 1, or from the end if
// negative. Up to four indices are accepted for every blob; indices of missing axes must be 1.
int64_t read_offset(lua_State* L, const char* function, const Blob& blob) {
  int64_t index[th::kMaxDims];
  int n = lua_gettop(L) < 2 ? 0 : read_sizes(L, state_of(L), 2, lua_gettop(L), index);
  while (n > blob.axes() && n <= 4 && index[n - 1] == 1) --n;
  for (int a = 0; a < n && a < blob.axes(); ++a) {
    const int64_t size = blob.shape()[a];
    if (index[a] == 0 || index[a] < -size || index[a] > size) {
      raise_error(L, "%s: index %s is out of range of axis %d of a blob of shape %s", function,
                  push_number(L, static_cast<double>(index[a])), a + 1, ShapeText(L, blob).text);
    }
    index[a] = index[a] > 0 ? index[a] - 1 : index[a] + size;
  }
  int64_t offset = 0;
  protect(L, function, [&] { offset = blob.offset(n, index); });
  return offset;
}
int offset(lua_State* L) {
  return return_number(L, read_offset(L, "offset", *check_blob(L, 1)) + TH_INDEX_BASE);
}
int element(lua_State* L, const char* function, Part part) {
  Blob* blob = check_blob(L, 1);
  int64_t offset = read_offset(L, function, *blob);
  double value = 0;
  protect(L, function, [&] { value = blob->element(part, offset); });
  return return_number(L, value);
}
int data_at(lua_State* L) { return element(L, "dataAt", Part::data); }
int diff_at(lua_State* L) { return element(L, "diffAt", Part::diff); }

// ---- memory ----

int part(lua_State* L, const char* function, Part part) {
  Tensor* t = push_new_tensor(L, state_of(L), check_blob(L, 1)->dtype());
  Blob* blob = check_blob(L, 1);  // a finalizer may have freed it
  protect(L, function, [&] { th::set_view(t, *blob->tensor(part)); });
  return 1;
}
int data(lua_State* L) { return part(L, "data", Part::data); }
int diff(lua_State* L) { return part(L, "diff", Part::diff); }

// to(device): makes `device` the current device of data and diff.
int to(lua_State* L) {
  Blob* blob = check_blob(L, 1);
  const char* device = check_string(L, 2);
  protect(L, "to", [&] {
    blob->need_shape();
    th::Device* to = th::find_device(device);
    for (Part part : {Part::data, Part::diff}) th::storage_to(blob->storage(part), to);
  });
  return return_self(L);
}

// copyFrom(source [, diff [, reshape]])
int copy_from(lua_State* L) {
  Blob *blob = check_blob(L, 1), *source = check_blob(L, 2);
  Part part = flag(L, 3, false) ? Part::diff : Part::data;
  bool reshape = flag(L, 4, false);
  protect(L, "copyFrom", [&] { blob->copy_from(*source, part, reshape); });
  return return_self(L);
}
int share(lua_State* L, const char* function, Part part) {
  Blob *blob = check_blob(L, 1), *other = check_blob(L, 2);
  protect(L, function, [&] { blob->share(part, *other); });
  return return_self(L);
}
int share_data(lua_State* L) { return share(L, "shareData", Part::data); }
int share_diff(lua_State* L) { return share(L, "shareDiff", Part::diff); }

// ---- arithmetic ----

int update(lua_State* L) {
  Blob* blob = check_blob(L, 1);
  protect(L, "update", [&] { blob->update(); });
  return return_self(L);
}
int sum(lua_State* L, const char* function, Part part, bool squares) {
  Blob* blob = check_blob(L, 1);
  double value = 0;
  protect(L, function, [&] { value = squares ? blob->sumsq(part) : blob->asum(part); });
  return return_number(L, value);
}
int asum_data(lua_State* L) { return sum(L, "asumData", Part::data, false); }
int asum_diff(lua_State* L) { return sum(L, "asumDiff", Part::diff, false); }
int sumsq_data(lua_State* L) { return sum(L, "sumsqData", Part::data, true); }
int sumsq_diff(lua_State* L) { return sum(L, "sumsqDiff", Part::diff, true); }
int scale(lua_State* L, const char* function, Part part) {
  Blob* blob = check_blob(L, 1);
  double factor = check_number(L, 2);
  protect(L, function, [&] { blob->scale(part, factor); });
  return return_self(L);
}
int scale_data(lua_State* L) { return scale(L, "scaleData", Part::data); }
int scale_diff(lua_State* L) { return scale(L, "scaleDiff", Part::diff); }

const Method methods[] = {{"reshape", guarded<reshape>},
                          {"reshapeLike", guarded<reshape_like, 2>},
                          {"shape", guarded<shape, 2>},
                          {"numAxes", guarded<axis_count, 1>},
                          {"canonicalAxisIndex", guarded<canonical_axis_index, 2>},
                          {"count", guarded<count, 3>},
                          {"legacyShape", guarded<legacy_shape, 2>},
                          {"num", guarded<num, 1>},
                          {"channels", guarded<channels, 1>},
                          {"height", guarded<height, 1>},
                          {"width", guarded<width, 1>},
                          {"shapeString", guarded<shape_string, 1>},
                          {"shapeEquals", guarded<shape_equals>},
                          {"offset", guarded<offset>},
                          {"dataAt", guarded<data_at>},
                          {"diffAt", guarded<diff_at>},
                          {"data", guarded<data, 1>},
                          {"diff", guarded<diff, 1>},
                          {"to", guarded<to, 2>},
                          {"copyFrom", guarded<copy_from, 4>},
                          {"shareData", guarded<share_data, 2>},
                          {"shareDiff", guarded<share_diff, 2>},
                          {"update", guarded<update, 1>},
                          {"asumData", guarded<asum_data, 1>},
                          {"asumDiff", guarded<asum_diff, 1>},
                          {"sumsqData", guarded<sumsq_data, 1>},
                          {"sumsqDiff", guarded<sumsq_diff, 1>},
                          {"scaleData", guarded<scale_data, 2>},
                          {"scaleDiff", guarded<scale_diff, 2>},
                          {"__tostring__", guarded<text>}};

template <DType type>
void register_class(lua_State* L, int module) {
  luaT_newlocalmetatable(L, blob_class(type), nullptr, guarded<construct<type>>.function(),
                         guarded<destroy>.function(), guarded<make_empty<type>>.function(), module);
  lua_pushvalue(L, lua_upvalueindex(1));
  push_closure(L, guarded<destroy>, 1);
  lua_setfield(L, -2, "__gc");
  set_functions(L, methods, lua_gettop(L));
  register_blob_proto_methods(L, lua_gettop(L));
  lua_pop(L, 1);
}

}  // namespace

Blob* to_blob(lua_State* L, int index) {
  for (DType type : {DType::Float, DType::Double}) {
    if (void* blob = luaT_rawudata(L, index, blob_class(type))) return static_cast<Blob*>(blob);
  }
  return nullptr;
}

Blob* check_blob(lua_State* L, int index) {
  Blob* blob = to_blob(L, index);
  if (!blob) luaT_typerror(L, index, "torch.*Blob");
  return blob;
}

Blob* push_new_blob(lua_State* L, DType type) {
  State* state = registered_state(L);
  collect_under_pressure(L, state);
  auto** box = static_cast<void**>(lua_newuserdata(L, sizeof(void*)));
  *box = nullptr;
  luaT_pushmetatable(L, blob_class(type));
  lua_setmetatable(L, -2);
  protect(L, blob_class(type), [&] { *box = new Blob(type); });
  state->objects++;
  return static_cast<Blob*>(*box);
}

void register_blob_classes(lua_State* L, int module) {
  register_class<DType::Float>(L, module);
  register_class<DType::Double>(L, module);
  register_blob_proto_functions(L, module);
}

}  // namespace bind
