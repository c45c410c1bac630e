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

    /// Sees to it that programs which this process runs do not inherit the pair of sockets that `curl_multi_wakeup`
    /// writes to: libcurl 7.88 makes it without FD_CLOEXEC and does not say what it is. So it is found by what it does.
    ///
    /// - Parameter first: The lowest number it can have, unless another thread has closed a descriptor meanwhile.
    func keepWakeupPairPrivate(from first: Int32) {
        guard first >= 0 else { return }
        let found = makeWakeupPairPrivate(in: first..<first &+ 64)
        if found < 2 { _ = makeWakeupPairPrivate(in: max(0, first - 65_536)..<first) }
    }

    /// Returns the number of ends of the pair that are among these descriptors, and would have been inherited.
    ///
    /// What is written to find them stays unread: the engine never waits for the pair, and a byte that is read from
    /// another's socket by mistake would be lost to its owner.
    private func makeWakeupPairPrivate(in range: Range<Int32>) -> Int {
        var ends = range.filter(Self.isInheritedUnixSocket)
        // Twice: another's socket may get something by chance in the same moment.
        for _ in 1...2 where !ends.isEmpty {
            let before = ends.map(Self.bytesUnderWay)
            guard curl_multi_wakeup(pointer) == CURLM_OK else { return 0 }
            ends = zip(ends, before).filter { Self.bytesUnderWay($0) > $1 }.map(\.0)
        }
        for descriptor in ends { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
        return ends.count
    }

    private static func isInheritedUnixSocket(_ descriptor: Int32) -> Bool {
        let flags = fcntl(descriptor, F_GETFD)
        guard flags >= 0, flags & FD_CLOEXEC == 0 else { return false }
        var domain: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        return getsockopt(descriptor, SOL_SOCKET, SO_DOMAIN, &domain, &size) == 0 && domain == AF_UNIX
    }

    /// The number of bytes that a socket has written and the other end has not read yet, and the reverse.
    private static func bytesUnderWay(_ descriptor: Int32) -> Int {
        [UInt(FIONREAD), UInt(TIOCOUTQ)].reduce(0) { sum, what in
            var count: Int32 = 0
            return ioctl(descriptor, what, &count) == 0 ? sum + Int(count) : sum
        }
    }
}
