// SPDX-License-Identifier: MIT
internal import Dispatch
public import OperationNetworking

/// Shows with a progress view how much an operation has transferred. AF: `UIProgressView+AFNetworking`.
///
/// Only the operation that was named last is shown, and nothing while it is not known how much there will be. Progress
/// blocks that the operation has are called as before; one that is set afterwards takes the place of this.
@MainActor
public final class ProgressBinding {
    private weak var view: (any ProgressDisplaying)?
    private var number: UInt64 = 0

    /// A binding for a view, which is not kept alive, and keeps the binding.
    public init(_ view: any ProgressDisplaying) {
        self.view = view
    }

    /// Shows how much of its content an operation has sent. AF: `setProgressWithUploadProgressOfOperation:animated:`.
    ///
    /// - Parameters:
    ///   - operation: the operation, which has not been started.
    ///   - animated: handed on to the view.
    public func setProgressWithUploadProgress(of operation: URLConnectionOperation, animated: Bool) {
        operation.addUploadProgressBlock(block(animated))
    }

    /// Shows how much of its content an operation has received. AF: `setProgressWithDownloadProgressOfOperation:animated:`.
    ///
    /// - Parameters:
    ///   - operation: the operation, which has not been started.
    ///   - animated: handed on to the view.
    public func setProgressWithDownloadProgress(of operation: URLConnectionOperation, animated: Bool) {
        operation.addDownloadProgressBlock(block(animated))
    }

    private func block(_ animated: Bool) -> @Sendable (Int, Int64, Int64) -> Void {
        number += 1
        let number = number
        return { [weak self] _, total, expected in
            guard expected > 0 else { return }
            let progress = min(max(Double(total) / Double(expected), 0), 1)
            DispatchQueue.images.async { [weak self] in
                MainActor.assumeIsolated {
                    guard let self, self.number == number else { return }
                    self.view?.setProgress(progress, animated: animated)
                }
            }
        }
    }
}
