// Runs the tests of one source: test_core [name of a *_test.cc without its ending] [options of
// GoogleTest]. Without a name, those of all.

#include <gtest/gtest.h>

#include <cstdio>
#include <string>

namespace {

// The tests that `name`.cc defines, as a filter of GoogleTest; empty: none.
std::string tests_of(const std::string& name) {
  const std::string ending = "/" + name + ".cc";
  std::string filter;
  const testing::UnitTest& all = *testing::UnitTest::GetInstance();
  for (int s = 0; s < all.total_test_suite_count(); s++) {
    const testing::TestSuite& suite = *all.GetTestSuite(s);
    for (int t = 0; t < suite.total_test_count(); t++) {
      const testing::TestInfo& test = *suite.GetTestInfo(t);
      const std::string file = std::string("/") + test.file();
      if (file.size() >= ending.size() &&
          file.compare(file.size() - ending.size(), ending.size(), ending) == 0) {
        filter += std::string(suite.name()) + "." + test.name() + ":";
      }
    }
  }
  return filter;
}

}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  if (argc > 1) {
    const std::string filter = tests_of(argv[1]);
    if (filter.empty()) {
      std::fprintf(stderr, "%s: no tests of %s.cc\n", argv[0], argv[1]);
      return 2;
    }
    if (testing::GTEST_FLAG(filter) == "*") testing::GTEST_FLAG(filter) = filter;
  }
  return RUN_ALL_TESTS();
}
