// SPDX-License-Identifier: MIT
internal import Foundation

/// An `NSError` whose description is its one line, in place of domain, code and everything in the user info.
///
/// `URLError` and `CocoaError` print what the `NSError` in them prints.
// Sendable as every `NSError`: nothing of it changes.
class DescribedError: NSError, @unchecked Sendable {
    override var description: String { localizedDescription }
    override var debugDescription: String { localizedDescription }
    /// The class that archives and copies take it for.
    override var classForCoder: AnyClass { NSError.self }
}

extension CocoaError {
    /// An error that prints `reason`, as ``Foundation/NSError/localizedDescription`` has it.
    package init(_ code: CocoaError.Code, reason: String, userInfo: [String: Any] = [:]) {
        self.init(_nsError: DescribedError(domain: NSCocoaErrorDomain, code: code.rawValue, reason, userInfo))
    }

    /// An error like another one, with one more value in its user info.
    package init(_ error: any Error, adding value: Any, forKey key: String) {
        // Of a `CocoaError` the user info holds the very error that `as NSError` gives, without what is added to it.
        let original = error as NSError
        var userInfo = original.userInfo
        userInfo[key] = value
        self.init(_nsError: DescribedError(domain: original.domain, code: original.code, userInfo: userInfo))
    }
}

extension DescribedError {
    /// With a text that is its description and its failure reason.
    convenience init(domain: String, code: Int, _ reason: String, _ userInfo: [String: Any] = [:]) {
        let line = ErrorLine.oneLine(reason)
        self.init(
            domain: domain, code: code,
            userInfo: userInfo.merging([
                NSLocalizedDescriptionKey: line, NSLocalizedFailureReasonErrorKey: line,
            ]) { $1 })
    }
}

extension NSError {
    /// Returns an error that prints one line, which is its description and its failure reason.
    package static func described(
        domain: String, code: Int, _ reason: String, _ userInfo: [String: Any] = [:]
    ) -> NSError {
        DescribedError(domain: domain, code: code, reason, userInfo)
    }
}
