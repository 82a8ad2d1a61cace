/* Blobs as used by a C program: one generic file, instantiated for Float and Double. */

#ifndef TH_GENERIC_FILE

#include "TH.h"

#define use_(NAME) TH_CONCAT_4(use_, Real, _, NAME)
/* Counts failed conditions, and prints their lines. */
#define EXPECT(condition) \
  ((condition) ? 0 : (failures++, fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition)))

#define TH_GENERIC_FILE "../../test/c/blob_api_test.c"
#include "THGenerateFloatTypes.h"

#else

int use_(shapes)(void);
int use_(memory)(void);
int use_(arithmetic)(void);
int use_(protos)(void);
int use_(fields)(void);

int use_(shapes)(void) {
  int failures = 0;
  const int64_t sizes[] = {2, 3, 4, 5};
  const int64_t index[] = {1, 2, 3};
  THBlob *b = THBlob_(newWithShape4d)(2, 3, 4, 5), *c = THBlob_(newWithShapeNd)(3, sizes), *d;
  THLongStorage* shape = THBlob_(newShapeOf)(b);
  EXPECT(THLongStorage_size(shape) == 4 && THLongStorage_get(shape, 3) == 5);
  d = THBlob_(newWithShape)(shape);
  EXPECT(THBlob_(shapeEquals)(b, d) && !THBlob_(shapeEquals)(b, c));
  EXPECT(THBlob_(shapeEquals4d)(c, 1, 2, 3, 4) && !THBlob_(shapeEquals4d)(c, 2, 3, 4, 1));
  EXPECT(THBlob_(nAxes)(b) == 4 && THBlob_(shape)(b, -1) == 5 && THBlob_(shape)(b, 0) == 2);
  EXPECT(THBlob_(canonicalAxisIndex)(b, -4) == 0);
  EXPECT(THBlob_(count)(b) == 120 && THBlob_(countFrom)(b, 2) == 20);
  EXPECT(THBlob_(countRange)(b, 1, 3) == 12 && THBlob_(countRange)(b, 4, 4) == 1);
  EXPECT(THBlob_(num)(b) == 2 && THBlob_(channels)(b) == 3);
  EXPECT(THBlob_(height)(b) == 4 && THBlob_(width)(b) == 5);
  EXPECT(THBlob_(legacyShape)(c, -4) == 1 && THBlob_(width)(c) == 1);
  EXPECT(strcmp(THBlob_(shapeString)(b).str, "2 3 4 5 (120)") == 0);
  EXPECT(THBlob_(offset)(b, 1, 2, 3, 4) == 119 && THBlob_(offset)(b, 2, 0, 0, 0) == 120);
  EXPECT(THBlob_(offsetNd)(b, 3, index) == 115);
  THBlob_(reshapeLike)(d, c);
  EXPECT(THBlob_(nAxes)(d) == 3);
  THBlob_(reshape4d)(d, 1, 1, 1, 1);
  THBlob_(reshapeNd)(d, 2, sizes);
  EXPECT(THBlob_(count)(d) == 6);
  THBlob_(reshape)(d, shape);
  EXPECT(THBlob_(count)(d) == 120);
  THBlob_(retain)(d);
  THBlob_(free)(d);
  EXPECT(THBlob_(count)(d) == 120);
  THBlob_(free)(d);
  THBlob_(free)(c);
  THBlob_(free)(b);
  THBlob_(free)(NULL);
  THLongStorage_free(shape);
  return failures;
}

int use_(memory)(void) {
  int failures = 0;
  const int64_t last[] = {1, 2};
  real block[6] = {1, 2, 3, 4, 5, 6};
  THBlob *b = THBlob_(newWithShapeNd)(2, last), *c;
  THTensor *data, *diff;
  THBlob_(reshape4d)(b, 2, 3, 1, 1);
  EXPECT(THBlob_(cpuData)(b)[5] == 0);
  THBlob_(mutableCpuData)(b)[5] = 7;
  THBlob_(mutableCpuDiff)(b)[0] = 8;
  EXPECT(THBlob_(cpuData)(b)[5] == 7 && THBlob_(cpuDiff)(b)[0] == 8);
  EXPECT(THBlob_(dataAt)(b, 1, 2, 0, 0) == 7 && THBlob_(dataAtNd)(b, 2, last) == 7);
  EXPECT(THBlob_(diffAt)(b, 0, 0, 0, 0) == 8 && THBlob_(diffAtNd)(b, 0, NULL) == 8);
  data = THBlob_(newData)(b);
  diff = THBlob_(newDiff)(b);
  EXPECT(THTensor_(storage)(data) == THBlob_(dataStorage)(b));
  EXPECT(THTensor_(storage)(diff) == THBlob_(diffStorage)(b));
  EXPECT(THTensor_(nDimension)(data) == 4 && THTensor_(sumall)(data) == 7);
  /* With the same size the diff stays. */
  THBlob_(setCpuData)(b, block);
  EXPECT(THBlob_(cpuData)(b) == block && THBlob_(asumData)(b) == 21);
  EXPECT(THBlob_(diffAtNd)(b, 0, NULL) == 8);
  THBlob_(scaleData)(b, 2);
  EXPECT(block[5] == 12);
  /* With another size both parts are new, and the tensors keep the old memory. */
  THBlob_(reshape4d)(b, 2, 2, 1, 1);
  THBlob_(setCpuData)(b, block);
  EXPECT(THBlob_(asumData)(b) == 20 && THBlob_(asumDiff)(b) == 0);
  EXPECT(THTensor_(sumall)(diff) == 8);
  c = THBlob_(newWithShape4d)(1, 4, 1, 1);
  THBlob_(shareData)(c, b);
  THBlob_(shareDiff)(c, b);
  EXPECT(THBlob_(dataStorage)(c) == THBlob_(dataStorage)(b) && THBlob_(cpuData)(c) == block);
  THBlob_(reshape4d)(c, 1, 5, 1, 1);
  EXPECT(THBlob_(asumData)(c) == 0);
  THBlob_(copyFrom)(c, b, 0, 1);
  EXPECT(THBlob_(asumData)(c) == 20 && THBlob_(cpuData)(c) != block);
  THTensor_(free)(data);
  THTensor_(free)(diff);
  THBlob_(free)(b);
  THBlob_(free)(c);
  return failures;
}

int use_(arithmetic)(void) {
  int failures = 0;
  THBlob* b = THBlob_(newWithShape4d)(1, 1, 1, 3);
  EXPECT(THBlob_(sumsqData)(b) == 0 && THBlob_(asumDiff)(b) == 0);
  THBlob_(mutableCpuData)(b)[0] = -3;
  THBlob_(mutableCpuData)(b)[2] = 4;
  THBlob_(mutableCpuDiff)(b)[2] = 1;
  EXPECT(THBlob_(asumData)(b) == 7 && THBlob_(sumsqData)(b) == 25);
  THBlob_(scaleDiff)(b, 2);
  THBlob_(update)(b);
  EXPECT(THBlob_(dataAt)(b, 0, 0, 0, 2) == 2 && THBlob_(asumDiff)(b) == 2);
  EXPECT(THBlob_(sumsqDiff)(b) == 4);
  THBlob_(free)(b);
  return failures;
}

int use_(protos)(void) {
  int failures = 0;
  THBlob *b = THBlob_(newWithShape4d)(1, 2, 1, 3), *c = THBlob_(new)(), *made[2] = {NULL, NULL};
  THBlob* given[3];
  THByteStorage* bytes = THByteStorage_new();
  const unsigned char* data;
  size_t size;
  THBlob_(mutableCpuData)(b)[4] = 2.5;
  THBlob_(mutableCpuDiff)(b)[1] = 3;
  THBlob_(toProto)(b, 1, bytes);
  data = THByteStorage_data(bytes);
  size = (size_t)THByteStorage_size(bytes);
  EXPECT(THBlobProto_isDouble(data, size) == (sizeof(real) == 8));
  EXPECT(!THBlobProto_isVector(data, size));
  EXPECT(THBlob_(shapeEqualsProto)(b, data, size) && !THBlob_(shapeEqualsProto)(c, data, size));
  THBlob_(fromProto)(c, data, size, 1);
  EXPECT(THBlob_(shapeEquals)(b, c) && THBlob_(dataAt)(c, 0, 1, 0, 1) == 2.5);
  EXPECT(THBlob_(diffAt)(c, 0, 0, 0, 1) == 3);
  THBlob_(scaleData)(c, 2);
  given[0] = b;
  given[1] = c;
  given[2] = b;
  THBlob_(toProtoVector)(given, 3, 0, bytes);
  data = THByteStorage_data(bytes);
  size = (size_t)THByteStorage_size(bytes);
  EXPECT(THBlobProto_isVector(data, size));
  EXPECT(THBlobProto_isDouble(data, size) == (sizeof(real) == 8));
  EXPECT(THBlob_(newFromProtoVector)(data, size, NULL, 0) == 3);
  EXPECT(THBlob_(newFromProtoVector)(data, size, made, 2) == 3);
  EXPECT(THBlob_(asumData)(made[1]) == 5 && THBlob_(asumDiff)(made[1]) == 0);
  THBlob_(free)(made[0]);
  THBlob_(free)(made[1]);
  THBlob_(free)(b);
  THBlob_(free)(c);
  THByteStorage_free(bytes);
  return failures;
}

/* On a device by default, for a program that reads and writes data fields. */
int use_(fields)(void) {
  int failures = 0;
  THBlob *b, *c;
  THTensor *data, *diff;
  THSetDefaultDevice("soft");
  b = THBlob_(newWithShape4d)(1, 1, 2, 2);
  c = THBlob_(newWithShape4d)(1, 1, 2, 2);
  data = THBlob_(newData)(b);
  diff = THBlob_(newDiff)(b);
  EXPECT(data->storage->data && diff->storage->data);
  EXPECT(THBlob_(dataStorage)(c)->data && THBlob_(diffStorage)(c)->data);
  data->storage->data[0] = 3;
  diff->storage->data[0] = 1;
  THBlob_(update)(b);
  EXPECT(data->storage->data[0] == 2);
  data->storage->data[1] = 5;
  diff->storage->data[1] = 6;
  EXPECT(THBlob_(asumData)(b) == 7 && THBlob_(sumsqDiff)(b) == 37);
  data->storage->data[0] = diff->storage->data[0] = 4;
  EXPECT(THBlob_(sumsqData)(b) == 41 && THBlob_(asumDiff)(b) == 10);
  THBlob_(scaleData)(b, 10);
  EXPECT(data->storage->data[1] == 50);
  data->storage->data[0] = 30;
  THBlob_(copyFrom)(c, b, 0, 0);
  EXPECT(THBlob_(dataStorage)(c)->data[0] == 30);
  data->storage->data[1] = 1;
  EXPECT(THBlob_(asumData)(b) == 31);
  /* The program moves the elements to the device, where they stay. */
  THBlob_(mutableGpuData)(b);
  THBlob_(scaleData)(b, 2);
  EXPECT(THStorage_(head)(data->storage) == TH_HEAD_AT_GPU);
  EXPECT(THBlob_(dataStorage)(b)->data[0] == 60);
  THTensor_(free)(data);
  THTensor_(free)(diff);
  THBlob_(free)(b);
  THBlob_(free)(c);
  THSetDefaultDevice("cpu");
  return failures;
}

#endif
