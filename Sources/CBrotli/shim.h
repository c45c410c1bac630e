// What is used of Brotli's decoder, looked up when it is used: libcurl brings the library with it, but its headers are
// in a package of their own that nobody needs to install for this.
#ifndef OPERATION_NETWORKING_CBROTLI_SHIM_H
#define OPERATION_NETWORKING_CBROTLI_SHIM_H

#include <dlfcn.h>
#include <stddef.h>

// BrotliDecoderResult of libbrotlidec.so.1.
enum { ON_BROTLI_ERROR = 0, ON_BROTLI_SUCCESS = 1, ON_BROTLI_NEEDS_INPUT = 2, ON_BROTLI_NEEDS_OUTPUT = 3 };

typedef struct on_brotli {
    void *(*create)(void *, void *, void *);
    int (*decompress)(void *, size_t *, const unsigned char **, size_t *, unsigned char **, size_t *);
    void (*destroy)(void *);
} on_brotli;

// Finds the functions. 0: there is no Brotli.
static inline int on_brotli_load(on_brotli *library) {
    void *handle = dlopen("libbrotlidec.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!handle) return 0;
    *(void **)&library->create = dlsym(handle, "BrotliDecoderCreateInstance");
    *(void **)&library->decompress = dlsym(handle, "BrotliDecoderDecompressStream");
    *(void **)&library->destroy = dlsym(handle, "BrotliDecoderDestroyInstance");
    return library->create && library->decompress && library->destroy;
}

// NULL: no memory.
static inline void *on_brotli_begin(on_brotli library) { return library.create(NULL, NULL, NULL); }

static inline int on_brotli_continue(on_brotli library, void *decoder, size_t *input_count, const unsigned char **input,
                                     size_t *output_count, unsigned char **output) {
    return library.decompress(decoder, input_count, input, output_count, output, NULL);
}

static inline void on_brotli_end(on_brotli library, void *decoder) { library.destroy(decoder); }

#endif
