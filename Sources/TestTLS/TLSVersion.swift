// SPDX-License-Identifier: MIT

/// A version of TLS, with its number in records.
package enum TLSVersion: UInt16, Sendable {
    case v1_0 = 0x0301, v1_1, v1_2, v1_3
}
