// SPDX-License-Identifier: MIT

/// The handler that runs on the completion queue at the end of an operation.
enum CompletionHandler {
    /// `completionBlock`.
    case block(@Sendable () -> Void)
    /// `setCompletionBlockWithSuccess(_:failure:)`: kept as closures that get the operation when they run, so that no
    /// cycle is built.
    case result(
        success: (@Sendable (HTTPRequestOperation, Any?) -> Void)?,
        failure: (@Sendable (HTTPRequestOperation, any Error) -> Void)?)
}
