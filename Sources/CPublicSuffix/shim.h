// What is used of libpsl, looked up when it is used: Debian's libcurl brings the library with it, and other builds of
// libcurl work without.
#ifndef OPERATION_NETWORKING_CPUBLICSUFFIX_SHIM_H
#define OPERATION_NETWORKING_CPUBLICSUFFIX_SHIM_H

#include <dlfcn.h>
#include <stddef.h>

typedef struct on_psl {
    // psl_ctx_t *, which is never freed.
    const void *list;
    int (*is_public_suffix)(const void *, const char *, int);
} on_psl;

// Whether the name is a public suffix, of a registry or of a private owner such as github.io. Names under no known suffix
// have their last label as suffix. For any thread.
static inline int on_psl_is_public_suffix(const on_psl *psl, const char *name) {
    enum { type_any = 3 };
    return psl->is_public_suffix(psl->list, name, type_any);
}

// Finds the newest list: that of the system (package publicsuffix), or the one inside libpsl. 0: there is none.
static inline int on_psl_load(on_psl *psl) {
    void *handle = dlopen("libpsl.so.5", RTLD_NOW | RTLD_LOCAL);
    if (!handle) return 0;
    const void *(*latest)(const char *);
    *(void **)&latest = dlsym(handle, "psl_latest");
    *(void **)&psl->is_public_suffix = dlsym(handle, "psl_is_public_suffix2");
    if (!latest || !psl->is_public_suffix) return 0;
    psl->list = latest(NULL);
    // A libpsl can be built without a list. It takes any last label for a suffix, but does not know this name.
    return psl->list && on_psl_is_public_suffix(psl, "co.uk");
}

#endif
