// SPDX-License-Identifier: MIT
import Foundation
import Glibc
import TestServer

@testable import OperationNetworkingCore

extension TemporaryDirectory {
    /// Leaves what a killed download would: a partial file, with a note of its validator.
    func leavePartial(_ data: Data, of target: URL, from url: URL, validator: String, total: Int?) throws {
        let partial = PartialFile(clean: DownloadDestination(fileURL: target), of: url)
        try data.write(to: URL(fileURLWithPath: partial.path))
        let descriptor = open(partial.path, O_RDONLY | O_CLOEXEC)
        defer { close(descriptor) }
        let code = partial.note(
            Representation(
                validator: validator, source: Representation.source(url), totalLength: total.map(Int64.init), offset: 0),
            of: descriptor)
        if code != 0 { throw POSIXError(POSIXErrorCode(rawValue: code) ?? .EIO) }
    }
}
