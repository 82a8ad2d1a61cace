# A thin front over the CMake presets. Everything is built below build/.

PREFIX ?= /usr/local
JOBS ?= $(shell nproc)
export JOBS
INSTALL = cmake -DBUILD=build/release -DPREFIX="$(CURDIR)/build/prefix" -P cmake/InstallAnew.cmake

.PHONY: all demo first repl test test-all asan-test tsan-test bench lint format install uninstall clean deps
.PHONY: prefix dist deb docs
.PHONY: release asan tsan release-tests soft cuda fuzz

all: release

deps:
	@scripts/install-deps

# The library and the Lua module, and a plugin for GPUs where there is one.
release: deps
	@scripts/build release build/release -DTH_ISAS=all

# The same for the first look: as soon as can be, with kernels for this machine's CPU only, unless
# there is more already.
first: deps
	@scripts/build release build/release \
		$(if $(wildcard build/release/CMakeCache.txt),,-DTH_ISAS=host)
	@$(INSTALL)

# Also the plugins that are built on request: the software device, and CUDA's whatever is here.
soft: deps
	@scripts/build release build/release -DTH_ISAS=all -DTH_SOFT=ON
	@$(INSTALL)
cuda: deps
	@scripts/build release build/release -DTH_ISAS=all -DTH_CUDA=ON
	@$(INSTALL)

release-tests: deps
	@scripts/build test build/release

asan: deps
	@scripts/build asan build/asan

tsan:
	@scripts/install-deps --tsan
	@scripts/build tsan build/tsan

prefix: release
	@$(INSTALL)

demo: first
	build/prefix/bin/tensor examples/digits.lua

repl: first
	@build/prefix/bin/tensor

# The last line is "N passed, N failed".
test: release-tests asan
	@scripts/run-tests build/release build/asan

test-all: release-tests asan tsan
	@scripts/run-tests --all build/release build/asan build/tsan

asan-test: asan
	@scripts/run-tests build/asan

tsan-test: tsan
	@scripts/run-tests build/tsan

# The readers of bytes under libFuzzer, for FUZZ_SECONDS; what it found interesting is kept.
FUZZ_SECONDS ?= 60
fuzz:
	@scripts/install-deps --tsan
	@scripts/build fuzz build/fuzz
	@mkdir -p build/fuzz/corpus
	build/fuzz/test/fuzz/fuzz_readers -max_total_time=$(FUZZ_SECONDS) build/fuzz/corpus test/data/blobs \
	  test/data/numpy test/data/pictures

# Beside NumPy and PyTorch, or with COMPARE=commit; FILTER=text, QUICK=1: scripts/run-bench says it.
bench: deps
	@scripts/build release build/release -DTH_BUILD_BENCH=ON
	@cmake --build build/release --parallel $(JOBS) --target bench
	@$(INSTALL)
	@scripts/run-bench

lint: deps
	@scripts/lint

format: deps
	@scripts/format

# Installs no packages of the system: it says which it misses. With DESTDIR, below that.
install:
	@scripts/install-deps --check
	@scripts/build release build/release -DTH_ISAS=all
	@cmake -DBUILD=build/release -DPREFIX="$(abspath $(PREFIX))" -P cmake/Install.cmake

uninstall:
	@cmake -DUNINSTALL=1 -DPREFIX="$(abspath $(PREFIX))" -P cmake/Uninstall.cmake

# The sources of the commit that is checked out, with rockspecs: DIST_URL is where they will be found.
dist:
	@scripts/make-dist build/dist $(DIST_URL)

# Debian packages; DEB_OPTIONS=-DTH_CUDA=ON, also of the CUDA plugin.
deb: deps
	@scripts/build release build/deb -DTH_ISAS=all -DTENSOR_DEBIAN=ON -DCMAKE_INSTALL_PREFIX=/usr \
		$(DEB_OPTIONS)
	@scripts/make-debs build/deb

# The documentation as HTML, in build/docs. Some pages are generated from the installed library.
docs: first
	@scripts/install-deps --docs
	@scripts/make-docs build/docs build/prefix

clean:
	rm -rf build build.luarocks
