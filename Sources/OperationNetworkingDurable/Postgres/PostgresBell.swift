// SPDX-License-Identifier: MIT
internal import Glibc

/// A descriptor that can be read from once `ring` was called: that which waits for a socket is woken by it.
final class PostgresBell: Sendable {
    /// -1: there are no descriptors left, so that waits last as long as they may.
    let descriptor: Int32
    private let mouth: Int32

    init() {
        var ends: [Int32] = [-1, -1]
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        if socketpair(AF_UNIX, kind, 0, &ends) != 0 { ends = [-1, -1] }
        (descriptor, mouth) = (ends[0], ends[1])
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
        if mouth >= 0 { close(mouth) }
    }

    func ring() { _ = write(mouth, [1], 1) }

    /// Waits until it rings. Returns false if it has.
    @discardableResult
    func wait(_ seconds: Double) -> Bool {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&entry, 1, Int32(max(0, min(seconds, 3600)) * 1000)) == 0
    }
}
