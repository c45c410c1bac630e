// SPDX-License-Identifier: MIT
public import Foundation
public import FoundationNetworking
public import OperationNetworkingImages

// The names are AFNetworking's.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

extension ImageDownloader {
    /// `default()`, as Objective-C and Swift 1 and 2 have it.
    public static func defaultInstance() -> ImageDownloader { .default() }

    /// A downloader over a session manager with this configuration, as AFNetworking has it.
    public convenience init(sessionConfiguration: URLSessionConfiguration) {
        let manager = HTTPSessionManager(baseURL: nil, sessionConfiguration: sessionConfiguration)
        manager.responseSerializer = ImageResponseSerializer()
        self.init(sessionManager: manager)
    }

    /// `downloadPrioritization`, as AFNetworking 3 spells it.
    public var downloadPrioritizaton: ImageDownloadPrioritization {
        get { downloadPrioritization }
        set { downloadPrioritization = newValue }
    }

    /// `downloadImage(for:receiptID:success:failure:)`, as Swift imports AFNetworking's.
    @preconcurrency @discardableResult
    public func downloadImage(
        for request: URLRequest, withReceiptID receiptID: UUID, success: Success?, failure: Failure?
    ) -> ImageDownloadReceipt? {
        downloadImage(for: request, receiptID: receiptID, success: success, failure: failure)
    }

    /// `downloadImage(for:success:failure:)`, as Objective-C has it.
    @preconcurrency @discardableResult
    public func downloadImageForURLRequest(
        _ request: URLRequest, success: Success?, failure: Failure?
    ) -> ImageDownloadReceipt? {
        downloadImage(for: request, success: success, failure: failure)
    }

    /// `downloadImage(for:receiptID:success:failure:)`, as Objective-C has it.
    @preconcurrency @discardableResult
    public func downloadImageForURLRequest(
        _ request: URLRequest, withReceiptID receiptID: UUID, success: Success?, failure: Failure?
    ) -> ImageDownloadReceipt? {
        downloadImage(for: request, receiptID: receiptID, success: success, failure: failure)
    }

    /// `cancelTask(for:)`, as Objective-C has it.
    public func cancelTaskForImageDownloadReceipt(_ receipt: ImageDownloadReceipt) { cancelTask(for: receipt) }
}

extension ImageDownloadPrioritization {
    /// `fifo`, as Swift 1 and 2 have it.
    public static let FIFO = ImageDownloadPrioritization.fifo
    /// `lifo`, as Swift 1 and 2 have it.
    public static let LIFO = ImageDownloadPrioritization.lifo
}
