// The argument forms of the op table, as the Lua bindings read them.

#include <cstring>

#include <gtest/gtest.h>

#include "../../generic/forms.cc"

namespace {

using bind::Form;
using bind::Pattern;

Form parse(const char* text) { return bind::parse_form(text, text + std::strlen(text)); }

TEST(Forms, HaveSlots) {
  Form form = parse("[*T] T [x=2.5] +L <d=3> [b=true] {T}");
  ASSERT_EQ(form.slots.size(), 7u);
  EXPECT_TRUE(form.slots[0].result && form.slots[0].optional);
  EXPECT_FALSE(form.slots[1].result || form.slots[1].optional);
  EXPECT_EQ(form.slots[2].value, 2.5);
  EXPECT_TRUE(form.slots[3].fresh);
  EXPECT_TRUE(form.slots[4].fixed);
  EXPECT_EQ(form.slots[4].value, 3);
  EXPECT_EQ(form.slots[5].value, 1);
  EXPECT_EQ(form.slots[6].kind, '{');
}

TEST(Forms, HaveOptionLetters) {
  Form form = parse("[*T] T o(UL) [o(NVS)=V]");
  ASSERT_EQ(form.slots.size(), 4u);
  EXPECT_EQ(form.slots[2].kind, 'o');
  EXPECT_EQ(form.slots[2].words, (std::vector<std::string>{"U", "L"}));
  EXPECT_TRUE(form.slots[2].accepts("Upper"));
  EXPECT_FALSE(form.slots[2].accepts("N"));
  EXPECT_FALSE(form.slots[2].optional);
  EXPECT_EQ(form.slots[3].words.size(), 3u);
  EXPECT_TRUE(form.slots[3].optional);
  EXPECT_EQ(form.slots[3].value, 'V');
  EXPECT_EQ(form.text("FloatTensor"), "[*FloatTensor*] FloatTensor 'U' or 'L' ['N' or 'V' or 'S']");
}

TEST(Forms, HaveOptionWords) {
  Form form = parse("T [o(mean_sum)=mean]");
  EXPECT_EQ(form.slots[1].value, 'm');
  EXPECT_EQ(form.text("FloatTensor"), "FloatTensor ['mean' or 'sum']");
  for (const char* word : {"mean", "m", "sum", "s"}) EXPECT_TRUE(form.slots[1].accepts(word));
  for (const char* word : {"", "max", "su", "means"}) EXPECT_FALSE(form.slots[1].accepts(word));
}

TEST(Forms, MatchCallsWithNilForDefaultValues) {
  Form form = parse("[*T] T [l=0] [i=-1] [T=null]");
  std::vector<Pattern> patterns;
  bind::add_patterns(&form, nullptr, &patterns);
  auto matches = [&](uint64_t codes, int count) {
    int found = 0;
    for (const Pattern& pattern : patterns) found += pattern.matches_with_nil(codes, count);
    return found;
  };
  using namespace bind;
  EXPECT_EQ(matches(kTensor | kNil << 4 | kNumber << 8, 3), 1);
  EXPECT_EQ(matches(kTensor | kTensor << 4 | kNil << 8 | kNumber << 12, 4), 1);
  EXPECT_EQ(matches(kNil | kNumber << 4, 2), 0);
}

TEST(Forms, MatchCallsWithOptionLetters) {
  Form form = parse("[*T] T o(UL) [o(NV)=V]");
  std::vector<Pattern> patterns;
  bind::add_patterns(&form, nullptr, &patterns);
  ASSERT_EQ(patterns.size(), 4u);
  auto matches = [&](std::initializer_list<bind::ArgCode> arguments) {
    uint64_t codes = 0;
    int count = 0;
    for (bind::ArgCode code : arguments) codes |= code << (4 * count++);
    int found = 0;
    for (const Pattern& pattern : patterns) found += pattern.matches(codes, count);
    return found;
  };
  EXPECT_EQ(matches({bind::kTensor, bind::kString}), 1);
  EXPECT_EQ(matches({bind::kTensor, bind::kTensor, bind::kString, bind::kString}), 1);
  EXPECT_EQ(matches({bind::kTensor}), 0);
  EXPECT_EQ(matches({bind::kTensor, bind::kNumber}), 0);
}

}  // namespace
