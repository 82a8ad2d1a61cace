// Files of tensors, tables and printed tensors through the C interface; tensor_file_test.c has what
// a C program does. test/reference has the scripts that wrote the files in test/data.

#include "THTensorFile.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <string>

#include "THCsv.h"
#include "THPrint.h"
#include "tensor.hpp"

extern "C" {
#define TH_TYPE(Name, real, ...)                                                     \
  int use_##Name##_files(const char* npy, const char* npz, const char* safetensors); \
  int use_##Name##_tables(const char* csv);                                          \
  int use_##Name##_text(void);
#include "THTypes.def"
#undef TH_TYPE
}

namespace {

using tensor::Tensor;

class TensorFiles : public testing::Test {
 protected:
  void SetUp() override { ASSERT_NE(mkdtemp(folder_), nullptr); }
  void TearDown() override {
    for (const std::string& name : names_) unlink(name.c_str());
    EXPECT_EQ(rmdir(folder_), 0) << "a temporary file was left";
  }
  // Returns the path of a file, which is removed after the test.
  std::string path(const std::string& name) {
    names_.push_back(std::string(folder_) + "/" + name);
    return names_.back();
  }
  std::string with_bytes(const std::string& name, const std::string& bytes) {
    std::string file = path(name);
    std::FILE* stream = std::fopen(file.c_str(), "wb");
    std::fwrite(bytes.data(), 1, bytes.size(), stream);
    std::fclose(stream);
    return file;
  }

 private:
  char folder_[40] = "/tmp/th_tensor_file_XXXXXX";
  std::vector<std::string> names_;
};

std::string bytes_of(const std::string& file) {
  std::string bytes;
  std::FILE* stream = std::fopen(file.c_str(), "rb");
  EXPECT_NE(stream, nullptr) << file;
  for (int c; stream && (c = std::fgetc(stream)) != EOF;) bytes += static_cast<char>(c);
  if (stream) std::fclose(stream);
  return bytes;
}

// Returns the message of the error that body raises, or "".
template <class F>
std::string error_of(const F& body) {
  const tensor::ThrowErrors errors;
  try {
    body();
  } catch (const tensor::Error& error) {
    return error.what();
  }
  return "";
}
bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// Reads all that a file contains, as each of two element types.
void read_all(const std::string& file) {
  THTensorReader* reader = THTensorReader_new(file.c_str());
  struct Freed {
    THTensorReader* reader;
    ~Freed() { THTensorReader_free(reader); }
  } freed = {reader};
  Tensor<double> t;
  Tensor<int64_t> integers;
  for (int64_t k = 0; k < THTensorReader_count(reader); ++k) {
    THDoubleTensor_readFrom(t, reader, k);
    THLongTensor_readFrom(integers, reader, k);
    if (THTensorReader_type(reader, k) == THTypeDouble) THDoubleTensor_mapFrom(t, reader, k);
    THDoubleTensor_sumall(t);
  }
}

TEST_F(TensorFiles, KeepAllElementTypes) {
  const std::string npy = path("a.npy"), npz = path("a.npz"), safetensors = path("a.safetensors");
#define TH_TYPE(Name, ...) \
  EXPECT_EQ(use_##Name##_files(npy.c_str(), npz.c_str(), safetensors.c_str()), 0) << #Name;
#include "THTypes.def"
#undef TH_TYPE
}

TEST_F(TensorFiles, KeepTables) {
  const std::string csv = path("a.csv");
#define TH_TYPE(Name, ...) EXPECT_EQ(use_##Name##_tables(csv.c_str()), 0) << #Name;
#include "THTypes.def"
#undef TH_TYPE
}

TEST_F(TensorFiles, ArePrinted) {
#define TH_TYPE(Name, ...) EXPECT_EQ(use_##Name##_text(), 0) << #Name;
#include "THTypes.def"
#undef TH_TYPE
}

// The script wrote element i of an array as start + i * step.
struct Kind {
  const char *numpy, *safetensors;
  THType type;
  double start, step;
};
const Kind kKinds[] = {
    {"u1", "uint8", THTypeByte, 0, 10},           {"i1", "int8", THTypeChar, -50, 5},
    {"i2", "int16", THTypeShort, -3000, 300},     {"u2", "uint16", THTypeInt, 0, 2800},
    {"i4", "int32", THTypeInt, -10, 90000007},    {"u4", "uint32", THTypeLong, 0, 180000001},
    {"i8", "int64", THTypeLong, -0x1p50, 0x1p47}, {"u8", "uint64", THTypeLong, 0, 0x1p48},
    {"f2", "float16", THTypeHalf, -2, 0.25},      {"f4", "float32", THTypeFloat, -2, 0.25},
    {"f8", "float64", THTypeDouble, -2, 0.1},     {nullptr, "bfloat16", THTypeBFloat16, -2, 0.25},
};

void expect_numbers(THTensorReader* reader, const std::string& name, const Kind& kind) {
  const int64_t k = THTensorReader_find(reader, name.c_str());
  ASSERT_GE(k, 0) << name;
  EXPECT_EQ(THTensorReader_type(reader, k), kind.type) << name;
  Tensor<double> t;
  THDoubleTensor_readFrom(t, reader, k);
  if (has(name, "empty")) {
    EXPECT_EQ(t.numel(), 0);
    return;
  }
  for (int64_t i = 0; i < t.numel(); ++i) {
    const double element = t.dims() == 1 ? THDoubleTensor_get1d(t, i)
                                         : THDoubleTensor_get3d(t, i / 12, i / 4 % 3, i % 4);
    EXPECT_EQ(element, kind.start + static_cast<double>(i) * kind.step) << name << " " << i;
  }
}

TEST_F(TensorFiles, HaveAllTypesAndOrdersOfNumPy) {
  THTensorReader* reader = THTensorReader_new("test/data/numpy/all.npz");
  EXPECT_EQ(THTensorReader_count(reader), 72);
  for (const Kind& kind : kKinds) {
    for (const char* layout :
         {"-little", "-big", "-little-fortran", "-big-fortran", "-scalar", "-empty"}) {
      if (kind.numpy) expect_numbers(reader, std::string(kind.numpy) + layout, kind);
    }
  }
  THTensorReader_free(reader);
  reader = THTensorReader_new("test/data/numpy/matrix.npy");
  Tensor<float> matrix;
  THFloatTensor_mapFrom(matrix, reader, 0);
  THTensorReader_free(reader);
  EXPECT_EQ(THFloatTensor_get2d(matrix, 1, 1), -0.75f);
  EXPECT_EQ(matrix.get()->stride[1], 3);
}

TEST_F(TensorFiles, HaveAllTypesOfSafetensors) {
  THTensorReader* reader = THTensorReader_new("test/data/safetensors/all.safetensors");
  for (const Kind& kind : kKinds) expect_numbers(reader, kind.safetensors, kind);
  EXPECT_STREQ(THTensorReader_metadata(reader, "note"), "a \"b\" \xc3\xa9");
  THTensorReader_free(reader);
}

TEST_F(TensorFiles, ReportErrorsAndLoseNothing) {
  Tensor<double> t{2};
  THDoubleTensor_fill(t, 7);
  for (const auto& [name, part] :
       std::map<std::string, std::string>{{"complex", "elements of type '<c16' cannot be read"},
                                          {"object", "objects are code"},
                                          {"text", "elements of type '<U3'"},
                                          {"structured", "structured arrays"},
                                          {"unsigned", "unsigned numbers of 2^63 and more"}}) {
    const std::string file = "test/data/numpy/" + name + ".npy";
    const std::string message = error_of([&] { THDoubleTensor_load(t, file.c_str()); });
    EXPECT_TRUE(has(message, "THDoubleTensor_load: " + file + ": ") && has(message, part))
        << message;
  }
  const std::string file = path("a.npy");
  EXPECT_TRUE(has(error_of([&] { THDoubleTensor_load(t, file.c_str()); }), "No such file"));
  EXPECT_TRUE(has(error_of([&] { THDoubleTensor_load(t, "x.t7"); }), "are expected"));
  EXPECT_TRUE(has(error_of([&] { THDoubleTensor_load(t, nullptr); }), "bad argument #2"));
  EXPECT_TRUE(has(error_of([&] { THDoubleTensor_load(nullptr, "x.npy"); }), "bad argument #1"));
  EXPECT_TRUE(has(error_of([&] { THDoubleTensor_load(t, "test/data/numpy/all.npz"); }),
                  "a file with one tensor is expected, got 72 tensors"));
  EXPECT_TRUE(has(error_of([&] { THDoubleTensor_save(t, "nowhere/x.npy"); }), "No such file"));
  EXPECT_TRUE(
      has(error_of([&] { THDoubleTensor_save(t, "x.npz"); }), "a name in .npy is expected"));
  THTensorReader* reader = THTensorReader_new("test/data/numpy/vector.npy");
  Tensor<float> single;
  EXPECT_TRUE(has(error_of([&] { THFloatTensor_mapFrom(single, reader, 0); }),
                  "a DoubleTensor cannot be mapped as a FloatTensor"));
  EXPECT_TRUE(has(error_of([&] { THDoubleTensor_readFrom(t, reader, 1); }), "bad argument #3"));
  EXPECT_TRUE(has(error_of([&] { THTensorReader_size(reader, 0, 1); }), "bad argument #3"));
  EXPECT_TRUE(has(error_of([&] { THTensorReader_name(reader, -1); }), "bad argument #2"));
  THTensorReader_free(reader);
  EXPECT_EQ(THDoubleTensor_sumall(t), 14);

  // A file is written once.
  THTensorWriter* writer = THTensorWriter_new(file.c_str());
  THDoubleTensor_writeTo(t, writer, nullptr);
  THTensorWriter_commit(writer);
  const std::string before = bytes_of(file);
  EXPECT_TRUE(has(error_of([&] { THTensorWriter_commit(writer); }), "has been written"));
  EXPECT_TRUE(has(error_of([&] { THDoubleTensor_writeTo(t, writer, "b"); }), "has been written"));
  THTensorWriter_free(writer);
  EXPECT_EQ(bytes_of(file), before);

  // A writer that fails leaves the old file.
  writer = THTensorWriter_new(file.c_str());
  EXPECT_TRUE(has(error_of([&] { THTensorWriter_commit(writer); }), "contains a tensor"));
  THTensorWriter_free(writer);
  writer = THTensorWriter_new(file.c_str());
  THDoubleTensor_writeTo(t, writer, nullptr);
  EXPECT_TRUE(has(error_of([&] { THDoubleTensor_writeTo(t, writer, nullptr); }), "one tensor"));
  EXPECT_TRUE(has(error_of([&] { THTensorWriter_compress(writer); }), "only .npz files"));
  EXPECT_TRUE(has(error_of([&] { THTensorWriter_setMetadata(writer, "a", "b"); }), "metadata"));
  THTensorWriter_free(writer);
  EXPECT_EQ(bytes_of(file), before);
  const std::string many = path("a.safetensors");
  writer = THTensorWriter_new(many.c_str());
  THDoubleTensor_writeTo(t, writer, "a");
  EXPECT_TRUE(has(error_of([&] { THDoubleTensor_writeTo(t, writer, "a"); }), "named a"));
  EXPECT_TRUE(has(error_of([&] { THDoubleTensor_writeTo(t, writer, "__metadata__"); }), "invalid"));
  THDoubleTensor_writeTo(t, writer, "\xff");
  EXPECT_TRUE(has(error_of([&] { THTensorWriter_commit(writer); }), "is not UTF-8"));
  THTensorWriter_free(writer);
  EXPECT_NE(access(many.c_str(), F_OK), 0);
}

// Each prefix of a file, and a file in which each byte is another one, is read or is an error.
TEST_F(TensorFiles, MayBeDamagedInAnyWay) {
  for (const std::string name : {"numpy/vector.npy", "numpy/version2.npy", "numpy/stored.npz",
                                 "safetensors/all.safetensors"}) {
    const std::string whole = bytes_of("test/data/" + name);
    const std::string file = "damaged" + name.substr(name.rfind('.'));
    int errors = 0;
    const size_t step = whole.size() / 60 + 1;
    for (size_t at = 0; at < whole.size(); at += step) {
      const std::string cut = with_bytes(file, whole.substr(0, at));
      errors += !error_of([&] { read_all(cut); }).empty();
      std::string changed = whole;
      changed[at] = static_cast<char>(changed[at] ^ (1 << at % 8));
      with_bytes(file, changed);
      errors += !error_of([&] { read_all(cut); }).empty();
    }
    EXPECT_GT(errors, static_cast<int>(whole.size() / step)) << name;
  }
}

TEST_F(TensorFiles, RefuseHeadersThatClaimTooMuch) {
  auto of_npy = [](const std::string& head) {
    return "\x93NUMPY" + std::string("\1\0", 2) + static_cast<char>(head.size()) +
           static_cast<char>(head.size() >> 8) + head + std::string(16, 'x');
  };
  for (const std::string shape : {"6,", "9000000000000000000,", "9007199254740992, 9007,",
                                  "0, 9000000000000000,", "-1,", "3 4,", "1e3,", "3", "(3,)"}) {
    const std::string text = "{'descr': '<f8', 'fortran_order': False, 'shape': (" + shape + "), }";
    const std::string file = with_bytes("a.npy", of_npy(text));
    const std::string message = error_of([&] { read_all(file); });
    EXPECT_FALSE(message.empty()) << shape;
  }
  const std::string order = "'fortran_order': False", type = "'descr': '<f8'";
  for (const std::string& text :
       {"{" + type + ", " + order + ", 'shape': (2,), 'shape': (1,)}",
        "{'x': {'shape': (1,)}, " + type + ", " + order + ", 'shape': (2,)}",
        "{" + type + ", 'fortran_order': Trueish, 'shape': (1,)}",
        "{" + type + ", " + order + ", 'shape': (,)}", type + ", " + order + ", 'shape': (1,)",
        "{" + type + ", " + order + ", 'shape': (1,), 'x': 1}", "{" + order + ", 'shape': (1,)}",
        std::string("{")}) {
    const std::string file = with_bytes("a.npy", of_npy(text));
    EXPECT_TRUE(has(error_of([&] { read_all(file); }), "is not a dictionary of")) << text;
  }
  for (const std::string& text : {"{'shape': (2L,) ,\"descr\":'<f8'," + order + ",}\n",
                                  "{" + type + ", " + order + ", 'shape': (1, 2,)}"}) {
    const std::string blanks(62 - text.size(), ' ');  // mapped elements must be aligned
    const std::string file = with_bytes("a.npy", of_npy(text + blanks));
    EXPECT_EQ(error_of([&] { read_all(file); }), "") << text;
  }
  // Two tensors of the same name, or of the same bytes.
  for (const auto& [head, part] : std::map<std::string, std::string>{
           {R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},)"
            R"("a":{"dtype":"U8","shape":[1],"data_offsets":[1,2]}})",
            "are named a"},
           {R"({"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},)"
            R"("b":{"dtype":"U8","shape":[1],"data_offsets":[1,2]}})",
            "overlap"},
           {R"({"__metadata__":{"a":1}})", "is not a string"},
           {R"({"__metadata__":{"a":["b"]}})", "is not a string"},
           {R"({"__metadata__":7})", "is not a table"},
           {R"({"a":[1]})", "are expected"},
           {R"({"a":{"dtype":"U8","shape":[1,[2]],"data_offsets":[0,2]}})", "invalid size"},
           {R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1,2]}})", "are two numbers"},
           {R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[[0],0,1]}})", "are two numbers"},
           {R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[{"b":1},0,1]}})", "are two numbers"},
           {R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}})" + std::string(1, '\0'),
            "a NUL byte"},
           {std::string(100000, '['), "is not a JSON object"},
           {R"({"a":)" + std::string(100000, '['), "are expected"}}) {
    std::string length(8, '\0');
    for (size_t k = 0; k < 4; ++k) length[k] = static_cast<char>(head.size() >> (8 * k));
    const std::string file = with_bytes("a.safetensors", length + head + "xyz");
    const std::string message = error_of([&] { read_all(file); });
    EXPECT_TRUE(has(message, part)) << message;
  }
}

// ---- tables -------------------------------------------------------------------------------------

TEST_F(TensorFiles, TablesHaveColumnsOfTextAndNumbers) {
  const std::string file =
      with_bytes("a.csv", "name;height;age\n\"Ann; B\";1,62;30\nBob;NA;41\n\"\"\"C\"\"\";1,7;22\n");
  THCsvTable* table = THCsvTable_new(file.c_str(), nullptr);
  EXPECT_EQ(THCsvTable_rows(table), 3);
  EXPECT_STREQ(THCsvTable_name(table, 2), "age");
  EXPECT_EQ(THCsvTable_isText(table, 0), 1);
  EXPECT_STREQ(THCsvTable_text(table, 0, 0), "Ann; B");
  EXPECT_STREQ(THCsvTable_text(table, 0, 2), "\"C\"");
  Tensor<double> heights;
  Tensor<unsigned char> ages;
  THDoubleTensor_readColumn(heights, table, 1);
  THByteTensor_readColumn(ages, table, 2);
  EXPECT_EQ(heights.data()[0], 1.62);
  EXPECT_NE(heights.data()[1], heights.data()[1]);
  EXPECT_EQ(ages.data()[1], 41);
  EXPECT_TRUE(has(error_of([&] { THDoubleTensor_readColumn(heights, table, 0); }), "is text"));
  EXPECT_TRUE(has(error_of([&] { THCsvTable_text(table, 1, 0); }), "has numbers"));
  EXPECT_TRUE(has(error_of([&] { THCsvTable_text(table, 0, 3); }), "bad argument #3"));
  EXPECT_TRUE(has(error_of([&] { THCsvTable_name(table, 3); }), "bad argument #2"));
  THCsvTable_free(table);
}

TEST_F(TensorFiles, ColumnsOfTextAreReadAsDates) {
  const std::string file = with_bytes(
      "a.csv", "day,k\n1970-01-02,1\n2000-02-29 12:30,2\nNA,3\n 2026-11-23T10:30:05.5+02:00,4\n");
  THCsvTable* table = THCsvTable_new(file.c_str(), nullptr);
  Tensor<double> seconds;
  Tensor<int64_t> whole;
  THDoubleTensor_readDates(seconds, table, 0);
  ASSERT_EQ(seconds.numel(), 4);
  EXPECT_EQ(seconds.data()[0], 86400);
  EXPECT_EQ(seconds.data()[1], 951827400);
  EXPECT_NE(seconds.data()[2], seconds.data()[2]);
  EXPECT_EQ(seconds.data()[3], 1795422605.5);
  THLongTensor_readDates(whole, table, 0);
  EXPECT_EQ(whole.data()[3], 1795422605);
  EXPECT_TRUE(has(error_of([&] { THDoubleTensor_readDates(seconds, table, 1); }), "has numbers"));
  EXPECT_TRUE(has(error_of([&] { THDoubleTensor_readDates(seconds, table, 2); }), "out of range"));
  THCsvTable_free(table);

  const std::string damaged = with_bytes("b.csv", "day\n2026-11-23\n2026-02-29\n");
  table = THCsvTable_new(damaged.c_str(), nullptr);
  EXPECT_TRUE(has(error_of([&] { THDoubleTensor_readDates(seconds, table, 0); }),
                  "line 3, column 1 (day): '2026-02-29' is not a date"));
  EXPECT_EQ(seconds.numel(), 4) << "an error changes nothing";
  THCsvTable_free(table);
  THCsvOptions options;
  THCsvOptions_init(&options);
  options.invalid = 'n';
  table = THCsvTable_new(damaged.c_str(), &options);
  THDoubleTensor_readDates(seconds, table, 0);
  EXPECT_NE(seconds.data()[1], seconds.data()[1]);
  THCsvTable_free(table);
}

TEST_F(TensorFiles, TheNameOfASingleColumnIsReadBack) {
  for (const char* name : {"a;b", "a\tb", "\xef\xbb\xbfid", "a\"b"}) {
    const std::string file = with_bytes("a.csv", "old\n");
    Tensor<float> t({2, 1});
    THFloatTensor_fill(t, 3);
    THFloatTensor_saveCsv(t, file.c_str(), &name, 1);
    THCsvTable* table = THCsvTable_new(file.c_str(), nullptr);
    EXPECT_EQ(THCsvTable_columns(table), 1);
    EXPECT_STREQ(THCsvTable_name(table, 0), name);
    THCsvTable_free(table);
  }
}

TEST_F(TensorFiles, TheNumberOfNamesIsChecked) {
  const std::string file = with_bytes("a.csv", "old\n");
  Tensor<float> t({2, 3});
  const char* names[] = {"a", nullptr, "c"};
  auto save = [&](const char* const* list, int64_t count) {
    return error_of([&] { THFloatTensor_saveCsv(t, file.c_str(), list, count); });
  };
  EXPECT_TRUE(has(save(names, 1), "1 names for 3 columns"));
  EXPECT_TRUE(has(save(names, 3), "name 1 is NULL"));
  EXPECT_TRUE(has(save(names, -1), "bad argument #4"));
  EXPECT_TRUE(has(save(nullptr, 3), "bad argument #4"));
  EXPECT_EQ(bytes_of(file), "old\n");
}

TEST_F(TensorFiles, TablesAreReadWithOptions) {
  const std::string file = with_bytes("a.tsv", "of 2026\n1\t-99\n# a comment\n3'000\tx\n5\t6\n");
  THCsvOptions options;
  THCsvOptions_init(&options);
  options.comment = '#';
  options.thousands = '\'';
  options.skip = 1;
  options.rows = 2;
  options.header = 0;
  options.invalid = 'n';
  const char* missing[] = {"-99"};
  options.missing = missing;
  options.missingCount = 1;
  Tensor<float> t;
  THFloatTensor_loadCsv(t, file.c_str(), &options);
  ASSERT_EQ(t.size(0), 2);
  EXPECT_EQ(THFloatTensor_get2d(t, 1, 0), 3000);
  EXPECT_NE(THFloatTensor_get2d(t, 0, 1), THFloatTensor_get2d(t, 0, 1));
  options.invalid = 'x';
  EXPECT_TRUE(has(error_of([&] { THFloatTensor_loadCsv(t, file.c_str(), &options); }), "invalid"));
  options.invalid = 'e';
  options.decimal = '\t';
  EXPECT_TRUE(has(error_of([&] { THFloatTensor_loadCsv(t, file.c_str(), &options); }),
                  "decimal cannot be"));
  EXPECT_EQ(t.numel(), 4);
}

TEST_F(TensorFiles, TablesReportErrors) {
  Tensor<unsigned char> t{3};
  const std::string file = with_bytes("a.csv", "1,2\n3,256\n");
  EXPECT_TRUE(has(error_of([&] { THByteTensor_loadCsv(t, file.c_str(), nullptr); }),
                  file + ": line 2, column 2: '256' is out of the range of ByteTensor"));
  with_bytes("a.csv", "1,2\n3\n");
  EXPECT_TRUE(has(error_of([&] { THByteTensor_loadCsv(t, file.c_str(), nullptr); }),
                  file + ": line 2 has 1 fields, and 2 are expected"));
  with_bytes("a.csv", "");
  EXPECT_TRUE(has(error_of([&] { THCsvTable_new(file.c_str(), nullptr); }), "the file is empty"));
  EXPECT_EQ(t.numel(), 3);
  Tensor<unsigned char> cube{1, 1, 1};
  EXPECT_TRUE(has(error_of([&] { THByteTensor_saveCsv(cube, file.c_str(), nullptr, 0); }),
                  "1 or 2 dimensions"));
  EXPECT_EQ(bytes_of(file), "");
}

// ---- text ---------------------------------------------------------------------------------------

template <class T>
std::string text_of(const Tensor<T>& t, const THPrintOptions* options,
                    char* (*print)(typename Tensor<T>::Handle*, const THPrintOptions*)) {
  char* text = print(t, options);
  std::string copy(text);
  THFree(text);
  return copy;
}

TEST_F(TensorFiles, TextHasOptions) {
  Tensor<int64_t> t{30};
  THLongTensor_range(t, 9007199254740993, 9007199254740993 + 29, 1);
  THPrintOptions options;
  THPrintOptions_init(&options, 0);
  options.threshold = 10;
  options.edgeItems = 1;
  EXPECT_EQ(text_of(t, &options, THLongTensor_toString),
            " 9007199254740993\n ...\n 9007199254741022\n[torch.LongTensor of size 30]\n");
  THPrintOptions_init(&options, 0);
  options.lineWidth = 60;
  EXPECT_EQ(text_of(t, &options, THLongTensor_toString).substr(0, 58),
            " 1:  9007199254740993  9007199254740994  9007199254740995\n");
  THPrintOptions_init(&options, 1);
  EXPECT_EQ(text_of(t, &options, THLongTensor_toString).substr(0, 12), " 9.0072e+15\n");
  options.precision = 18;
  EXPECT_TRUE(has(error_of([&] { THLongTensor_toString(t, &options); }),
                  "the option precision must be from 0 to 17, got 18"));
}

TEST_F(TensorFiles, TextIsWrittenToStreams) {
  const std::string file = path("text");
  std::FILE* stream = std::fopen(file.c_str(), "w");
  Tensor<float> t{1, 2, 2};
  THFloatTensor_fill(t, 0.5f);
  THFloatTensor_print(t, stream);
  THFloatTensor_print(Tensor<float>(), stream);
  std::fclose(stream);
  EXPECT_EQ(bytes_of(file),
            "(1,.,.) = \n  0.5000  0.5000\n  0.5000  0.5000\n"
            "[torch.FloatTensor of size 1x2x2]\n"
            "[torch.FloatTensor with no dimension]\n");
  EXPECT_TRUE(has(error_of([&] { THFloatTensor_print(t, nullptr); }), "bad argument #2"));
}

TEST(TensorFile, AWriterThatFailedCannotBeUsed) {
  const std::string name = "/tmp/th_failed_writer_" + std::to_string(getpid()) + ".npy";
  tensor::Writer writer(name);
  tensor::Tensor<float> t{2};
  EXPECT_TRUE(has(error_of([&] { writer.commit(); }), "contains a tensor, got none"));
  EXPECT_TRUE(has(error_of([&] { writer.add("t", t); }), "use a new writer"));
  EXPECT_TRUE(has(error_of([&] { writer.commit(); }), "use a new writer"));
}

}  // namespace
