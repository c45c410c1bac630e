#pragma once

#include <stdint.h>

/// How often this process has asked for memory. 0 for ever: a sanitizer has the allocator, and nothing is counted.
uint64_t allocation_count(void);
