// The C functions of one element type, and how its objects are made; included once for each type.
// Left out are functions that take raw memory, hand out what they do not own, or count references.

#define FUZZ_LIST TH_CONCAT_2(list_, Real)
#define FUZZ_TEXT(x) FUZZ_TEXT_(x)
#define FUZZ_TEXT_(x) #x

template <>
struct Class<THStorage> {
  static constexpr const char* name = FUZZ_TEXT(Real) "Storage";
  static constexpr bool may_be_null = false;
  static THStorage* make(Random& random) {
    THStorage* s = THStorage_(newWithSize)(random.below(20));
    if (stay_on_default_device) {
      // Storages of tensors have the default device.
      THTensor* t = THTensor_(newWithSize1d)(1 + s->size);
      THStorage_(free)(s);
      s = t->storage;
      THStorage_(retain)(s);
      THTensor_(free)(t);
    }
    // LongStorages are sizes and strides, too, of which there are few mostly.
    if (random.once_in(2)) THStorage_(resize)(s, random.below(4));
    for (ptrdiff_t i = 0; i < s->size; ++i) THStorage_(set)(s, i, element<real>(integer(random)));
    if (s->size > 6 && random.once_in(2)) THStorage_(resize)(s, random.below(5));
    return s;
  }
  static void release(THStorage* s) { THStorage_(free)(s); }
  // Reads and writes through the field take effect.
  static bool has_valid_data(THStorage* s) {
    const real* data = s->data;
    return s->size == 0 ||
           (THStorage_(head)(s) == TH_HEAD_AT_CPU && data == THStorage_(cpuData)(s));
  }
  static std::string text(THStorage* s) { return "(" + std::to_string(s->size) + ")"; }
};

template <>
struct Class<THTensor> {
  static constexpr const char* name = FUZZ_TEXT(Real) "Tensor";
  static constexpr bool may_be_null = false;
  static THTensor* make(Random& random) {
    int64_t a = random.below(5), b = random.below(5), c = random.below(4);
    THTensor* t = nullptr;
    switch (random.below(8)) {
      case 0:
        t = THTensor_(new)();
        break;
      case 1:
        t = THTensor_(newWithSize1d)(a * b);
        break;
      case 2:
        t = THTensor_(newWithSize3d)(a, b, c);
        break;
      case 3: {
        // Strides that overlap, repeat or leave gaps, of a storage that others view, too.
        THStorage* s = Pool<THStorage>::objects[Pool<THStorage>::pick(random)];
        if (s->size == 0) {
          t = THTensor_(new)();
        } else {
          t = THTensor_(newWithStorage2d)(s, random.below(3), 1 + a, random.below(3), 1 + b,
                                          random.below(3));
        }
        break;
      }
      default:
        t = THTensor_(newWithSize2d)(random.once_in(3) ? a : 3, random.once_in(3) ? b : 3);
    }
    for (int64_t i = 0; t->nDimension == 2 && i < t->size[0] * t->size[1]; ++i) {
      THTensor_(set2d)(t, i / t->size[1], i % t->size[1], element<real>(random.below(4)));
    }
    if (t->nDimension == 2 && random.once_in(3)) THTensor_(transpose)(t, t, 0, 1);
    if (random.once_in(6) && !stay_on_default_device) THTensor_(to)(t, "soft");
    return t;
  }
  static void release(THTensor* t) { THTensor_(free)(t); }
  static bool has_valid_data(THTensor* t) {
    return !t->storage || Class<THStorage>::has_valid_data(t->storage);
  }
  static std::string text(THTensor* t) {
    std::string text = THTensor_(sizeDesc)(t).str;
    for (int d = 0; d < t->nDimension; ++d)
      text += (d ? ":" : " by ") + std::to_string(t->stride[d]);
    std::string place = THTensor_(device)(t);
    return place == "cpu" ? text : text + " on " + place;
  }
};

#if defined(TH_REAL_IS_FLOAT) || defined(TH_REAL_IS_DOUBLE)
template <>
struct Class<THBlob> {
  static constexpr const char* name = FUZZ_TEXT(Real) "Blob";
  static constexpr bool may_be_null = false;
  static THBlob* make(Random& random) {
    if (random.once_in(5)) return THBlob_(new)();
    return THBlob_(newWithShape4d)(random.below(3), 1 + random.below(2), 2, 3);
  }
  static void release(THBlob* b) { THBlob_(free)(b); }
  static bool has_valid_data(THBlob*) { return true; }
  static std::string text(THBlob* b) { return std::string(" ") + THBlob_(shapeString)(b).str; }
};
#endif

inline void FUZZ_LIST(std::vector<Function>& all) {
  const char* type = FUZZ_TEXT(Real);
  auto add = [&](const char* name, auto* pointer) {
    all.push_back(function_of(type, name, pointer));
  };
#define FUZZ_NAMED(name) add(#name, &THTensor_(name));
#define TH_OP(name, lua, types, ...) TH_IF_##types(FUZZ_NAMED(name))
#include "THOps.def"
#define TH_TYPE(Name, ...) FUZZ_NAMED(copy##Name)
#include "THTypes.def"
#undef TH_TYPE
  FUZZ_NAMED(storageOffset)
  FUZZ_NAMED(nDimension)
  FUZZ_NAMED(size)
  FUZZ_NAMED(stride)
  FUZZ_NAMED(newSizeOf)
  FUZZ_NAMED(newStrideOf)
  FUZZ_NAMED(data)
  FUZZ_NAMED(device)
  FUZZ_NAMED(to)
  FUZZ_NAMED(prefetch)
  FUZZ_NAMED(nElement)
  FUZZ_NAMED(numel)
  FUZZ_NAMED(isContiguous)
  FUZZ_NAMED(isSize)
  FUZZ_NAMED(desc)
  FUZZ_NAMED(sizeDesc)
  FUZZ_NAMED(newWithTensor)
  FUZZ_NAMED(newWithStorage)
  FUZZ_NAMED(newWithStorage1d)
  FUZZ_NAMED(newWithStorage2d)
  FUZZ_NAMED(newWithStorage3d)
  FUZZ_NAMED(newWithStorage4d)
  FUZZ_NAMED(newWithSize)
  FUZZ_NAMED(newWithSize1d)
  FUZZ_NAMED(newWithSize2d)
  FUZZ_NAMED(newWithSize3d)
  FUZZ_NAMED(newWithSize4d)
  FUZZ_NAMED(newClone)
  FUZZ_NAMED(newContiguous)
  FUZZ_NAMED(newSelect)
  FUZZ_NAMED(newNarrow)
  FUZZ_NAMED(newTranspose)
  FUZZ_NAMED(newUnfold)
  FUZZ_NAMED(newView)
  FUZZ_NAMED(newExpand)
  FUZZ_NAMED(resize)
  FUZZ_NAMED(resizeAs)
  FUZZ_NAMED(resizeNd)
  FUZZ_NAMED(resize1d)
  FUZZ_NAMED(resize2d)
  FUZZ_NAMED(resize3d)
  FUZZ_NAMED(resize4d)
  FUZZ_NAMED(resize5d)
  FUZZ_NAMED(setStorage)
  FUZZ_NAMED(setStorageNd)
  FUZZ_NAMED(setStorage1d)
  FUZZ_NAMED(setStorage2d)
  FUZZ_NAMED(setStorage3d)
  FUZZ_NAMED(setStorage4d)
  FUZZ_NAMED(set1d)
  FUZZ_NAMED(set2d)
  FUZZ_NAMED(set3d)
  FUZZ_NAMED(set4d)
  FUZZ_NAMED(get1d)
  FUZZ_NAMED(get2d)
  FUZZ_NAMED(get3d)
  FUZZ_NAMED(get4d)
  FUZZ_NAMED(copy)
#undef FUZZ_NAMED

#define FUZZ_NAMED(name) add("storage " #name, &THStorage_(name));
#define TH_TYPE(Name, ...) FUZZ_NAMED(copy##Name)
#include "THTypes.def"
#undef TH_TYPE
  FUZZ_NAMED(newWithSize)
  FUZZ_NAMED(newWithSize1)
  FUZZ_NAMED(newWithSize4)
  FUZZ_NAMED(data)
  FUZZ_NAMED(size)
  FUZZ_NAMED(set)
  FUZZ_NAMED(get)
  FUZZ_NAMED(fill)
  FUZZ_NAMED(resize)
  FUZZ_NAMED(swap)
  FUZZ_NAMED(copy)
  FUZZ_NAMED(device)
  FUZZ_NAMED(to)
  FUZZ_NAMED(prefetch)
  FUZZ_NAMED(head)
  FUZZ_NAMED(cpuData)
  FUZZ_NAMED(mutableCpuData)
  FUZZ_NAMED(overwriteCpuData)
  FUZZ_NAMED(gpuData)
  FUZZ_NAMED(mutableGpuData)
  FUZZ_NAMED(overwriteGpuData)
  FUZZ_NAMED(asyncGpuPush)
#undef FUZZ_NAMED

#if defined(TH_REAL_IS_FLOAT) || defined(TH_REAL_IS_DOUBLE)
#define FUZZ_NAMED(name) add("blob " #name, &THBlob_(name));
  FUZZ_NAMED(newWithShape)
  FUZZ_NAMED(newWithShapeNd)
  FUZZ_NAMED(newWithShape4d)
  FUZZ_NAMED(reshape)
  FUZZ_NAMED(reshapeNd)
  FUZZ_NAMED(reshape4d)
  FUZZ_NAMED(reshapeLike)
  FUZZ_NAMED(nAxes)
  FUZZ_NAMED(canonicalAxisIndex)
  FUZZ_NAMED(shape)
  FUZZ_NAMED(newShapeOf)
  FUZZ_NAMED(count)
  FUZZ_NAMED(countFrom)
  FUZZ_NAMED(countRange)
  FUZZ_NAMED(legacyShape)
  FUZZ_NAMED(num)
  FUZZ_NAMED(channels)
  FUZZ_NAMED(height)
  FUZZ_NAMED(width)
  FUZZ_NAMED(shapeString)
  FUZZ_NAMED(shapeEquals)
  FUZZ_NAMED(shapeEquals4d)
  FUZZ_NAMED(shapeEqualsProto)
  FUZZ_NAMED(offset)
  FUZZ_NAMED(offsetNd)
  FUZZ_NAMED(dataAt)
  FUZZ_NAMED(dataAtNd)
  FUZZ_NAMED(diffAt)
  FUZZ_NAMED(diffAtNd)
  FUZZ_NAMED(newData)
  FUZZ_NAMED(newDiff)
  FUZZ_NAMED(cpuData)
  FUZZ_NAMED(mutableCpuData)
  FUZZ_NAMED(gpuData)
  FUZZ_NAMED(mutableGpuData)
  FUZZ_NAMED(cpuDiff)
  FUZZ_NAMED(mutableCpuDiff)
  FUZZ_NAMED(gpuDiff)
  FUZZ_NAMED(mutableGpuDiff)
  FUZZ_NAMED(copyFrom)
  FUZZ_NAMED(shareData)
  FUZZ_NAMED(shareDiff)
  FUZZ_NAMED(update)
  FUZZ_NAMED(asumData)
  FUZZ_NAMED(asumDiff)
  FUZZ_NAMED(sumsqData)
  FUZZ_NAMED(sumsqDiff)
  FUZZ_NAMED(scaleData)
  FUZZ_NAMED(scaleDiff)
  FUZZ_NAMED(fromProto)
  FUZZ_NAMED(toProto)
  FUZZ_NAMED(toProtoVector)
#undef FUZZ_NAMED
#endif
}

#undef FUZZ_TEXT_
#undef FUZZ_TEXT
#undef FUZZ_LIST
