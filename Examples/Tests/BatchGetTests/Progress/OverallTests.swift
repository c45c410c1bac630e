// SPDX-License-Identifier: MIT
import BatchGetCore
import Foundation
import Testing

@Suite("All files together") struct OverallTests {
    private func status(_ bytes: Int64, of total: Int64?, _ state: DownloadState = .active) throws -> DownloadStatus {
        let entry = ManifestEntry(url: try #require(URL(string: "http://h/a")), output: "a")
        var status = DownloadStatus(entry: entry)
        status.bytes = bytes
        status.totalBytes = total
        status.state = state
        return status
    }

    @Test("Known lengths are added up; for others the mean is supposed")
    func sums() throws {
        let known = try [status(50, of: 100), status(300, of: 300, .done)]
        #expect(Overall(known) == Overall(bytes: 350, total: 400, isExact: true))
        #expect(try Overall(known + [status(0, of: nil, .waiting)]) == Overall(bytes: 350, total: 600, isExact: false))
        #expect(try Overall(known + [status(7, of: nil)]) == Overall(bytes: 357, total: 600, isExact: false))
        #expect(
            try Overall(known + [status(7, of: 10, .failed("x"))]) == Overall(bytes: 350, total: 400, isExact: true))
        #expect(try Overall([status(0, of: nil, .waiting)]) == nil)
        #expect(Overall([]) == nil)
        #expect(try Overall([status(0, of: .max), status(0, of: .max)])?.total == 9_000_000_000_000_000_000)
    }

    @Test("The length that the manifest tells is known")
    func size() throws {
        var waiting = try status(0, of: nil, .waiting)
        waiting = DownloadStatus(entry: try #require(try entries("http://h/a size=1K").first))
        #expect(Overall([waiting]) == Overall(bytes: 0, total: 1024, isExact: true))
    }

    @Test("The time that is left")
    func timeLeft() {
        let overall = Overall(bytes: 100, total: 1100, isExact: true)
        #expect(overall.timeLeft(rate: 300) == .seconds(4))
        #expect(overall.timeLeft(rate: 0) == nil && overall.timeLeft(rate: 0.001) == nil)
        #expect(Overall(bytes: 5, total: 5, isExact: true).timeLeft(rate: 10) == nil)
    }

    @Test("The last line tells percent and time, as long as there is room")
    func line() {
        let frame = ProgressFrame(
            rows: [], entryCount: 2, successCount: 1, failureCount: 0, cancelledCount: 0, received: 1000, rate: 100,
            elapsed: .seconds(9), overall: Overall(bytes: 500, total: 1000, isExact: false))
        #expect(frame.lines(columns: 80, rows: 24) == ["1 of 2 done  ~50 %  1.0 kB  100 B/s  0:09  ETA 0:05"])
        #expect(frame.lines(columns: 30, rows: 24) == ["1 of 2 done  ~50 %  1.0 kB"])
    }
}

@Suite("Names in a narrow column") struct NameShortenerTests {
    @Test("What differs stays")
    func differing() {
        let names = [
            "a-very-long-name-of-a-file-001-of-the-series.tar.gz",
            "a-very-long-name-of-a-file-002-of-the-series.tar.gz",
        ]
        #expect(NameShortener.shortened(names, to: 20) == ["a-very-...1...tar.gz", "a-very-...2...tar.gz"])
        #expect(NameShortener.shortened(names, to: 60) == names)
        #expect(
            NameShortener.shortened([names[0]], to: 20) == ["a-very-lo...s.tar.gz"],
            "alone it has nothing to differ from")
    }

    @Test("At every width no name is too wide, and those that could be told apart can")
    func everyWidth() {
        let names =
            (1...12).map { "season-one/episode-\($0)-of-a-show-with-a-long-name.mkv" } + ["short", "日本語のとても長い名前"]
        for width in 1...60 {
            let shown = NameShortener.shortened(names, to: width)
            #expect(shown.allSatisfy { DisplayText.width($0) <= width })
            if width >= 8 { #expect(Set(shown).count == names.count, "\(width): \(shown)") }
        }
    }

    @Test("The same name twice stays the same")
    func same() {
        let name = String(repeating: "x", count: 50)
        #expect(Set(NameShortener.shortened([name, name], to: 10)).count == 1)
        #expect(NameShortener.shortened([], to: 10).isEmpty)
    }
}
