// What OperationNetworkingImages calls of gdk-pixbuf and GLib. Declared here rather than by their headers, whose folders
// only pkg-config knows: with it, every build of every package that depends on this one would warn of a flag that the
// package manager does not take, or of a library that is missing and that hardly anybody needs. Scripts/test compares
// these declarations with the real ones.
#ifndef OPERATION_NETWORKING_CGDKPIXBUF_SHIM_H
#define OPERATION_NETWORKING_CGDKPIXBUF_SHIM_H

#include <stddef.h>
#include <stdint.h>

// The real headers were included before, to be compared with what follows.
#ifndef __G_LIB_H__
typedef struct _GError GError;
struct _GError {
    uint32_t domain;
    int code;
    char *message;
};
typedef void (*GCallback)(void);
typedef struct _GClosure GClosure;
typedef void (*GClosureNotify)(void *data, GClosure *closure);
typedef enum { G_CONNECT_DEFAULT = 0 } GConnectFlags;

typedef struct _GdkPixbuf GdkPixbuf;
typedef struct _GdkPixbufLoader GdkPixbufLoader;
typedef void (*GdkPixbufDestroyNotify)(unsigned char *pixels, void *data);
typedef enum { GDK_COLORSPACE_RGB = 0 } GdkColorspace;
enum { GDK_PIXBUF_ERROR_UNKNOWN_TYPE = 3 };
#else
_Static_assert(GDK_COLORSPACE_RGB == 0 && GDK_PIXBUF_ERROR_UNKNOWN_TYPE == 3, "numbers are as declared");
_Static_assert(sizeof(GError) == 16 && offsetof(GError, message) == 8, "GError is as declared");
#endif

// MARK: GLib

void g_error_free(GError *error);
void g_clear_error(GError **error);
int g_error_matches(const GError *error, uint32_t domain, int code);
void *(g_object_ref)(void *object);
void g_object_unref(void *object);
char *(g_strdup)(const char *string);
void(g_free)(void *memory);

unsigned long g_signal_connect_data(
    void *instance, const char *signal, GCallback handler, void *data, GClosureNotify destroy, GConnectFlags flags);

// MARK: gdk-pixbuf

uint32_t gdk_pixbuf_error_quark(void);

GdkPixbufLoader *gdk_pixbuf_loader_new_with_type(const char *type, GError **error);
void gdk_pixbuf_loader_set_size(GdkPixbufLoader *loader, int width, int height);
int gdk_pixbuf_loader_write(GdkPixbufLoader *loader, const unsigned char *bytes, size_t count, GError **error);
int gdk_pixbuf_loader_close(GdkPixbufLoader *loader, GError **error);
GdkPixbuf *gdk_pixbuf_loader_get_pixbuf(GdkPixbufLoader *loader);

GdkPixbuf *gdk_pixbuf_new_from_data(
    const unsigned char *data, GdkColorspace colorspace, int has_alpha, int bits_per_sample, int width, int height,
    int rowstride, GdkPixbufDestroyNotify destroy, void *destroy_data);
GdkPixbuf *gdk_pixbuf_apply_embedded_orientation(GdkPixbuf *pixbuf);
int gdk_pixbuf_get_width(const GdkPixbuf *pixbuf);
int gdk_pixbuf_get_height(const GdkPixbuf *pixbuf);
int gdk_pixbuf_get_n_channels(const GdkPixbuf *pixbuf);
int gdk_pixbuf_get_rowstride(const GdkPixbuf *pixbuf);
const uint8_t *gdk_pixbuf_read_pixels(const GdkPixbuf *pixbuf);
int gdk_pixbuf_save_to_bufferv(
    GdkPixbuf *pixbuf, char **buffer, size_t *size, const char *type, char **option_keys, char **option_values,
    GError **error);

// MARK: What Swift does not import: macros, and a signal's handler, whose type GObject does not know

typedef void (*on_pixbuf_size_handler)(GdkPixbufLoader *loader, int width, int height, void *context);

// Calls `handler` when the loader has read the header of the image.
static inline void on_pixbuf_when_size_is_known(GdkPixbufLoader *loader, on_pixbuf_size_handler handler, void *context) {
    g_signal_connect_data(loader, "size-prepared", (GCallback)handler, context, NULL, (GConnectFlags)0);
}

// Whether an error says that there is no loader for the format.
static inline int on_pixbuf_is_unknown_type(const GError *error) {
    return g_error_matches(error, gdk_pixbuf_error_quark(), GDK_PIXBUF_ERROR_UNKNOWN_TYPE);
}

#endif
