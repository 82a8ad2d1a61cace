# A thin front over the CMake presets. Everything is built below build/.

PREFIX ?= /usr/local
JOBS ?= $(shell nproc)
export JOBS

CMAKE_CONFIGURE = cmake --preset
CMAKE_BUILD = cmake --build --parallel $(JOBS) --preset

.PHONY: all demo repl test asan-test tsan-test bench lint format install clean deps prefix
.PHONY: release asan tsan

all: release

deps:
	@scripts/install-deps

release asan: deps
	$(CMAKE_CONFIGURE) $@
	$(CMAKE_BUILD) $@

tsan:
	@scripts/install-deps --tsan
	$(CMAKE_CONFIGURE) $@
	$(CMAKE_BUILD) $@

prefix: release
	@cmake --install build/release >build/release/install.log

demo: prefix
	build/prefix/bin/tensor examples/digits.lua

repl: prefix
	@build/prefix/bin/tensor

# The last line is "N passed, N failed".
test: release asan
	@scripts/run-tests build/release build/asan

asan-test: asan
	@scripts/run-tests build/asan

tsan-test: tsan
	@scripts/run-tests build/tsan

bench: deps
	$(CMAKE_CONFIGURE) release -DTH_BUILD_BENCH=ON
	$(CMAKE_BUILD) release
	$(CMAKE_BUILD) release --target bench
	@cmake --install build/release >build/release/install.log
	@scripts/run-bench

lint: deps
	@scripts/lint

format: deps
	@scripts/format

install: release
	cmake --install build/release --prefix "$(PREFIX)"

clean:
	rm -rf build build.luarocks
