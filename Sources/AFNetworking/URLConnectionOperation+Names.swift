// SPDX-License-Identifier: MIT
internal import Foundation
public import FoundationNetworking

extension URLConnectionOperation {
    /// `init(request:)` for Objective-C's request classes.
    public convenience init(request: NSURLRequest) {
        self.init(request: Forward.request(request))
    }

    /// `isPaused` as a method, as in AFNetworking.
    public func isPaused() -> Bool {
        isPaused
    }

    /// `setUploadProgressBlock(_:)` for blocks that take AFNetworking's `NSUInteger`.
    @_disfavoredOverload
    @preconcurrency
    public func setUploadProgressBlock(
        _ block: (
            @Sendable (_ bytesWritten: UInt, _ totalBytesWritten: Int64, _ totalBytesExpectedToWrite: Int64) -> Void
        )?
    ) {
        guard let block else { return setUploadProgressBlock(nil as (@Sendable (Int, Int64, Int64) -> Void)?) }
        setUploadProgressBlock { block(UInt(clamping: $0 as Int), $1, $2) }
    }

    /// `setDownloadProgressBlock(_:)` for blocks that take AFNetworking's `NSUInteger`.
    @_disfavoredOverload
    @preconcurrency
    public func setDownloadProgressBlock(
        _ block: (@Sendable (_ bytesRead: UInt, _ totalBytesRead: Int64, _ totalBytesExpectedToRead: Int64) -> Void)?
    ) {
        guard let block else { return setDownloadProgressBlock(nil as (@Sendable (Int, Int64, Int64) -> Void)?) }
        setDownloadProgressBlock { block(UInt(clamping: $0 as Int), $1, $2) }
    }

    /// Has no effect. A process on Linux is not suspended when its user turns to another one, so the operation goes on,
    /// and `handler` is never called.
    @preconcurrency
    public func setShouldExecuteAsBackgroundTaskWithExpirationHandler(_ handler: (@Sendable () -> Void)?) {}

    /// `batchOfRequestOperations(_:progressBlock:completionBlock:)`, as Swift 3 and later have it.
    ///
    /// In `operations`, what is no `URLConnectionOperation` is left out.
    @preconcurrency
    public static func batch(
        ofRequestOperations operations: [Any]?,
        progressBlock: (
            @Sendable (_ numberOfFinishedOperations: UInt, _ totalNumberOfOperations: UInt) -> Void
        )?,
        completionBlock: (@Sendable (_ operations: [Any]) -> Void)?
    ) -> [Any] {
        var progress: (@Sendable (Int, Int) -> Void)?
        if let progressBlock { progress = { progressBlock(UInt(clamping: $0), UInt(clamping: $1)) } }
        var completion: (@Sendable ([URLConnectionOperation]) -> Void)?
        if let completionBlock { completion = { completionBlock($0) } }
        return batchOfRequestOperations(
            (operations ?? []).compactMap { $0 as? URLConnectionOperation }, progressBlock: progress,
            completionBlock: completion)
    }

    /// `batchOfRequestOperations(_:progressBlock:completionBlock:)` for arrays and blocks of the types that Swift 1 and 2
    /// had for them.
    ///
    /// In `operations`, what is no `URLConnectionOperation` is left out.
    @_disfavoredOverload
    @preconcurrency
    public static func batchOfRequestOperations(
        _ operations: [AnyObject]?,
        progressBlock: (
            @Sendable (_ numberOfFinishedOperations: UInt, _ totalNumberOfOperations: UInt) -> Void
        )?,
        completionBlock: (@Sendable (_ operations: [AnyObject]) -> Void)?
    ) -> [AnyObject] {
        var completion: (@Sendable ([Any]) -> Void)?
        if let completionBlock { completion = { completionBlock($0.map { $0 as AnyObject }) } }
        return batch(ofRequestOperations: operations, progressBlock: progressBlock, completionBlock: completion)
            .map { $0 as AnyObject }
    }
}
