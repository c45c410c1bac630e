// SPDX-License-Identifier: MIT
import BatchGetCore
import Testing

private typealias Row = ProgressFrame.Row

private func frame(_ rows: [Row], entries: Int = 12, failures: Int = 1, isStopping: Bool = false) -> ProgressFrame {
    ProgressFrame(
        rows: rows, entryCount: entries, successCount: 3, failureCount: failures, cancelledCount: 0,
        received: 12_345_678, rate: 1_250_000, elapsed: .seconds(75), isStopping: isStopping)
}

@Suite("Lines of the live display") struct ProgressFrameTests {
    private static let rows = [
        Row(name: "debian-12.7.0-amd64-netinst.iso", bytes: 331_350_016, totalBytes: 662_700_032, rate: 12_500_000),
        Row(name: "notes.txt", bytes: 0, totalBytes: nil, rate: 0),
        Row(name: "日本語のとても長い名前のファイルです.tar.gz", bytes: 999, totalBytes: 1_000, rate: 10),
        Row(name: "image.raw", isCheck: true, bytes: 500, totalBytes: 1_000, rate: 5),
    ]

    @Test("80 columns")
    func narrow() {
        #expect(
            frame(Self.rows).lines(columns: 80, rows: 24) == [
                "debian-12.7...netinst.iso  [#####-----]   50 %  331.4 MB / 662.7 MB   12.5 MB/s",
                "notes.txt                  [          ]    ? %                  0 B       0 B/s",
                "日本語のと...です.tar.gz   [#########-]   99 %       999 B / 1.0 kB      10 B/s",
                "checking image.raw         [#####-----]   50 %       500 B / 1.0 kB       5 B/s",
                "3 of 12 done  4 active  1 failed  12.3 MB  1.2 MB/s  1:15",
            ])
    }

    @Test("200 columns: names in full, a longer bar")
    func wide() {
        let bar = { (filled: Int) in
            "[\(String(repeating: "#", count: filled))\(String(repeating: "-", count: 40 - filled))]"
        }
        let blanks = String(repeating: " ", count: 40)
        #expect(
            frame(Self.rows).lines(columns: 200, rows: 24) == [
                "debian-12.7.0-amd64-netinst.iso              \(bar(20))   50 %  331.4 MB / 662.7 MB   12.5 MB/s",
                "notes.txt                                    [\(blanks)]    ? %                  0 B       0 B/s",
                "日本語のとても長い名前のファイルです.tar.gz  \(bar(39))   99 %       999 B / 1.0 kB      10 B/s",
                "checking image.raw                           \(bar(20))   50 %       500 B / 1.0 kB       5 B/s",
                "3 of 12 done  4 active  1 failed  12.3 MB  1.2 MB/s  1:15",
            ])
    }

    @Test("No line ever reaches the last column, and the lines of downloads are of one length", arguments: 1...220)
    func everyWidth(_ columns: Int) {
        let lines = frame(Self.rows).lines(columns: columns, rows: 24)
        #expect(lines.count == 5)
        #expect(lines.allSatisfy { DisplayText.width($0) <= max(1, columns - 1) })
        #expect(Set(lines.dropLast().map(DisplayText.width)).count == 1)
    }

    @Test("More downloads than lines: the first ones, and how many there are beside", arguments: 1...40)
    func everyHeight(_ height: Int) {
        let rows = (0..<30).map { Row(name: "file-\($0)", bytes: 1, totalBytes: 2, rate: 0) }
        let lines = frame(rows).lines(columns: 80, rows: height)
        #expect(lines.count == min(31, max(1, height - 1)))
        #expect(lines.last?.hasPrefix("3 of 12 done  30 active") == true)
        guard lines.count > 1, lines.count < 31 else { return }
        #expect(lines[lines.count - 2] == "... and \(30 - (lines.count - 2)) more")
        #expect(lines.dropLast(2).enumerated().allSatisfy { $1.hasPrefix("file-\($0) ") })
    }

    @Test("While it stops, that is what it says")
    func stopping() {
        #expect(
            frame([], failures: 0, isStopping: true).lines(columns: 80, rows: 24)
                == ["stopping  12.3 MB  1.2 MB/s  1:15"])
    }
}
