// What the C library's allocator tells about itself, which Swift's Glibc leaves out.
#include <malloc.h>
