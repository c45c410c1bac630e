// SPDX-License-Identifier: MIT

/// The files of entries that are there before anything is downloaded.
struct PresentFiles: Sendable {
    let directory: OutputDirectory
    private let entries: [ManifestEntry]
    private let options: DownloadOptions
    private let board: DownloadBoard

    init(
        _ entries: [ManifestEntry], in directory: OutputDirectory, options: DownloadOptions, board: DownloadBoard
    ) {
        self.entries = entries
        self.directory = directory
        self.options = options
        self.board = board
    }

    /// The size of a file; nil when there is none.
    func size(_ index: Int) -> Int64? { directory.size(of: entries[index]) }

    /// The size of a file; nil when there is none.
    func size(of entry: ManifestEntry) -> Int64? { directory.size(of: entry) }

    /// The bytes that an earlier attempt has left of an entry's file.
    func partSize(_ entry: ManifestEntry) -> Int64? {
        var part = entry
        part.output += OutputName.partialSuffixes[0]
        return directory.size(of: part)
    }

    /// The size of a file that is the one the manifest asks for, by its digest or size if it has that, in any case without;
    /// nil: it has to be downloaded.
    func wantedSize(_ index: Int, isInterrupted: () -> Bool) -> Int64? {
        guard !isInterrupted(), !options.replacesExisting, let size = size(index),
            isWanted(index, size: size, isInterrupted)
        else { return nil }
        return size
    }

    private func isWanted(_ index: Int, size: Int64, _ isInterrupted: () -> Bool) -> Bool {
        guard entries[index].size ?? size == size else { return false }
        guard let expected = entries[index].checksum else { return true }
        board.begin(index, .checking)
        // A file that cannot be read is replaced like one with another digest.
        let digest = try? directory.reading(entries[index]) { descriptor in
            try FileDigest.digest(expected.algorithm, of: descriptor, path: directory.url(of: entries[index]).path) {
                position in
                board.update(index) {
                    $0.bytes = position
                    $0.totalBytes = size
                }
                return !isInterrupted()
            }
        }
        guard digest != expected.digest else { return true }
        board.update(index) { $0 = DownloadStatus(entry: $0.entry) }
        return false
    }
}
