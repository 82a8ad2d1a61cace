// The memory of blobs: allocated, copied, shared, on devices, and freed.

#include "blob_fixture.h"
#include "memory/heap.h"

namespace th {
namespace {

class BlobMemory : public BlobFixture {};
INSTANTIATE_BLOB_TESTS(BlobMemory);

TEST_P(BlobMemory, ReshapeKeepsWhatFits) {
  BlobRef blob = make({2, 3, 4});
  set(*blob, Part::data, [](int64_t i) { return i; });
  fill(*blob, Part::diff, 7);
  Storage* data = blob->storage(Part::data);
  Storage* diff = blob->storage(Part::diff);
  reshape(*blob, {4, 3});
  EXPECT_EQ(blob->storage(Part::data), data);
  EXPECT_EQ(blob->count(), 12);
  EXPECT_EQ(blob->asum(Part::data), 66);
  reshape(*blob, {24});
  EXPECT_EQ(blob->storage(Part::data), data);
  EXPECT_EQ(blob->storage(Part::diff), diff);
  EXPECT_EQ(get(*blob, Part::data)[23], 23);
  // More than ever: both parts are new, and read as 0.
  TensorRef old = blob->tensor(Part::data);
  reshape(*blob, {5, 5});
  EXPECT_NE(blob->storage(Part::data), data);
  EXPECT_EQ(head(*blob, Part::data), Head::uninitialized);
  EXPECT_EQ(head(*blob, Part::diff), Head::uninitialized);
  EXPECT_EQ(get(*blob, Part::diff), std::vector<double>(25, 0));
  // Tensors keep the memory that they were made of.
  EXPECT_EQ(old->storage, data);
  EXPECT_EQ(old->size[0], 24);
  BlobRef other = make({2, 2});
  other->reshape_like(*blob);
  EXPECT_EQ(shape_of(*other), Shape({5, 5}));
}

TEST_P(BlobMemory, PartsAreTensorsInItsMemory) {
  BlobRef blob = make({2, 3});
  TensorRef data = blob->tensor(Part::data);
  EXPECT_EQ(data->storage, blob->storage(Part::data));
  EXPECT_TRUE(is_contiguous(*data));
  EXPECT_NE(blob->tensor(Part::diff)->storage, data->storage);
  fill(*blob, Part::data, 2);
  TensorRef again = blob->tensor(Part::data);
  if (type() == DType::Float) {
    data->data_as<float>(Access::write)[1] = 5;
    EXPECT_EQ(again->data_as<float>(Access::read)[1], 5);
  } else {
    data->data_as<double>(Access::write)[1] = 5;
    EXPECT_EQ(again->data_as<double>(Access::read)[1], 5);
  }
  EXPECT_EQ(blob->asum(Part::data), 15);
}

TEST_P(BlobMemory, CopiesOnePart) {
  BlobRef from = make({2, 3}), to = make({2, 3});
  set(*from, Part::data, [](int64_t i) { return i; });
  fill(*from, Part::diff, 4);
  fill(*to, Part::data, 9);
  to->copy_from(*from, Part::data, false);
  EXPECT_EQ(get(*to, Part::data), get(*from, Part::data));
  EXPECT_EQ(to->asum(Part::diff), 0);
  to->copy_from(*from, Part::diff, false);
  EXPECT_EQ(get(*to, Part::diff), std::vector<double>(6, 4));
  EXPECT_NE(to->storage(Part::data), from->storage(Part::data));
  BlobRef other = make({6});
  EXPECT_FAILS(other->copy_from(*from, Part::data, false), "2 3 (6)");
  EXPECT_EQ(shape_of(*other), Shape({6}));
  other->copy_from(*from, Part::data, true);
  EXPECT_EQ(shape_of(*other), Shape({2, 3}));
  EXPECT_EQ(get(*other, Part::data)[5], 5);
  // Memory that was never written reads as zeros.
  BlobRef empty = make({2, 3});
  to->copy_from(*empty, Part::data, false);
  EXPECT_EQ(get(*to, Part::data), std::vector<double>(6, 0));
  EXPECT_EQ(head(*empty, Part::data), Head::uninitialized);
  to->copy_from(*to, Part::data, false);
  BlobRef shapeless(new Blob(type()));
  EXPECT_FAILS(to->copy_from(*shapeless, Part::data, true), "no shape yet");
  shapeless->copy_from(*from, Part::data, true);
  EXPECT_EQ(get(*shapeless, Part::data), get(*from, Part::data));
}

TEST_P(BlobMemory, CopiesBetweenTypes) {
  DType other_type = type() == DType::Float ? DType::Double : DType::Float;
  BlobRef from = make({3}), to = th::make(other_type, {3});
  set(*from, Part::data, [](int64_t i) { return i + 0.5; });
  to->copy_from(*from, Part::data, false);
  EXPECT_EQ(get(*to, Part::data), std::vector<double>({0.5, 1.5, 2.5}));
  EXPECT_FAILS(to->share(Part::data, *from), "cannot share");
}

TEST_P(BlobMemory, SharesMemory) {
  BlobRef a = make({2, 6}), b = make({3, 4});
  fill(*a, Part::data, 1);
  fill(*b, Part::data, 2);
  fill(*b, Part::diff, 3);
  a->share(Part::data, *b);
  EXPECT_EQ(a->storage(Part::data), b->storage(Part::data));
  EXPECT_NE(a->storage(Part::diff), b->storage(Part::diff));
  EXPECT_EQ(shape_of(*a), Shape({2, 6}));
  a->scale(Part::data, 5);
  EXPECT_EQ(get(*b, Part::data), std::vector<double>(12, 10));
  a->share(Part::diff, *b);
  EXPECT_EQ(a->asum(Part::diff), 36);
  a->share(Part::diff, *a);
  EXPECT_FAILS(a->share(Part::data, *make({5})), "numbers of elements");
  EXPECT_FAILS(a->share(Part::data, *BlobRef(new Blob(type()))), "no shape yet");
  // A reshape that needs more ends it.
  reshape(*a, {13});
  EXPECT_NE(a->storage(Part::data), b->storage(Part::data));
  EXPECT_EQ(get(*b, Part::data), std::vector<double>(12, 10));
  EXPECT_EQ(a->asum(Part::data), 0);
  // The memory outlives the blob that had it first.
  a = make({12});
  a->share(Part::data, *b);
  b.reset();
  EXPECT_EQ(a->asum(Part::data), 120);
}

TEST_P(BlobMemory, ReshapeTrustsNoCapacityThatSharingTookAway) {
  BlobRef large = make({100}), small = make({10});
  fill(*large, Part::data, 1);
  fill(*large, Part::diff, 1);
  fill(*small, Part::data, 2);
  reshape(*large, {10});
  large->share(Part::data, *small);
  // Caffe would go on with the ten elements that small has.
  reshape(*large, {100});
  EXPECT_EQ(large->storage(Part::data)->size, 100);
  EXPECT_NE(large->storage(Part::data), small->storage(Part::data));
  fill(*large, Part::data, 3);
  EXPECT_EQ(get(*small, Part::data), std::vector<double>(10, 2));
  // A larger block of another blob does not count either, as in Caffe.
  BlobRef huge = make({1000});
  reshape(*huge, {100});
  large->share(Part::data, *huge);
  reshape(*large, {200});
  EXPECT_NE(large->storage(Part::data), huge->storage(Part::data));
}

TEST_P(BlobMemory, SurvivesAStorageThatOthersResize) {
  BlobRef blob = make({10, 10});
  fill(*blob, Part::data, 1);
  storage_resize(blob->storage(Part::data), 4);
  EXPECT_EQ(blob->asum(Part::data), 4);
  EXPECT_EQ(blob->storage(Part::data)->size, 100);
  storage_resize(blob->storage(Part::diff), 4);
  reshape(*blob, {100});
  EXPECT_EQ(blob->storage(Part::diff)->size, 100);
}

TEST_P(BlobMemory, KeepsItsHome) {
  BlobRef blob = make({2, 3});
  fill(*blob, Part::data, 1);
  fill(*blob, Part::diff, 2);
  Device* device = blob->storage(Part::data)->current_device();
  blob->scale(Part::data, 2);
  blob->update();
  blob->asum(Part::diff);
  EXPECT_EQ(blob->storage(Part::data)->current_device(), device);
  EXPECT_EQ(blob->storage(Part::diff)->current_device(), device);
  // The memory for a larger shape is on the device of the old one.
  reshape(*blob, {100});
  EXPECT_EQ(blob->storage(Part::data)->current_device(), device);
  EXPECT_EQ(blob->storage(Part::diff)->current_device(), device);
}

TEST_P(BlobMemory, GivesItsMemoryOnBothSides) {
  BlobRef blob = make({2, 3});
  for (Part part : {Part::data, Part::diff}) {
    place().bring(blob->storage(part));
    EXPECT_NE(blob->storage(part)->memory.device(Access::read, soft()), nullptr);
    EXPECT_NE(blob->device_block(part, Access::read), nullptr);
    EXPECT_NE(blob->storage(part)->cpu(Access::read), nullptr);
    EXPECT_EQ(head(*blob, part), Head::synced);
    EXPECT_NE(blob->device_block(part, Access::write), nullptr);
    EXPECT_EQ(head(*blob, part), Head::device);
    EXPECT_NE(blob->storage(part)->cpu(Access::write), nullptr);
    EXPECT_EQ(head(*blob, part), Head::cpu);
  }
}

TEST_P(BlobMemory, TakesBlocksOfTheCaller) {
  BlobRef blob = make({2, 3});
  fill(*blob, Part::data, 1);
  fill(*blob, Part::diff, 4);
  size_t bytes = 6 * item_size(type());
  std::vector<char> block(bytes);
  blob->set_block(block.data(), false);
  EXPECT_EQ(head(*blob, Part::data), Head::cpu);
  EXPECT_EQ(blob->asum(Part::data), 0);
  EXPECT_EQ(blob->asum(Part::diff), 24);
  blob->storage(Part::data)->memory.device(Access::read, soft());
  void* device_block = soft().allocate(bytes);
  BlobRef ones = make({6});
  fill(*ones, Part::data, 1);
  soft().copy_to_device(device_block, ones->storage(Part::data)->cpu(Access::read), bytes);
  blob->set_block(device_block, true);
  EXPECT_EQ(head(*blob, Part::data), Head::device);
  blob->scale(Part::data, 3);
  EXPECT_EQ(block, std::vector<char>(bytes));
  EXPECT_EQ(blob->asum(Part::data), 18);
  // With fewer elements than the memory has, both parts are new.
  reshape(*blob, {5});
  TensorRef diff = blob->tensor(Part::diff);
  blob->set_block(block.data(), false);
  EXPECT_NE(blob->storage(Part::diff), diff->storage);
  EXPECT_EQ(blob->storage(Part::data)->size, 5);
  reshape(*blob, {6});
  EXPECT_NE(blob->tensor(Part::data)->data(Access::read), block.data());
  EXPECT_FAILS(blob->set_block(nullptr, false), "got NULL");
  blob.reset();
  soft().release(device_block);
}

TEST_P(BlobMemory, IsFreedWithItsLastReference) {
  int64_t before = heap_usage().blocks;
  BlobRef blob = make({100, 100});
  fill(*blob, Part::data, 1);
  fill(*blob, Part::diff, 1);
  blob->retain();
  BlobRef second(blob.get());
  blob.reset();
  EXPECT_EQ(second->asum(Part::data), 10000);
  second.reset();
  EXPECT_EQ(heap_usage().blocks, before);
}

}  // namespace
}  // namespace th
