// SPDX-License-Identifier: MIT
internal import BatchGetCore
internal import Foundation

/// One run, from the first download to the last line.
struct Session {
    private let command: BatchGet
    private let inputs: Inputs

    init(_ command: BatchGet, _ inputs: Inputs) {
        self.command = command
        self.inputs = inputs
    }

    /// - Returns: the exit code.
    func run() async -> Int32 {
        let start = ContinuousClock.now
        let board = DownloadBoard(inputs.entries)
        let reporter = makeReporter(board)
        let downloader = makeRunner(board, onEnd: reporter.didEnd)
        let signals = SignalWatch()
        signals.begin([SIGINT, SIGTERM, SIGHUP]) { _ in
            reporter.willStop()
            downloader.interrupt()
        } again: { number in
            // Whoever asks twice does not want to wait. The terminal is in order at any time.
            _exit(ExitStatus.signal(number))
        }
        reporter.begin()
        var problem: String?
        do {
            try await downloader.run()
        } catch {
            problem = "batchget: \(DisplayText.sanitized("queue: \(error.localizedDescription)"))"
        }

        let statuses = board.snapshot
        let duration = ContinuousClock.now - start
        let signal = signals.signal
        let summary = Summary(statuses).line(isInterrupted: signal != nil, duration: duration)
        reporter.finish(problem ?? (command.quiet ? nil : summary))
        if problem != nil { return ExitStatus.noQueue }
        if command.json { printReport(Report(statuses, signal: signal, duration: duration)) }
        return ExitStatus.of(statuses, signal: signal)
    }

    private func makeRunner(
        _ board: DownloadBoard, onEnd: @escaping @Sendable (DownloadStatus) -> Void
    ) -> any BatchRunner {
        guard let queue = command.queue.map(QueueLocation.init) else {
            return Downloader(
                inputs.entries, to: inputs.directory, options: inputs.options, board: board, onEnd: onEnd)
        }
        return QueuedDownloader(
            inputs.entries, queue: queue, to: inputs.directory, options: inputs.options, board: board, onEnd: onEnd)
    }

    private func makeReporter(_ board: DownloadBoard) -> any ProgressReporter {
        let print: @Sendable (String) -> Void = { write($0, to: STDERR_FILENO) }
        if !command.quiet, !command.noProgress, let terminal = Terminal(STDERR_FILENO) {
            return LiveReporter(board, on: terminal, write: print)
        }
        return PlainReporter(failuresOnly: command.quiet, write: print)
    }

    private func printReport(_ report: Report) {
        do {
            write(String(decoding: try report.json(), as: UTF8.self), to: STDOUT_FILENO)
        } catch {
            write("batchget: the report cannot be written: \(error.localizedDescription)\n", to: STDERR_FILENO)
        }
    }
}
