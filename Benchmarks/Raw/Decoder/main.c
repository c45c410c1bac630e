/* What the image decoder takes by itself: the bytes of a file into RGBA pixels, again and again.
 *
 *   RawDecoder FILE COUNT
 *
 * Prints one line of JSON with the seconds for one. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "../../../Sources/CGdkPixbuf/shim.h"

static void fail(const char *what) {
    fprintf(stderr, "RawDecoder: %s\n", what);
    exit(1);
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void decode(const unsigned char *bytes, size_t count) {
    GError *error = NULL;
    GdkPixbufLoader *loader = gdk_pixbuf_loader_new_with_type("png", &error);
    if (!loader) fail("no loader for PNG");
    if (!gdk_pixbuf_loader_write(loader, bytes, count, &error)) fail(error->message);
    if (!gdk_pixbuf_loader_close(loader, &error)) fail(error->message);
    if (!gdk_pixbuf_loader_get_pixbuf(loader)) fail("no image");
    g_object_unref(loader);
}

int main(int count, char **arguments) {
    if (count != 3) fail("usage: RawDecoder FILE COUNT");
    FILE *file = fopen(arguments[1], "rb");
    if (!file) fail("the file cannot be opened");
    static unsigned char bytes[1 << 24];
    size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    long rounds = atol(arguments[2]);
    if (size == 0 || rounds < 1) fail("nothing to decode");
    decode(bytes, size);
    double start = now();
    for (long round = 0; round < rounds; round++) decode(bytes, size);
    printf("{\"seconds\": %.9f}\n", (now() - start) / (double)rounds);
    return 0;
}
