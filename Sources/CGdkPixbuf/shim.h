// gdk-pixbuf, and what Swift does not import of it: macros, and a signal's handler, whose type GObject does not know.
#ifndef OPERATION_NETWORKING_CGDKPIXBUF_SHIM_H
#define OPERATION_NETWORKING_CGDKPIXBUF_SHIM_H

#include <gdk-pixbuf/gdk-pixbuf.h>

typedef void (*on_pixbuf_size_handler)(GdkPixbufLoader *loader, int width, int height, void *context);

// Calls `handler` when the loader has read the header of the image.
static inline void on_pixbuf_when_size_is_known(GdkPixbufLoader *loader, on_pixbuf_size_handler handler, void *context) {
    g_signal_connect_data(loader, "size-prepared", G_CALLBACK(handler), context, NULL, (GConnectFlags)0);
}

// Whether an error says that there is no loader for the format.
static inline int on_pixbuf_is_unknown_type(const GError *error) {
    return g_error_matches(error, GDK_PIXBUF_ERROR, GDK_PIXBUF_ERROR_UNKNOWN_TYPE);
}

#endif
