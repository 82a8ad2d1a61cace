# Calls the CMake presets. Everything is built below build/.

PREFIX ?= /usr/local
JOBS ?= $(shell nproc)
export JOBS
INSTALL = cmake -DBUILD=build/release -DPREFIX="$(CURDIR)/build/prefix" -P cmake/InstallAnew.cmake

.PHONY: all demo first repl test-deps test-all-deps test test-all asan-test tsan-test bench lint format install uninstall clean deps
.PHONY: prefix dist deb docs
.PHONY: release asan asan-tests tsan release-tests soft cuda mpi fuzz

all: release

deps:
	@scripts/install-deps
# For the tests of programs with several processes, and in nginx.
test-deps:
	@scripts/install-deps --mpi --nginx
test-all-deps:
	@scripts/install-deps --mpi --mpich --nginx

# The library and the Lua module. If the machine has a GPU, also the CUDA plugin.
release: deps
	@scripts/build release build/release -DTH_ISAS=all

# The same with less to build: kernels for this machine's CPU only, which other CPUs may not
# support. An existing build keeps its instruction sets.
first: deps
	@scripts/build release build/release \
		$(if $(wildcard build/release/CMakeCache.txt),,-DTH_ISAS=host)
	@$(INSTALL)

# The same with a plugin: the software device, CUDA, also without a GPU, or the MPI transport.
soft: deps
	@scripts/build release build/release -DTH_ISAS=all -DTH_SOFT=ON
	@$(INSTALL)
cuda: deps
	@scripts/build release build/release -DTH_ISAS=all -DTH_CUDA=ON
	@$(INSTALL)
mpi:
	@scripts/install-deps --mpi
	@scripts/build release build/release -DTH_ISAS=all -DTH_MPI=ON
	@$(INSTALL)

# With kernels for the instruction sets that this machine can test, unless there are all already.
# After `make`, warnings remain warnings: other flags would compile everything again.
release-tests: deps
	@scripts/build test build/release -DTH_LONG_TESTS=OFF \
		$(if $(shell grep -s '^TH_WERROR:.*=OFF' build/release/CMakeCache.txt),-DTH_WERROR=OFF) \
		$(if $(shell grep -s '^TH_ISAS:.*=all' build/release/CMakeCache.txt),,-DTH_ISAS=native)

# With fewer checks of pointers, without the C tests that only make test-all runs, and with code of
# the release build where sanitizers check nothing.
asan-tests: release-tests
	@scripts/build asan build/asan -DTH_LONG_TESTS=OFF -DTH_PLAIN_BUILD="$(CURDIR)/build/release"

asan: deps
	@scripts/build asan build/asan -DTH_LONG_TESTS=ON -DTH_PLAIN_BUILD=

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
test: test-deps release-tests asan-tests
	@scripts/run-tests build/release build/asan

test-all: test-all-deps deps asan tsan
	@scripts/build test build/release -DTH_ISAS=all -DTH_LONG_TESTS=ON
	@scripts/run-tests --all build/release build/asan build/tsan

asan-test: asan
	@scripts/run-tests build/asan

tsan-test: tsan
	@scripts/run-tests build/tsan

# Fuzzes the file readers with libFuzzer for FUZZ_SECONDS. Inputs that reach new code are kept.
FUZZ_SECONDS ?= 60
fuzz:
	@scripts/install-deps --tsan
	@scripts/build fuzz build/fuzz
	@mkdir -p build/fuzz/corpus
	build/fuzz/test/fuzz/fuzz_readers -max_total_time=$(FUZZ_SECONDS) build/fuzz/corpus test/data/blobs \
	  test/data/numpy test/data/pictures test/data/safetensors

# Compares with NumPy and PyTorch, or with another commit by COMPARE=commit. scripts/run-bench
# explains FILTER=text, QUICK=1 and the other options.
bench: deps
	@scripts/build release build/release -DTH_BUILD_BENCH=ON
	@cmake --build build/release --parallel $(JOBS) --target bench
	@$(INSTALL)
	@scripts/run-bench

lint: deps
	@scripts/lint

format: deps
	@scripts/format

# Installs no system packages, but lists those that are missing. DESTDIR precedes the prefix.
install:
	@scripts/install-deps --check
	@scripts/build release build/release -DTH_ISAS=all
	@cmake -DBUILD=build/release -DPREFIX="$(PREFIX)" -P cmake/Install.cmake

uninstall:
	@cmake -DUNINSTALL=1 -DPREFIX="$(PREFIX)" -P cmake/Uninstall.cmake

# An archive of the checked-out commit, and rockspecs. DIST_URL: the address of the archive.
dist:
	@scripts/make-dist build/dist $(DIST_URL)

# Debian packages. DEB_OPTIONS=-DTH_CUDA=ON adds a package with the CUDA plugin.
deb: deps
	@scripts/build release build/deb -DTH_ISAS=all -DTENSOR_DEBIAN=ON -DCMAKE_INSTALL_PREFIX=/usr \
		-DTH_CUDA_ARCHITECTURES=75-virtual $(DEB_OPTIONS)
	@scripts/make-debs build/deb

# The documentation as HTML, in build/docs. Some pages are generated from the installed library.
docs: first
	@scripts/install-deps --docs
	@scripts/make-docs build/docs build/prefix

clean:
	rm -rf build build.luarocks
