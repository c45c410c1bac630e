// SPDX-License-Identifier: MIT
internal import Foundation

extension Driver {
    /// A large response into a file, beside `curl -o`.
    func measureDownload() throws -> Section {
        let wanted = try rounds(5, quick: 1)
        let bytes = (isQuick ? 256 : 1_024) << 20
        let source = URL(fileURLWithPath: try options.string("root")).appendingPathComponent("large.bin")
        try makeSparseFile(source, bytes: bytes)
        defer { try? FileManager.default.removeItem(at: source) }
        let target = URL(fileURLWithPath: try options.string("scratch")).appendingPathComponent("download.bin")
        try requireSpace(bytes, in: target.deletingLastPathComponent())
        let large = url + "/large.bin"

        // Unmeasured, so that nobody pays for bringing the file into the page cache.
        _ = try curl(["-o", "/dev/null", large], bytes: bytes)
        var results: [String: [Figures]] = [:]
        let rounds = try repeated(wanted) {
            results["curl", default: []].append(try curl(["-o", target.path, large], bytes: bytes))
            try FileManager.default.removeItem(at: target)
            for kind in ["destination", "stream", "task"] {
                let figures = try measure(
                    .download,
                    ["url": large, "idleurl": url + "/1k.bin", "to": kind, "file": target.path, "length": bytes])
                results[kind, default: []].append(figures)
            }
        }

        var section = Section(
            .download,
            method: """
                \(bytes >> 20) MiB from nginx on loopback into a file, interleaved; medians of \(rounds), also of the ratios. Peak: the most \
                resident memory over what an idle engine has after one small request.
                """,
            table: Table("how", "MB/s", "/ curl", "CPU s/GiB", "peak over idle MiB"))
        let reference = results["curl"] ?? []
        addRow("curl -o", reference, beside: reference, to: &section)
        let ratio = addRow("downloadDestination", results["destination"] ?? [], beside: reference, to: &section)
        addRow("outputStream", results["stream"] ?? [], beside: reference, to: &section)
        let taskRatio = addRow("download task", results["task"] ?? [], beside: reference, to: &section)
        section.expect("download: downloadDestination / curl -o", ratio, atLeast: 0.9)
        section.expect("download: download task / curl -o", taskRatio, atLeast: 0.9)
        section.expect(
            "download: peak over idle, downloadDestination", peakMiB(results["destination"]), atMost: 16, unit: "MiB",
            digits: 1)
        section.expect(
            "download: peak over idle, outputStream", peakMiB(results["stream"]), atMost: 16, unit: "MiB", digits: 1)
        return section
    }

    /// A multipart form with a large file, beside `curl -F`.
    func measureUpload() throws -> Section {
        let wanted = try rounds(5, quick: 1)
        let bytes = (isQuick ? 512 : 2_048) << 20
        let source = URL(fileURLWithPath: try options.string("scratch")).appendingPathComponent("upload.bin")
        try makeSparseFile(source, bytes: bytes)
        defer { try? FileManager.default.removeItem(at: source) }

        let sink = Process()
        sink.executableURL = URL(fileURLWithPath: try options.string("sink"))
        let output = Pipe()
        let input = Pipe()
        sink.standardOutput = output
        sink.standardInput = input
        try sink.run()
        defer {
            sink.terminate()
            sink.waitUntilExit()
        }
        guard
            let port = Int(
                String(decoding: output.fileHandleForReading.availableData, as: UTF8.self).trimmingCharacters(
                    in: .whitespacesAndNewlines))
        else { throw BenchmarkError("the upload sink does not start") }
        let target = "http://127.0.0.1:\(port)/"

        let form = ["-F", "file=@\(source.path)", "-o", "/dev/null", target]
        _ = try curl(form, bytes: bytes)
        var results: [String: [Figures]] = [:]
        let rounds = try repeated(wanted) {
            results["curl", default: []].append(try curl(form, bytes: bytes))
            results["library", default: []].append(
                try measure(.upload, ["url": target, "file": source.path, "length": bytes]))
        }
        var section = Section(
            .upload,
            method: """
                A multipart form with a file of \(bytes >> 20) MiB to a server that drops what it reads, interleaved; \
                medians of \(rounds), also of the ratios. Peak: the most resident memory over what an idle engine has \
                after one small request.
                """,
            table: Table("how", "MB/s", "/ curl", "CPU s/GiB", "peak over idle MiB"))
        let reference = results["curl"] ?? []
        addRow("curl -F", reference, beside: reference, to: &section)
        let ratio = addRow(
            "multipart form, appendPart(withFileURL:)", results["library"] ?? [], beside: reference, to: &section)
        section.expect("upload: library / curl -F", ratio, atLeast: 0.8)
        section.expect("upload: peak over idle", peakMiB(results["library"]), atMost: 16, unit: "MiB", digits: 1)
        return section
    }

    // MARK: -

    /// Adds a row for a contender; the median of its rate beside another's, round by round.
    @discardableResult
    func addRow(
        _ title: String, _ runs: [Figures], beside reference: [Figures], to section: inout Section
    ) -> Double {
        func rates(_ runs: [Figures]) -> [Double] {
            runs.map { $0["bytes", default: .nan] / $0["seconds", default: .nan] / 1e6 }
        }
        let rate = section.record("\(title) rate", unit: "MB/s", rates(runs))
        let ratio = section.record(
            "\(title) / curl", unit: "", zip(rates(runs), rates(reference)).map { $0 / $1 })
        let cpu = section.record(
            "\(title) CPU", unit: "s/GiB",
            runs.map { $0["cpuSeconds", default: .nan] / $0["bytes", default: .nan] * Double(1 << 30) })
        let peak = peakMiB(runs)
        if peak.isFinite {
            section.record(
                "\(title) peak over idle", unit: "MiB", runs.map { $0["peakOverIdleKiB", default: .nan] / 1_024 })
        }
        section.table.add(title, rate.text(0), ratio.text(2), cpu.text(2), peak.isFinite ? peak.text(1) : "")
        return ratio
    }

    /// The highest of all rounds.
    func peakMiB(_ runs: [Figures]?) -> Double {
        let peaks = (runs ?? []).compactMap { $0["peakOverIdleKiB"] }
        return peaks.max().map { $0 / 1_024 } ?? .nan
    }

    /// curl, with the time it measures itself, which leaves its start and end out.
    func curl(_ arguments: [String], bytes: Int) throws -> Figures {
        let before = Self.childrenCPUSeconds
        var figures = try run(
            "/usr/bin/curl", ["-q", "-sS", "--fail", "-w", "\\n{\"seconds\": %{time_total}}\\n"] + arguments)
        figures["cpuSeconds"] = Self.childrenCPUSeconds - before
        figures["bytes"] = Double(bytes)
        return figures
    }

    private static var childrenCPUSeconds: Double {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_CHILDREN.rawValue), &usage)
        let seconds = usage.ru_utime.tv_sec + usage.ru_stime.tv_sec
        return Double(seconds) + Double(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6
    }

    func makeSparseFile(_ file: URL, bytes: Int) throws {
        try Data().write(to: file)
        let handle = try FileHandle(forWritingTo: file)
        try handle.truncate(atOffset: UInt64(bytes))
        try handle.close()
    }

    private func requireSpace(_ bytes: Int, in folder: URL) throws {
        let attributes = try FileManager.default.attributesOfFileSystem(forPath: folder.path)
        guard
            let free = attributes[.systemFreeSize] as? Int64 ?? (attributes[.systemFreeSize] as? NSNumber)?.int64Value,
            free > Int64(bytes) * 2
        else { throw BenchmarkError("\(folder.path) has not \(2 * bytes >> 20) MiB free; set TMPDIR") }
    }
}
