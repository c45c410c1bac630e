// SPDX-License-Identifier: MIT

/// What the program ends with.
package enum ExitStatus {
    /// Everything is there.
    package static let success: Int32 = 0
    /// Something is not.
    package static let failure: Int32 = 1
    /// The command line is wrong: EX_USAGE of sysexits.h.
    package static let usage: Int32 = 64
    /// The manifest is wrong: EX_DATAERR.
    package static let badManifest: Int32 = 65
    /// The manifest, or another file that was named, cannot be read: EX_NOINPUT.
    package static let noInput: Int32 = 66
    /// The queue cannot be opened, or fails: EX_UNAVAILABLE.
    package static let noQueue: Int32 = 69
    /// The output directory cannot be written to: EX_CANTCREAT.
    package static let cannotCreate: Int32 = 73

    /// A signal stopped it.
    package static func signal(_ number: Int32) -> Int32 { 128 + number }

    /// What a run that came to its end is.
    package static func of(_ statuses: [DownloadStatus], signal number: Int32?) -> Int32 {
        if let number { return signal(number) }
        return statuses.allSatisfy { $0.state.isSuccess } ? success : failure
    }
}
