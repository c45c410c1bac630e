// SPDX-License-Identifier: MIT
internal import Glibc

/// Owns a descriptor by which the kernel tells that memory is short (pressure stall information, PSI).
final class PressureTrigger: Sendable {
    let descriptor: Int32

    /// A trigger that fires, once in two seconds at most, when tasks have waited for memory for 0.2 of these. Without
    /// privileges the kernel takes only such windows.
    ///
    /// Nil: this kernel has none (before 4.20, or built or started without), or does not let us.
    static func system() -> PressureTrigger? {
        let descriptor = open("/proc/pressure/memory", O_RDWR | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        let trigger = PressureTrigger(takingOwnership: descriptor)
        // With the zero at its end.
        let wanted = Array("some 200000 2000000".utf8CString)
        let count = wanted.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
        return count == wanted.count ? trigger : nil
    }

    init(takingOwnership descriptor: Int32) {
        self.descriptor = descriptor
    }

    deinit { _ = close(descriptor) }
}
