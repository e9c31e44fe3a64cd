# Thin front door: every target is a command of the README. `make help` lists them.
.PHONY: demo gallery test quick mutants test-long threads build bench format check-format tidy coverage fuzz fresh install deb clean help
.DEFAULT_GOAL := help

BONDYN := build/release/bondyn
DEMO   := examples/titan4/titan4.bond
SOURCES = $(shell find src tests bench -name '*.[ch]')

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1	\2/p' Makefile | expand -t 22

gallery: build ## run all examples, a page with their pictures: build/gallery/index.html
	@tools/gallery.sh $(BONDYN) build/gallery

demo: ## install what is missing, build, run the main example, say where the plot is
	@tools/setup.sh build
	@$(MAKE) --no-print-directory build
	@$(BONDYN) run $(DEMO) --out build/demo
	@$(BONDYN) report $(DEMO) --quiet --out build/demo/titan4.html 2>/dev/null
	@echo "Open build/demo/titan4.html in a browser: the arm moves. The plots are beside it."

test: ## install what is missing, then all tests: release, sanitizers, fuzzers, format, lint
	@tools/setup.sh build test
	@tools/test.sh

quick: ## for work in progress: the release build and what of the suite is quick
	@tools/setup.sh build test
	@cmake --preset release -DBUILD_TESTING=ON >/dev/null
	@cmake --build build/release
	@tools/stage_order.sh
	@cd build/release && XDG_CACHE_HOME="$(CURDIR)/build/cache" ctest -j 2 -LE slow --output-on-failure --progress

mutants: ## how good the suite is: seeded changes of one token, killed or not (COUNT=200 SEED=1)
	@tools/setup.sh build test
	@tools/mutants.py $(or $(COUNT),200) $(or $(SEED),1)

test-long: ## what takes hours: generators with thousands of seeds, long runs
	@tools/setup.sh build test
	@cmake --preset release -DBUILD_TESTING=ON >/dev/null
	@cmake --build build/release
	@cd build/release && ctest -C long -L long --output-on-failure --verbose
	@$(MAKE) --no-print-directory tidy

threads: ## sixteen threads on one model under ThreadSanitizer
	@tools/setup.sh build test
	@cmake --preset threads >/dev/null
	@cmake --build build/threads --target threads_test
	@build/threads/tests/threads_test

build: ## build/release/bondyn
	@cmake --preset release -DBUILD_TESTING=OFF >/dev/null
	@cmake --build build/release --target bondyn

bench: ## time and memory of every stage; writes bench/results
	@tools/setup.sh build bench
	@cmake --preset release -DBUILD_TESTING=OFF >/dev/null
	@bench/run.sh

format: ## format all C files
	@tools/setup.sh test
	@clang-format -i $(SOURCES)

check-format:
	@clang-format --dry-run -Werror $(SOURCES)
	@! grep -n -A1 -E '^ *// --- [^-]*$$' $(SOURCES) | grep -E '[0-9]-// -{40,}$$' || \
	    { echo "a ruler is broken over two lines: shorten it to 100 columns"; false; }

tidy: ## clang-tidy over src
	@tools/setup.sh build test
	@cmake --preset debug -DBUILD_TESTING=ON >/dev/null
	@DEPTH=$(DEPTH) tools/tidy.sh

coverage: ## line coverage of src by the tests; fails below 85 %
	@tools/setup.sh build test
	@tools/coverage.sh

fuzz: ## fuzz every parser for a minute each
	@tools/setup.sh build test
	@tools/fuzz.sh 60

fresh: ## prove demo and test in a minimal Debian root (needs root)
	@tools/setup.sh fresh
	@tools/fresh.sh

install: ## install the program, the library, the man page (PREFIX=/usr/local)
	@tools/setup.sh build
	@cmake -G Ninja -S . -B build/install -DCMAKE_BUILD_TYPE=Release -DBUILD_TESTING=OFF \
	    -DCMAKE_INSTALL_PREFIX=$(or $(PREFIX),/usr/local) >/dev/null
	@cmake --build build/install --target install

deb: ## build/bondyn_VERSION_ARCHITECTURE.deb; installs with apt install ./FILE
	@tools/setup.sh build deb
	@cmake -G Ninja -S . -B build/deb -DCMAKE_BUILD_TYPE=Release -DBUILD_TESTING=OFF -DCMAKE_INSTALL_PREFIX=/usr >/dev/null
	@cmake --build build/deb
	@cd build/deb && cpack >cpack.log || { cat cpack.log; exit 1; }
	@mv build/deb/bondyn_*.deb build/ && ls build/bondyn_*.deb

clean: ## remove build/
	@rm -rf build
