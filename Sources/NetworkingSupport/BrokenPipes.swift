// SPDX-License-Identifier: MIT
internal import Glibc

/// Writes to what may be a pipe or a socket whose reader has left.
package enum BrokenPipes {
    /// Runs `body`, in which a write to a broken pipe fails with `EPIPE` and does not end the process. For the calling
    /// thread; the program's own handling of the signal is left alone.
    package static func areErrors<Result, Failure: Error>(
        in body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        var (signal, before, pending) = (sigset_t(), sigset_t(), sigset_t())
        sigemptyset(&signal)
        sigaddset(&signal, SIGPIPE)
        // One that was sent before, from outside, is not ours to take.
        sigpending(&pending)
        let wasPending = sigismember(&pending, SIGPIPE) == 1
        guard !wasPending, pthread_sigmask(SIG_BLOCK, &signal, &before) == 0 else { return try body() }
        defer {
            if sigismember(&before, SIGPIPE) != 1 {
                let code = errno
                // A signal of a write is the thread's own: the one that is pending now, if there is one, is ours.
                var now = timespec()
                while sigtimedwait(&signal, nil, &now) < 0, errno == EINTR {}
                pthread_sigmask(SIG_SETMASK, &before, nil)
                errno = code
            }
        }
        return try body()
    }

    /// Writes all bytes.
    ///
    /// - Returns: 0, or the error number.
    package static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Int32 {
        areErrors { FileIO.write(bytes, to: descriptor) ? 0 : errno }
    }
}
