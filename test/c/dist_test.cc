// The C interface of programs of several processes, with one process, and the comparison of calls.
// test/lua/dist_spec.lua tests several processes.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "TH.h"
#include "core_tensors.h"
#include "dist/buffer.h"
#include "dist/header.h"

namespace {

using th::dist::Header;
using th::dist::Operation;

TEST(Dist, OneProcess) {
  THDist_init();
  EXPECT_EQ(THDist_rank(nullptr), 0);
  EXPECT_EQ(THDist_size(nullptr), 1);
  EXPECT_EQ(THDist_localRank(), 0);
  EXPECT_EQ(THDist_localSize(), 1);
  EXPECT_STREQ(THDist_library(), "");
  THDist_setTimeout(5);
  EXPECT_EQ(THDist_timeout(), 5);
  THDist_barrier(nullptr);
}

TEST(Dist, Collectives) {
  THFloatTensor* t = THFloatTensor_newWithSize2d(2, 3);
  THFloatTensor* r = THFloatTensor_new();
  for (int k = 0; k < 6; ++k) THFloatTensor_set2d(t, k / 3, k % 3, static_cast<float>(k));
  THDistFloat_broadcast(nullptr, t, 0);
  THDistFloat_allReduce(nullptr, t, THDistMean);
  THDistFloat_reduce(nullptr, t, THDistMax, 0);
  THDistFloat_allGather(nullptr, r, t);
  ASSERT_EQ(THFloatTensor_nDimension(r), 3);
  EXPECT_EQ(THFloatTensor_get3d(r, 0, 1, 2), 5);
  THDistFloat_scatter(nullptr, t, r, 0);
  THDistFloat_gather(nullptr, r, t, 0);
  THDistFloat_reduceScatter(nullptr, r, t, THDistSum);
  EXPECT_EQ(THFloatTensor_get2d(r, 1, 2), 5);
  THDistFloat_allToAll(nullptr, t, r);
  EXPECT_EQ(THFloatTensor_get2d(t, 1, 1), 4);
  THFloatTensor_free(t);
  THFloatTensor_free(r);
}

TEST(Dist, Asynchronous) {
  THFloatTensor* t = THFloatTensor_newWithSize1d(3);
  THFloatTensor* r = THFloatTensor_new();
  // Results exist after wait(), so each call has operands that exist before.
  THFloatTensor* rows = THFloatTensor_newWithSize2d(1, 3);
  THFloatTensor_fill(t, 2);
  THFloatTensor_fill(rows, 2);
  std::vector<THDistWork*> works = {
      THDistFloat_broadcastAsync(nullptr, t, 0),
      THDistFloat_allReduceAsync(nullptr, t, THDistMean),
      THDistFloat_reduceAsync(nullptr, t, THDistMax, 0),
      THDistFloat_allGatherAsync(nullptr, r, t),
      THDistFloat_scatterAsync(nullptr, t, rows, 0),
      THDistFloat_gatherAsync(nullptr, r, t, 0),
      THDistFloat_reduceScatterAsync(nullptr, t, t, THDistSum),
      THDistFloat_allToAllAsync(nullptr, t, t),
      THDist_barrierAsync(nullptr),
  };
  for (THDistWork* work : works) {
    THDistWork_wait(work);
    EXPECT_EQ(THDistWork_isDone(work), 1);
    THDistWork_wait(work);
    THDistWork_free(work);
  }
  EXPECT_EQ(THFloatTensor_get2d(r, 0, 2), 2);
  EXPECT_EQ(THFloatTensor_get1d(t, 2), 2);
  THFloatTensor_free(t);
  THFloatTensor_free(r);
  THFloatTensor_free(rows);
}

TEST(Dist, Groups) {
  THDistGroup* group = THDist_split(nullptr, 0, 0);
  EXPECT_EQ(THDist_size(group), 1);
  THDist_barrier(group);
  THDist_freeGroup(group);
  EXPECT_EQ(THDist_split(nullptr, -1, 0), nullptr);
}

Header tensor_header(Operation operation, std::vector<int64_t> size) {
  Header header(operation);
  header.sequence = 3;
  header.set_tensor(th::DType::Float, static_cast<int>(size.size()), size.data());
  return header;
}

TEST(Dist, HashesDiffer) {
  const Header header = tensor_header(Operation::allReduce, {2, 3});
  std::vector<Header> others(6, header);
  others[0].sequence = 4;
  others[1] = tensor_header(Operation::allReduce, {3, 2});
  others[2] = tensor_header(Operation::allReduce, {2, 3, 1});
  others[3].dtype = static_cast<uint8_t>(th::DType::Half);
  others[4].root = 1;
  others[5].set_reduction(th::dist::Reduction::min, false);
  for (const Header& other : others) EXPECT_NE(other.hash(), header.hash());
  // Sizes behind those that a header lists.
  std::vector<int64_t> many(12, 1);
  const uint64_t hash = tensor_header(Operation::broadcast, many).hash();
  many[11] = 2;
  EXPECT_NE(tensor_header(Operation::broadcast, many).hash(), hash);
  Header detailed = header;
  detailed.set_detail("a Float[2]");
  EXPECT_NE(detailed.hash(), header.hash());
  others[0] = header;
  others[0].set_detail("a Float[3]");
  EXPECT_NE(detailed.hash(), others[0].hash());
}

TEST(Dist, Disagreement) {
  std::vector<Header> headers(5, tensor_header(Operation::gather, {2}));
  const std::vector<std::string> none(5);
  headers[1] = Header(Operation::barrier);
  headers[1].sequence = 4;
  headers[4] = Header(Operation::finish);
  headers[4].sequence = 3;
  for (int rank : {0, 2, 3}) headers[rank].root = 2;
  EXPECT_EQ(
      th::dist::disagreement(headers.data(), none.data(), 5, 1),
      "the ranks disagree: ranks 1, 3, 4: gather of a FloatTensor of size [2]; rank 2: barrier "
      "(collective 4 of its group, instead of 3); rank 5: the program has ended");
  headers[0].root = 1;
  EXPECT_EQ(th::dist::disagreement(headers.data(), none.data(), 3, 1),
            "the ranks disagree: rank 1: gather of a FloatTensor of size [2] with root 2; rank 2: "
            "barrier (collective 4 of its group, instead of 3); rank 3: gather of a FloatTensor of "
            "size [2] with root 3");
}

// The message shows the items of long details from the first one that differs.
TEST(Dist, DisagreementInDetail) {
  std::vector<Header> headers(3, tensor_header(Operation::allReduce, {5}));
  const std::string common(200, 'x');
  std::vector<std::string> details = {"a Float[2], b Float[3]", "a Float[2], b Float[4]",
                                      "a Float[2], b Float[3]"};
  EXPECT_EQ(
      th::dist::disagreement(headers.data(), details.data(), 3, 1),
      "the ranks disagree: ranks 1, 3: allReduce of a FloatTensor of size [5], from a "
      "Float[2], b Float[3]; rank 2: allReduce of a FloatTensor of size [5], from a Float[2], "
      "b Float[4]");
  for (std::string& detail : details) detail = common + ", " + detail;
  EXPECT_EQ(th::dist::disagreement(headers.data(), details.data(), 3, 1),
            "the ranks disagree: ranks 1, 3: allReduce of a FloatTensor of size [5], from ..., b "
            "Float[3]; rank 2: allReduce of a FloatTensor of size [5], from ..., b Float[4]");
  details = {"a" + common, "b" + common, "b" + common};
  const std::string text = th::dist::disagreement(headers.data(), details.data(), 3, 1);
  EXPECT_NE(text.find("from a" + common.substr(0, 79) + "...; ranks 2, 3"), std::string::npos)
      << text;
  details = {"", "a Float[2]", ""};
  EXPECT_EQ(th::dist::disagreement(headers.data(), details.data(), 3, 1),
            "the ranks disagree: ranks 1, 3: allReduce of a FloatTensor of size [5]; rank 2: "
            "allReduce of a FloatTensor of size [5], from a Float[2]");
  // One text is the beginning of the other.
  details = {"a Float[2], b Float[3]", "a Float[2]", "a Float[2]"};
  const std::string longer = th::dist::disagreement(headers.data(), details.data(), 3, 1);
  EXPECT_NE(longer.find("from a Float[2], b Float[3]; ranks 2, 3"), std::string::npos) << longer;
}

// The function that the program has called comes first.
TEST(Dist, DisagreementOfCallers) {
  std::vector<Header> headers(3, Header(Operation::split));
  std::vector<std::string> details = {"group\x1franks 1, 3", "group\x1franks 1, 2",
                                      "group\x1franks 1, 3"};
  EXPECT_EQ(th::dist::disagreement(headers.data(), details.data(), 3, 1),
            "the ranks disagree: ranks 1, 3: group of ranks 1, 3; rank 2: group of ranks 1, 2");
  headers = {tensor_header(Operation::allReduce, {5}), Header(Operation::barrier),
             tensor_header(Operation::allReduce, {5})};
  for (Header& header : headers) header.sequence = 1;
  const std::string common(200, 'x');
  details = {"grad\x1f" + common + ", a Float[5]", "", "grad\x1f" + common + ", b Float[5]"};
  const std::string text = th::dist::disagreement(headers.data(), details.data(), 3, 1);
  EXPECT_NE(text.find("rank 1: grad of " + common.substr(0, 80) +
                      "... (allReduce of a FloatTensor of size [5]); rank 2: barrier; rank 3: grad "
                      "of x"),
            std::string::npos)
      << text;
  details[1] = "grad\x1f" + common + ", c Float[5]";
  const std::string later = th::dist::disagreement(headers.data(), details.data(), 3, 1);
  EXPECT_NE(later.find("rank 1: grad of ..., a Float[5] (allReduce"), std::string::npos) << later;
}

TEST(Dist, RankLists) {
  const int ranks[] = {0, 2, 3, 4, 7, 8};
  EXPECT_EQ(th::dist::ranks_text(ranks, 1, 1), "rank 1");
  EXPECT_EQ(th::dist::ranks_text(ranks, 6, 1), "ranks 1, 3 to 5, 8, 9");
}

// The transport gets the tensor's own memory if the tensor is contiguous, and nothing converts its
// elements or uses it meanwhile.
TEST(DistBuffer, OwnMemory) {
  using th::dist::Buffer;
  using th::dist::Use;
  for (th::DType type : core::kAllTypes) {
    const bool is_16_bit_float = type == th::DType::Half || type == th::DType::BFloat16;
    const th::TensorRef t = core::make(type, {4, 3});
    const th::TensorRef rows(th::tensor_new(type));
    th::views::narrow(rows.get(), t.get(), 0, 1, 2);
    for (th::Tensor* own : {t.get(), rows.get()}) {
      core::fill(*own, [](int64_t i) { return static_cast<double>(i); });
      const char* data = own->data(th::Access::read);
      for (Use use : {Use::read, Use::write, Use::overwrite}) {
        Buffer sent(own, use, false, false);
        EXPECT_EQ(sent.data(), data);
        EXPECT_EQ(sent.count(), own->numel());
        sent.finish();
        Buffer reduced(own, use, true, false);
        EXPECT_EQ(reduced.data() == data, !is_16_bit_float);
        EXPECT_EQ(reduced.type(), is_16_bit_float ? th::DType::Float : type);
        EXPECT_NE(Buffer(own, use, false, true).data(), data);
      }
      EXPECT_EQ(Buffer(own, own->nDimension, own->size, false, false).data(), data);
      const int64_t other = own->numel();
      EXPECT_NE(Buffer(own, 1, &other, false, false).data(), data);
    }
  }
}

TEST(DistBuffer, CopiesOtherLayouts) {
  using th::dist::Buffer;
  using th::dist::Use;
  for (core::Layout layout : {core::Layout::permuted, core::Layout::spaced}) {
    const th::TensorRef t = core::make(th::DType::Int, {2, 3}, layout);
    core::fill(*t, [](int64_t i) { return static_cast<double>(i); });
    Buffer buffer(t.get(), Use::write, false, false);
    auto* copy = static_cast<int32_t*>(buffer.data());
    EXPECT_NE(buffer.data(), t->data(th::Access::read));
    for (int k = 0; k < 6; ++k) {
      EXPECT_EQ(copy[k], k);
      copy[k] *= 10;
    }
    EXPECT_EQ(core::get(*t, 5), 5);
    buffer.finish();
    for (int k = 0; k < 6; ++k) EXPECT_EQ(core::get(*t, k), 10 * k);
  }
}

}  // namespace
