# SPDX-License-Identifier: GPL-2.0-only
# Compilers and their flags: for this machine or another (CROSS), with or without a sanitizer (SAN).

ARCH_x86_64  := x86
ARCH_aarch64 := arm64
BPF_ARCH  := $(ARCH_$(MACHINE))
ifeq ($(BPF_ARCH),)
$(error $(MACHINE) is not supported: x86_64 and aarch64 are)
endif

# SYSROOT has the headers and libraries for a cross build. Default: the tree that scripts/vm/fetch-system
# downloads (`make cross` calls it), else the multiarch directories of this machine.
ifneq ($(CROSS),)
CC         := $(CROSS)gcc
AR         := $(CROSS)ar
DEBIAN_x86_64  := amd64
DEBIAN_aarch64 := arm64
KERNELS    := $(or $(NETIOTRACE_KERNELS),$(or $(XDG_CACHE_HOME),$(HOME)/.cache)/netiotrace/kernels)
SYSROOT    ?= $(wildcard $(KERNELS)/system-$(DEBIAN_$(MACHINE))/root)
CC         += $(if $(SYSROOT),--sysroot=$(SYSROOT))
PKG_CONFIG := env PKG_CONFIG_SYSROOT_DIR=$(SYSROOT) \
              PKG_CONFIG_LIBDIR=$(SYSROOT)/usr/lib/$(MACHINE)-linux-gnu/pkgconfig $(PKG_CONFIG)
else ifeq ($(SAN),fuzz)
CC         := $(CLANG)
else
CC         ?= gcc
endif

WARNINGS  := -Wall -Wextra -Wshadow -Wformat=2 -Wstrict-prototypes -Wmissing-prototypes \
             -Wmissing-declarations -Wpointer-arith -Wwrite-strings -Wundef -Wvla \
             $(if $(SAN),,-Wframe-larger-than=34816)
CPPFLAGS  += -D_GNU_SOURCE -DNETIOTRACE_VERSION='"$(VERSION)"'
# Sanitizers find the same faults at -O1, and their reports need lines only: each saves a quarter of the time.
CFLAGS    ?= $(if $(filter address thread,$(SAN)),-O1 -g1,-O2 -g)
# Makes the build reproducible in any directory. The last matching option wins.
PREFIX_MAP := -ffile-prefix-map='$(CURDIR)=.' -ffile-prefix-map='$(abspath $(O))=build'
ALL_CFLAGS = -std=c11 $(WARNINGS) $(CFLAGS) $(PREFIX_MAP) -fno-strict-aliasing -pthread -MMD -MP
LDFLAGS   += -pthread
# Tests have whole results on their stacks.
$(O)/tests/%.o: WARNINGS += -Wno-frame-larger-than
SAN_FLAGS_address := -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer
# NULL + 0 (a loop over an empty list) is defined since C2y (N3322), but clang reports it.
SAN_FLAGS_fuzz    := -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize=pointer-overflow \
                     -fno-sanitize-recover=undefined -fno-omit-frame-pointer
SAN_FLAGS_thread  := -fsanitize=thread -fno-omit-frame-pointer
ALL_CFLAGS += $(SAN_FLAGS_$(SAN))
LDFLAGS    += $(SAN_FLAGS_$(SAN))

# follow decodes x86-64 with Zydis and reads debug information with libdw, if both are installed. Zydis
# has no static archive in Debian.
FOLLOW    := $(if $(STATIC)$(CROSS)$(filter-out x86_64,$(MACHINE)),,$(shell printf \
             '#include <Zydis/Zydis.h>\n#include <elfutils/libdwfl.h>\n' | \
             $(CC) -x c -fsyntax-only - 2>/dev/null && echo 1))
FOLLOW_LIBS := $(if $(FOLLOW),-lZydis -ldw)
LIBS      := libbpf jansson ncursesw libcap-ng libnl-3.0 libmicrohttpd libseccomp nettle zlib
LIB_LIBS   = $(shell $(PKG_CONFIG) --libs $(LIBS)) $(FOLLOW_LIBS) -lelf -lz
# STATIC=1 (`make static`): programs without shared libraries.
ifneq ($(STATIC),)
LDFLAGS   += -static -s
# GnuTLS has no static library: see static/no_tls.c.
NO_TLS     = $(call obj,static/no_tls.c) $(shell nm -u "$$($(CC) -print-file-name=libmicrohttpd.a)" 2>/dev/null | \
             sed -n '/gnutls_global_/d; s/.* U \(gnutls_.*\)/-Wl,--defsym=\1=0/p' | sort -u)
LIB_LIBS   = $(filter-out -lgnutls -lgmp -lunistring -latomic -lhogweed -ltasn1 -lidn2 -lp11-kit,\
             $(shell $(PKG_CONFIG) --static --libs $(LIBS))) $(NO_TLS) -lelf -lz
endif
LIB_CFLAGS = $(shell $(PKG_CONFIG) --cflags $(LIBS) | sed 's/-D_[A-Z_]*_SOURCE=*[0-9]*//g; s/-D_DEFAULT_SOURCE//g')
