// SPDX-License-Identifier: MIT
import Foundation
import Glibc
import Synchronization

/// A terminal for a child, with a model of what it shows.
final class PseudoTerminal: Sendable {
    /// What the child opens.
    let path: String
    private let descriptor: Int32
    private let screen: Mutex<Screen>

    init(columns: Int, rows: Int) throws {
        var (own, childs) = (Int32(-1), Int32(-1))
        var name = [CChar](repeating: 0, count: 256)
        guard openpty(&own, &childs, nil, nil, nil) == 0,
            ttyname_r(childs, &name, name.count) == 0
        else { throw TestFailure("no terminal: \(String(cString: strerror(errno)))") }
        path = String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        // The child opens it by its name: only then it is its controlling terminal, and its end is seen here.
        close(childs)
        descriptor = own
        screen = Mutex(Screen(columns: columns, rows: rows))
        setSize(columns, rows)
    }

    deinit {
        close(descriptor)
    }

    /// Changes the size, as when a window is dragged: what is shown is laid out anew, then the child is told.
    func resize(columns: Int, rows: Int) async throws {
        try await blocking { [self] in
            while isReadable(0), try readSome(.now + .seconds(1)) {}
            screen.withLock { $0.resize(columns: columns, rows: rows) }
            setSize(columns, rows)
        }
    }

    private func setSize(_ columns: Int, _ rows: Int) {
        var size = winsize(ws_row: UInt16(rows), ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
        _ = ioctl(descriptor, UInt(TIOCSWINSZ), &size)
    }

    /// Types something; "\u{3}" is Ctrl-C.
    func type(_ text: String) {
        let bytes = Array(text.utf8)
        _ = write(descriptor, bytes, bytes.count)
    }

    /// Reads what the child writes until the screen is as it should be, and the cursor below what is on it: a frame may
    /// come in pieces.
    @discardableResult
    func wait(
        for what: String, until isFulfilled: @escaping @Sendable (Screen) -> Bool
    ) async throws -> Screen {
        try await blocking { [self] in
            let deadline = ContinuousClock.now + .seconds(30)
            while true {
                let present = screen.withLock { $0 }
                if present.isCursorBelowText, isFulfilled(present) { return present }
                guard try readSome(deadline) else {
                    throw TestFailure("the child ended before \(what):\n" + present.text.joined(separator: "\n"))
                }
            }
        }
    }

    /// Reads until the child has closed the terminal.
    func waitForEnd() async throws -> Screen {
        try await blocking { [self] in
            let deadline = ContinuousClock.now + .seconds(30)
            while try readSome(deadline) {}
            return screen.withLock { $0 }
        }
    }

    /// - Returns: false when nobody has the terminal open any more.
    private func readSome(_ deadline: ContinuousClock.Instant) throws -> Bool {
        let remaining = (deadline - ContinuousClock.now) / .milliseconds(1)
        guard remaining > 0, isReadable(Int32(remaining)) else {
            throw TestFailure("waited in vain; the screen:\n" + screen.withLock { $0.text }.joined(separator: "\n"))
        }
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = read(descriptor, &bytes, bytes.count)
        guard count > 0 else { return false }
        screen.withLock { $0.feed(bytes.prefix(count)) }
        return true
    }

    private func isReadable(_ milliseconds: Int32) -> Bool {
        var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&request, 1, milliseconds) > 0
    }
}
