#pragma once

#include <stdint.h>

/// How often this process has asked for memory. 0 for ever: a sanitizer has the allocator, and nothing is counted.
uint64_t allocation_count(void);

/// What this process has of the heap now, of all arenas and of mappings of their own.
uint64_t bytes_in_use(void);
