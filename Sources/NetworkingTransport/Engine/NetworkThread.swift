// SPDX-License-Identifier: MIT
internal import CLinux
internal import CoreFoundation
internal import Foundation
internal import NetworkingSupport
internal import Synchronization

/// The thread on which libcurl runs: a run loop whose port is an epoll descriptor.
///
/// The run loop watches the descriptor edge-triggered, so `drain` must leave nothing ready in the set.
final class NetworkThread: Sendable {
    /// The thread's name, of which Linux shows the first 15 bytes.
    static let name = "OperationNetworking"

    /// The running thread's pthread_t; 0 before it runs and when it has ended.
    private let identifier = Atomic<UInt>(0)
    private let hasStarted = Latch()
    private let hasEnded = Latch()
    private let shouldEnd = Atomic<Bool>(false)
    /// A pass is under way: see `pass`.
    let isInside = Atomic<Bool>(false)

    /// The calling thread's name, as the system has it.
    static var currentName: String {
        var name = [CChar](repeating: 0, count: 16)
        on_get_thread_name(&name)
        return name.withUnsafeBufferPointer { buffer in buffer.baseAddress.map { String(cString: $0) } ?? "" }
    }

    /// True if the caller runs on this thread.
    var isCurrent: Bool { identifier.load(ordering: .relaxed) == UInt(pthread_self()) }

    /// Starts the thread and returns when it runs. `drain` is called whenever `descriptor` becomes ready, `end` when
    /// the run loop has stopped.
    ///
    /// - Returns: false if the system has no room for a thread.
    func start(descriptor: Int32, drain: @escaping @Sendable () -> Void, end: @escaping @Sendable () -> Void) -> Bool {
        let isStarted = SystemThread.start { [self] in
            // Not through `Thread.name`, which does not reliably reach the system's thread.
            on_set_thread_name(Self.name)
            noteRunning()
            run(descriptor: descriptor, drain: { self.pass(drain) })
            pass(end)
            noteStopped()
            identifier.store(0, ordering: .releasing)
            hasEnded.open()
        }
        if isStarted { hasStarted.wait() }
        return isStarted
    }

    /// Makes the run loop return. On the thread itself.
    func stop() {
        precondition(isCurrent)
        shouldEnd.store(true, ordering: .relaxed)
        CFRunLoopStop(CFRunLoopGetCurrent())
    }

    /// Waits until the thread has ended. Not on the thread itself.
    func join() {
        precondition(!isCurrent)
        hasEnded.wait()
    }

    private func run(descriptor: Int32, drain: @escaping @Sendable () -> Void) {
        blockSIGPIPE()
        identifier.store(UInt(pthread_self()), ordering: .releasing)
        let port = RunLoopPort(descriptor: descriptor, drain: drain)
        let source = port.makeSource()
        CFRunLoopAddSource(CFRunLoopGetCurrent(), source, kCFRunLoopCommonModes)
        hasStarted.open()
        while !shouldEnd.load(ordering: .relaxed) {
            CFRunLoopRunInMode(kCFRunLoopDefaultMode, 1e10, false)
        }
        CFRunLoopSourceInvalidate(source)
        withExtendedLifetime(port) {}
    }

    /// OpenSSL writes to sockets without MSG_NOSIGNAL. All writes happen on this thread, so blocking the signal here
    /// is enough, and leaves the program's own handler alone.
    private func blockSIGPIPE() {
        var set = sigset_t()
        sigemptyset(&set)
        sigaddset(&set, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &set, nil)
    }
}

/// The object behind the `info` pointer of the run loop source's C callbacks.
private final class RunLoopPort {
    let descriptor: Int32
    let drain: @Sendable () -> Void

    init(descriptor: Int32, drain: @escaping @Sendable () -> Void) {
        self.descriptor = descriptor
        self.drain = drain
    }

    /// The source does not retain this object: it must outlive the source.
    func makeSource() -> CFRunLoopSource? {
        var context = CFRunLoopSourceContext1()
        context.version = 1
        context.info = Unmanaged.passUnretained(self).toOpaque()
        context.getPort = { info in
            guard let info else { return -1 }
            return Unmanaged<RunLoopPort>.fromOpaque(info).takeUnretainedValue().descriptor
        }
        context.perform = { info in
            guard let info else { return }
            Unmanaged<RunLoopPort>.fromOpaque(info).takeUnretainedValue().drain()
        }
        return withUnsafeMutablePointer(to: &context) {
            $0.withMemoryRebound(to: CFRunLoopSourceContext.self, capacity: 1) {
                CFRunLoopSourceCreate(kCFAllocatorDefault, 0, $0)
            }
        }
    }
}
