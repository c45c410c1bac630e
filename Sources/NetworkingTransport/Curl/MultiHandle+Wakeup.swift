// SPDX-License-Identifier: MIT
internal import CCurl
internal import Glibc

/// The descriptors that a multi handle makes for itself.
extension MultiHandle {
    /// The number that the next descriptor gets, most likely. -1: none can be made.
    static func nextDescriptor() -> Int32 {
        let descriptor = eventfd(0, Int32(EFD_CLOEXEC))
        if descriptor >= 0 { _ = close(descriptor) }
        return descriptor
    }

    /// Sees to it that programs which this process runs do not inherit the pair of sockets that `curl_multi_wakeup` writes
    /// to: libcurl 7.88 makes it without FD_CLOEXEC and does not say what it is. So it is found by what it does.
    ///
    /// - Parameter first: The lowest number it can have.
    func keepWakeupPairPrivate(from first: Int32) {
        guard first >= 0 else { return }
        let candidates = (first..<first &+ 64).filter(Self.mayBelongToPair)
        guard candidates.count >= 2, curl_multi_wakeup(pointer) == CURLM_OK else { return }
        let readers = candidates.filter { Self.count($0, UInt(FIONREAD)) == 1 }
        let writers = candidates.filter { Self.count($0, UInt(TIOCOUTQ)) > 0 }
        for descriptor in readers + writers { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
        var byte: UInt8 = 0
        for descriptor in readers { _ = recv(descriptor, &byte, 1, Int32(MSG_DONTWAIT)) }
    }

    /// A silent socket of a pair, which programs would inherit.
    private static func mayBelongToPair(_ descriptor: Int32) -> Bool {
        var domain: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        return getsockopt(descriptor, SOL_SOCKET, SO_DOMAIN, &domain, &size) == 0 && domain == AF_UNIX
            && fcntl(descriptor, F_GETFD) & FD_CLOEXEC == 0 && count(descriptor, UInt(FIONREAD)) == 0
            && count(descriptor, UInt(TIOCOUTQ)) == 0
    }

    private static func count(_ descriptor: Int32, _ what: UInt) -> Int32 {
        var count: Int32 = 0
        return ioctl(descriptor, what, &count) == 0 ? count : -1
    }
}
