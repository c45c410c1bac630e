// SPDX-License-Identifier: MIT
internal import CCurl
internal import Glibc
internal import NetworkingSupport

/// Commands from other threads, and the eventfd that wakes the network thread for them.
final class EngineMailbox: Sendable {
    /// The eventfd; -1: could not be made.
    let descriptor: Int32

    private struct Contents {
        var commands: [EngineCommand] = []
        /// True once the network thread takes no more commands.
        var isClosed = false
    }
    private let contents = Locked(Contents())

    init() {
        descriptor = eventfd(0, Int32(EFD_CLOEXEC) | Int32(EFD_NONBLOCK))
    }

    deinit {
        if descriptor >= 0 { _ = Glibc.close(descriptor) }
    }

    /// Leaves a command. False: the network thread has ended, the command was dropped.
    func post(_ command: EngineCommand) -> Bool {
        let (accepted, wasEmpty) = contents.withLock { contents -> (Bool, Bool) in
            guard !contents.isClosed else { return (false, false) }
            contents.commands.append(command)
            return (true, contents.commands.count == 1)
        }
        // One write per batch: the thread takes everything when it wakes.
        if wasEmpty {
            var one: UInt64 = 1
            _ = write(descriptor, &one, MemoryLayout<UInt64>.size)
        }
        return accepted
    }

    /// Moves what has come in to the end of `commands`.
    func take(into commands: inout [EngineCommand]) {
        var count: UInt64 = 0
        // Before the list is emptied: a command that comes in between writes again.
        _ = read(descriptor, &count, MemoryLayout<UInt64>.size)
        let taken = contents.withLock { contents -> [EngineCommand] in
            let taken = contents.commands
            contents.commands = []
            return taken
        }
        commands.append(contentsOf: taken)
    }

    /// Refuses commands from now on and returns those not taken yet.
    func close() -> [EngineCommand] {
        contents.withLock { contents in
            contents.isClosed = true
            let left = contents.commands
            contents.commands = []
            return left
        }
    }
}
