// SPDX-License-Identifier: MIT
public import Foundation

extension HTTPRequestOperation {
    /// `setCompletionBlockWithSuccess(_:failure:)` for blocks of the types that Swift 1 and 2 had for them.
    @_disfavoredOverload
    @preconcurrency
    public func setCompletionBlockWithSuccess(
        _ success: (@Sendable (HTTPRequestOperation, AnyObject?) -> Void)?,
        failure: (@Sendable (HTTPRequestOperation, NSError) -> Void)?
    ) {
        setCompletionBlock(Forward.success(success), Forward.failure(failure))
    }

    /// `setCompletionBlockWithSuccess(_:failure:)` for blocks of the types that Swift 1 and 2 had for them. Their
    /// object is not optional; `NSNull` stands for nothing.
    @_disfavoredOverload
    @preconcurrency
    public func setCompletionBlockWithSuccess(
        _ success: (@Sendable (HTTPRequestOperation, AnyObject) -> Void)?,
        failure: (@Sendable (HTTPRequestOperation, NSError) -> Void)?
    ) {
        setCompletionBlock(Forward.success(success), Forward.failure(failure))
    }

    /// With types that only the method of `OperationNetworking` has.
    private func setCompletionBlock(
        _ success: Forward.Success?, _ failure: (@Sendable (HTTPRequestOperation, any Error) -> Void)?
    ) {
        setCompletionBlockWithSuccess(success, failure: failure)
    }
}
