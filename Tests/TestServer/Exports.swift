// SPDX-License-Identifier: MIT
// Whoever tests with this server makes certificates for it.
@_exported public import TestTLS
