// SPDX-License-Identifier: MIT
internal import Dispatch
internal import Foundation
internal import FoundationNetworking
public import OperationNetworking

/// Shows the errors of operations. AF: `UIAlertView+AFNetworking`.
///
/// A cancelled operation is not shown as an error: it was cancelled on purpose.
@MainActor
public final class ErrorBinding {
    private weak var view: (any ErrorDisplaying)?
    private var observations: [ObjectIdentifier: OperationStateObservation] = [:]

    /// A binding for a view, which is not kept alive, and keeps the binding.
    public init(_ view: any ErrorDisplaying) {
        self.view = view
    }

    /// Shows the error of an operation once it has ended with one.
    /// AF: `showAlertViewForRequestOperationWithErrorOnCompletion:delegate:`.
    public func showError(of operation: URLConnectionOperation) {
        let key = ObjectIdentifier(operation)
        observations[key] = operation.observeState { [weak self, weak operation] _, state in
            guard state == .finished else { return }
            let error = operation?.error
            DispatchQueue.images.async { [weak self] in MainActor.assumeIsolated { self?.end(key, error) } }
        }
        // It may have ended before.
        if operation.state == .finished { end(key, operation.error) }
    }

    private func end(_ key: ObjectIdentifier, _ error: (any Error)?) {
        guard observations.removeValue(forKey: key) != nil, let error, (error as? URLError)?.code != .cancelled else {
            return
        }
        let text = Self.text(of: error)
        view?.displayError(title: text.title, message: text.message)
    }

    private static func reason(of error: URLError?) -> String? {
        error?.userInfo[NSLocalizedFailureReasonErrorKey] as? String
    }

    /// AFNetworking's rule: what and why; or only what; or domain and code.
    static func text(of error: any Error) -> (title: String, message: String) {
        let userInfo = (error as NSError).userInfo
        let localized = error as? any LocalizedError
        let description = userInfo[NSLocalizedDescriptionKey] as? String ?? localized?.errorDescription
        let detail =
            userInfo[NSLocalizedRecoverySuggestionErrorKey] as? String ?? localized?.recoverySuggestion
            ?? userInfo[NSLocalizedFailureReasonErrorKey] as? String ?? localized?.failureReason
        guard let description else {
            return ("Error", "\((error as NSError).domain) Error: \((error as NSError).code)")
        }
        // The library's own description is a line for logs, with method and URL: a view shows what went wrong.
        if let reason = (error as? any NetworkingError)?.reason ?? reason(of: error as? URLError) {
            return detail.map { $0 == reason ? ("Error", reason) : (reason, $0) } ?? ("Error", reason)
        }
        guard let detail, detail != description else { return ("Error", description) }
        return (description, detail)
    }
}
