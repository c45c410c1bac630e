// SPDX-License-Identifier: MIT
internal import Foundation
public import OperationNetworking

/// An error of decoding, making or encoding an image.
///
/// Two errors are equal when their codes are.
public struct ImageError: NetworkingError {
    /// The kind of error, as the `NSError` code.
    public struct Code: RawRepresentable, Hashable, Sendable {
        /// The number an `NSError` shows.
        public let rawValue: Int

        /// A code by its number.
        public init(rawValue: Int) {
            self.rawValue = rawValue
        }

        /// The data are in no image format that is known here (1).
        public static let unknownFormat = Code(rawValue: 1)
        /// The format is known, but is not decoded, or its decoder is not installed (2).
        public static let unsupportedFormat = Code(rawValue: 2)
        /// The file ends before its content does (3).
        public static let truncated = Code(rawValue: 3)
        /// The file contradicts its format (4).
        public static let damaged = Code(rawValue: 4)
        /// The header announces more pixels than are allowed, also when it is only in tiles or scans that there are so
        /// many. Nothing was decoded (5).
        public static let tooManyPixels = Code(rawValue: 5)
        /// Width, height and the number of bytes do not belong together (6).
        public static let invalidPixels = Code(rawValue: 6)
        /// The image cannot be written in the format (7).
        public static let notEncodable = Code(rawValue: 7)
    }

    /// The kind of error.
    public let code: Code
    /// One or two sentences with what went wrong, where, and what to do.
    public let reason: String

    /// An error with a code and a sentence.
    public init(code: Code, reason: String) {
        self.code = code
        self.reason = reason
    }

    /// ``reason``, under Foundation's keys.
    public var errorUserInfo: [String: Any] {
        // The last is what serializers put into their own error's text.
        let keys = [NSLocalizedDescriptionKey, NSLocalizedFailureReasonErrorKey, NSDebugDescriptionErrorKey]
        return Dictionary(uniqueKeysWithValues: keys.map { ($0, reason) })
    }
}

extension ImageError {
    static func truncated(_ fileType: ImageFileType) -> ImageError {
        ImageError(code: .truncated, reason: "The \(fileType.name) file ends before its content does.")
    }

    static func damaged(_ fileType: ImageFileType, _ what: String) -> ImageError {
        ImageError(code: .damaged, reason: "The \(fileType.name) file is damaged: \(what).")
    }
}
