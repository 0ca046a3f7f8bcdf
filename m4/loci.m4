dnl What this project asks of a compiler, and the flag sets of its three builds.

dnl LOCI_REQUIRE_C2X: stop with a remedy when the compiler cannot do what src/base/err.h relies on.
AC_DEFUN([LOCI_REQUIRE_C2X], [
    AC_MSG_CHECKING([whether $CC knows gnu2x])
    loci_saved_cflags=$CFLAGS
    CFLAGS="$CFLAGS -std=gnu2x -Werror"
    AC_COMPILE_IFELSE([AC_LANG_PROGRAM([[enum [[nodiscard]] e { A };]], [[return A;]])],
        [AC_MSG_RESULT([yes])],
        [AC_MSG_RESULT([no])
         AC_MSG_ERROR([this compiler is too old: use gcc 12 or clang 14, or newer (CC=gcc-12 ./configure)])])
    CFLAGS=$loci_saved_cflags
])

dnl The build that is shipped: hardened, position independent.
AC_DEFUN([LOCI_FLAGS_PLAIN], [
    LOCI_CODEGEN="-fvisibility=hidden -fPIE -fstack-protector-strong"
    LOCI_LINK="-pie -Wl,--as-needed -Wl,-z,relro -Wl,-z,now"
    LOCI_DEFINES=
    dnl Fortify needs an optimising build; with -O0 it is only a warning.
    AS_CASE([" $CFLAGS "], [*" -O0 "*], [], [*" -O"*], [LOCI_DEFINES="-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2"])
])

dnl A finding ends the program, so that no test can pass over it.
AC_DEFUN([LOCI_FLAGS_SANITIZERS], [
    LOCI_CODEGEN="-fvisibility=hidden -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all"
    LOCI_LINK="-fsanitize=address,undefined"
    LOCI_DEFINES=-DLOCI_SANITIZED=1
])

dnl Every library is instrumented too (fuzzer-no-link), else the fuzzer sees three edges.
AC_DEFUN([LOCI_FLAGS_FUZZ], [
    AC_MSG_CHECKING([whether $CC has libFuzzer])
    loci_saved_cflags=$CFLAGS
    CFLAGS="$CFLAGS -fsanitize=fuzzer"
    AC_LINK_IFELSE([AC_LANG_SOURCE([[
        #include <stddef.h>
        #include <stdint.h>
        int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) { return data && size ? 0 : 0; }]])],
        [AC_MSG_RESULT([yes])],
        [AC_MSG_RESULT([no])
         AC_MSG_ERROR([--enable-fuzz needs clang with its runtime: install clang-14 libclang-rt-14-dev, CC=clang-14])])
    CFLAGS=$loci_saved_cflags
    LOCI_CODEGEN="-fvisibility=hidden -fno-omit-frame-pointer -fno-sanitize-recover=all"
    LOCI_CODEGEN="$LOCI_CODEGEN -fsanitize=fuzzer-no-link,address,undefined"
    LOCI_LINK="-fsanitize=address,undefined"
    LOCI_FUZZ_LINK=-fsanitize=fuzzer
    LOCI_DEFINES="-DLOCI_SANITIZED=1 -DLOCI_FUZZ=1"
])
