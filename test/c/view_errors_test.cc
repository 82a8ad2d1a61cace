// The argument that an error of a view names: in C its number, for each row of THOps/views.def and
// for the functions that return a new view.

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "tensor.hpp"

namespace {

using tensor::Tensor;

struct Case {
  int argument;
  std::string part;  // of the message
  std::function<void()> call;
};

class ViewErrors : public testing::Test {
 protected:
  ViewErrors() : turned_(THDoubleTensor_newTranspose(matrix_, 0, 1)) {
    int64_t* size = wrong_.data();
    size[0] = 5;
    size[1] = 5;
    int64_t* unknown = unknown_.data();
    unknown[0] = unknown[1] = -1;
    int64_t* flat = flat_.data();
    flat[0] = 6;
    int64_t* twice = twice_.data();
    twice[0] = twice[1] = 0;
  }
  THLongStorage* sizes(const Tensor<int64_t>& list) { return THLongTensor_storage(list); }

  void expect(const std::string& function, const Case& call) {
    const tensor::ThrowErrors errors;
    std::string message;
    try {
      call.call();
    } catch (const tensor::Error& error) {
      message = error.what();
    }
    const std::string start =
        "bad argument #" + std::to_string(call.argument) + " (THDoubleTensor_" + function + ": ";
    EXPECT_EQ(message.substr(0, start.size()), start) << message;
    EXPECT_NE(message.find(call.part), std::string::npos) << message;
    EXPECT_EQ(r_.numel(), 7);  // unchanged
  }

  Tensor<double> r_{7}, vector_{6}, matrix_{2, 3}, none_, turned_;
  Tensor<double> wrong_like_{5, 5}, flat_like_{6};
  Tensor<int64_t> wrong_{2}, unknown_{2}, flat_{1}, twice_{2};
};

TEST_F(ViewErrors, NameTheArgumentOfEachRow) {
  const std::map<std::string, std::vector<Case>> cases = {
      {"set", {{2, "", [&] { THDoubleTensor_set(r_, nullptr); }}}},
      {"narrow",
       {{3, "dimension 2 is out", [&] { THDoubleTensor_narrow(r_, matrix_, 2, 0, 1); }},
        {4, "range of 1 from 3", [&] { THDoubleTensor_narrow(r_, matrix_, 1, 3, 1); }},
        {5, "range of -1", [&] { THDoubleTensor_narrow(r_, matrix_, 1, 0, -1); }}}},
      {"select",
       {{2, "on a vector", [&] { THDoubleTensor_select(r_, vector_, 0, 0); }},
        {3, "dimension 2 is out", [&] { THDoubleTensor_select(r_, matrix_, 2, 0); }},
        {4, "index 3 is out", [&] { THDoubleTensor_select(r_, matrix_, 1, 3); }}}},
      {"transpose",
       {{3, "dimension 2 is out", [&] { THDoubleTensor_transpose(r_, matrix_, 2, 0); }},
        {4, "dimension 5 is out", [&] { THDoubleTensor_transpose(r_, matrix_, 0, 5); }}}},
      {"t", {{2, "a matrix is expected", [&] { THDoubleTensor_t(r_, vector_); }}}},
      {"unfold",
       {{3, "dimension 1 is out", [&] { THDoubleTensor_unfold(r_, vector_, 1, 2, 1); }},
        {4, "slices of 9", [&] { THDoubleTensor_unfold(r_, vector_, 0, 9, 1); }},
        {5, "step 0", [&] { THDoubleTensor_unfold(r_, vector_, 0, 2, 0); }}}},
      {"squeeze1d", {{3, "dimension 2 is out", [&] { THDoubleTensor_squeeze1d(r_, matrix_, 2); }}}},
      {"squeeze", {{1, "", [&] { THDoubleTensor_squeeze(nullptr, nullptr); }}}},
      {"unsqueeze1d",
       {{2, "without dimensions", [&] { THDoubleTensor_unsqueeze1d(r_, none_, 0); }},
        {3, "dimension 3 is out", [&] { THDoubleTensor_unsqueeze1d(r_, matrix_, 3); }}}},
      {"expand",
       {{3, "only dimensions of size 1",
         [&] { THDoubleTensor_expand(r_, matrix_, sizes(wrong_)); }},
        {3, "cannot be expanded", [&] { THDoubleTensor_expand(r_, matrix_, sizes(flat_)); }}}},
      {"expandAs",
       {{3, "cannot be expanded", [&] { THDoubleTensor_expandAs(r_, matrix_, wrong_like_); }}}},
      {"view",
       {{2, "without copying", [&] { THDoubleTensor_view(r_, turned_, sizes(flat_)); }},
        {3, "cannot be viewed as", [&] { THDoubleTensor_view(r_, matrix_, sizes(wrong_)); }},
        {3, "only one of the sizes", [&] { THDoubleTensor_view(r_, matrix_, sizes(unknown_)); }}}},
      {"viewAs",
       {{2, "without copying", [&] { THDoubleTensor_viewAs(r_, turned_, flat_like_); }},
        {3, "cannot be viewed as", [&] { THDoubleTensor_viewAs(r_, matrix_, wrong_like_); }}}},
      {"permute",
       {{3, "is given twice", [&] { THDoubleTensor_permute(r_, matrix_, sizes(twice_)); }},
        {3, "1 dimensions given", [&] { THDoubleTensor_permute(r_, matrix_, sizes(flat_)); }}}},
  };
  size_t rows = 0;
#define TH_OP(name, ...)                                        \
  EXPECT_EQ(cases.count(#name), 1u) << #name << " has no case"; \
  ++rows;
#include "THOps/views.def"
#undef TH_OP
  EXPECT_EQ(cases.size(), rows);
  for (const auto& [function, calls] : cases) {
    for (const Case& call : calls) expect(function, call);
  }
}

// These have no result among their arguments.
TEST_F(ViewErrors, NameTheArgumentOfNewViews) {
  expect("newSelect", {1, "on a vector", [&] { THDoubleTensor_newSelect(vector_, 0, 0); }});
  expect("newSelect", {2, "dimension 2", [&] { THDoubleTensor_newSelect(matrix_, 2, 0); }});
  expect("newSelect", {3, "index 3", [&] { THDoubleTensor_newSelect(matrix_, 1, 3); }});
  expect("newNarrow", {2, "dimension 2", [&] { THDoubleTensor_newNarrow(matrix_, 2, 0, 1); }});
  expect("newNarrow", {3, "range of 1", [&] { THDoubleTensor_newNarrow(matrix_, 1, 3, 1); }});
  expect("newNarrow", {4, "range of -1", [&] { THDoubleTensor_newNarrow(matrix_, 1, 0, -1); }});
  expect("newTranspose", {2, "dimension 2", [&] { THDoubleTensor_newTranspose(matrix_, 2, 0); }});
  expect("newTranspose", {3, "dimension 2", [&] { THDoubleTensor_newTranspose(matrix_, 0, 2); }});
  expect("newUnfold", {3, "slices of 9", [&] { THDoubleTensor_newUnfold(vector_, 0, 9, 1); }});
  expect("newUnfold", {4, "step 0", [&] { THDoubleTensor_newUnfold(vector_, 0, 2, 0); }});
  expect("newView", {1, "copying", [&] { THDoubleTensor_newView(turned_, sizes(flat_)); }});
  expect("newView", {2, "viewed as", [&] { THDoubleTensor_newView(matrix_, sizes(wrong_)); }});
  expect("newExpand", {2, "expanded", [&] { THDoubleTensor_newExpand(matrix_, sizes(wrong_)); }});
}

// As in TH, NULL for the source means the result.
TEST(Views, ChangeTheResultWithoutASource) {
  const Tensor<double> t{4, 1, 3};
  auto expect = [&](const std::string& size) {
    EXPECT_EQ(std::string(THDoubleTensor_sizeDesc(t).str), size);
  };
  THDoubleTensor_transpose(t, nullptr, 0, 2);
  expect("[3 x 1 x 4]");
  THDoubleTensor_narrow(t, nullptr, 2, 1, 3);
  expect("[3 x 1 x 3]");
  THDoubleTensor_unsqueeze1d(t, nullptr, 0);
  expect("[1 x 3 x 1 x 3]");
  THDoubleTensor_squeeze1d(t, nullptr, 2);
  expect("[1 x 3 x 3]");
  THDoubleTensor_squeeze(t, nullptr);
  expect("[3 x 3]");
  THDoubleTensor_unfold(t, nullptr, 1, 2, 1);
  expect("[3 x 2 x 2]");
  THDoubleTensor_select(t, nullptr, 0, 2);
  expect("[2 x 2]");
  EXPECT_EQ(THDoubleTensor_storageOffset(t), 5);
  EXPECT_EQ(THDoubleTensor_stride(t, 0), 3);
}

}  // namespace
