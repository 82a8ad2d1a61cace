// Strokes of lua/extras/plot/canvas.lua: antialiased line segments on a picture.

#include <algorithm>
#include <cmath>
#include <vector>

#include "bindings.h"

namespace bind {

namespace {

struct Segment {
  double x1, y1, x2, y2;
};

// A rectangle of pixels and, for each, the fraction that strokes cover. All segments are combined
// before they are painted, so that joints are not painted twice.
class Coverage {
 public:
  Coverage(int64_t width, int64_t height, const Segment* segments, int64_t count, double thickness)
      : reach_(thickness / 2 + 0.5) {
    double left = 1e300, right = -1e300, top = 1e300, bottom = -1e300;
    for (int64_t k = 0; k < count; ++k) {
      const Segment& s = segments[k];
      left = std::min({left, s.x1, s.x2});
      right = std::max({right, s.x1, s.x2});
      top = std::min({top, s.y1, s.y2});
      bottom = std::max({bottom, s.y1, s.y2});
    }
    x_ = first(left, width);
    y_ = first(top, height);
    width_ = std::max<int64_t>(end(right, width) - x_, 0);
    height_ = std::max<int64_t>(end(bottom, height) - y_, 0);
    values_.resize(static_cast<size_t>(width_ * height_));
    for (int64_t k = 0; k < count; ++k) add(segments[k]);
  }

  // Mixes a color into the plane of one channel.
  void paint(unsigned char* plane, int64_t row_length, float color) const {
    for (int64_t i = 0; i < height_; ++i) {
      const float* covered = values_.data() + i * width_;
      unsigned char* row = plane + (y_ + i) * row_length + x_;
      for (int64_t j = 0; j < width_; ++j) {
        const float old = row[j];
        row[j] = static_cast<unsigned char>(old + covered[j] * (color - old) + 0.5F);
      }
    }
  }

 private:
  // Positions count from 0, at the center of a pixel.
  int64_t first(double low, int64_t size) const {
    return static_cast<int64_t>(
        std::clamp(std::ceil(low - reach_), 0.0, static_cast<double>(size)));
  }
  int64_t end(double high, int64_t size) const {
    return static_cast<int64_t>(
        std::clamp(std::floor(high + reach_) + 1, 0.0, static_cast<double>(size)));
  }

  void add(const Segment& s) {
    const double dx = s.x2 - s.x1, dy = s.y2 - s.y1;
    const double square = std::max(dx * dx + dy * dy, 1e-9);
    const int64_t bottom = std::min(end(std::max(s.y1, s.y2), y_ + height_), y_ + height_);
    for (int64_t y = std::max(first(std::min(s.y1, s.y2), y_ + height_), y_); y < bottom; ++y) {
      // The part of the segment that is near this row, as fractions of its length.
      double from = 0, to = 1;
      if (std::fabs(dy) > 1e-9) {
        const double a = (static_cast<double>(y) - reach_ - s.y1) / dy;
        const double b = (static_cast<double>(y) + reach_ - s.y1) / dy;
        from = std::clamp(std::min(a, b), 0.0, 1.0);
        to = std::clamp(std::max(a, b), 0.0, 1.0);
      }
      const double x1 = s.x1 + from * dx, x2 = s.x1 + to * dx;
      const int64_t last = std::min(end(std::max(x1, x2), x_ + width_), x_ + width_);
      float* row = values_.data() + (y - y_) * width_ - x_;
      const double down = static_cast<double>(y) - s.y1;
      for (int64_t x = std::max(first(std::min(x1, x2), x_ + width_), x_); x < last; ++x) {
        const double across = static_cast<double>(x) - s.x1;
        // The fraction of the segment's length at the point nearest to the pixel.
        const double at = std::clamp((across * dx + down * dy) / square, 0.0, 1.0);
        const double a = across - at * dx, b = down - at * dy;
        const double covered = std::clamp(reach_ - std::sqrt(a * a + b * b), 0.0, 1.0);
        row[x] = std::max(row[x], static_cast<float>(covered));
      }
    }
  }

  double reach_;  // the distance from which on a pixel is not covered
  int64_t x_ = 0, y_ = 0, width_ = 0, height_ = 0;
  std::vector<float> values_;
};

// _strokes(pixels, segments, thickness, red, green, blue): draws segments on a picture. pixels: a
// contiguous ByteTensor of 3 x H x W. segments: a contiguous DoubleTensor of n x 4, of two points
// {x, y}, which count from 1 at the center of the top left pixel.
int strokes(lua_State* L) {
  State* state = state_of(L);
  Tensor* pixels = check_tensor(L, state, 1);
  Tensor* segments = check_tensor(L, state, 2);
  const double thickness = luaL_checknumber(L, 3);
  const double color[] = {luaL_checknumber(L, 4), luaL_checknumber(L, 5), luaL_checknumber(L, 6)};
  const bool fits = pixels->dtype == th::DType::Byte && pixels->nDimension == 3 &&
                    pixels->size[0] == 3 && th::is_contiguous(*pixels) && pixels->numel() > 0;
  if (!fits) return luaL_argerror(L, 1, "a contiguous ByteTensor of 3 x H x W is expected");
  const bool are_segments = segments->dtype == th::DType::Double && segments->nDimension == 2 &&
                            segments->size[1] == 4 && th::is_contiguous(*segments);
  if (!are_segments) return luaL_argerror(L, 2, "a contiguous DoubleTensor of n x 4 is expected");
  if (!(thickness > 0 && thickness < 1e6)) return luaL_argerror(L, 3, "a thickness is expected");
  for (double channel : color) {
    if (!(channel >= 0 && channel <= 255)) {
      return luaL_argerror(L, 4, "a color from 0 to 255 is expected");
    }
  }
  if (segments->numel() == 0) return 0;
  protect(L, "plot", [&] {
    const int64_t height = pixels->size[1], width = pixels->size[2], count = segments->size[0];
    const auto* points = reinterpret_cast<const double*>(segments->data(th::Access::read));
    std::vector<Segment> list;
    for (int64_t k = 0; k < count; ++k) {
      const double* p = points + 4 * k;
      if (!std::isfinite(p[0] + p[1] + p[2] + p[3])) continue;
      list.push_back({p[0] - 1, p[1] - 1, p[2] - 1, p[3] - 1});
    }
    const Coverage coverage(width, height, list.data(), static_cast<int64_t>(list.size()),
                            thickness);
    auto* plane = reinterpret_cast<unsigned char*>(pixels->data(th::Access::write));
    for (double channel : color) {
      coverage.paint(plane, width, static_cast<float>(channel));
      plane += width * height;
    }
  });
  return 0;
}

const Method functions[] = {{"_strokes", guarded<strokes>}};

}  // namespace

void register_drawing_functions(lua_State* L, int module) { set_functions(L, functions, module); }

}  // namespace bind
