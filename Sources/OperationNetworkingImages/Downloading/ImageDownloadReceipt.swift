// SPDX-License-Identifier: MIT
public import Foundation

/// A receipt by which a request for an image is cancelled. AF 3: `AFImageDownloadReceipt`.
///
/// Several receipts may stand for one transfer.
public struct ImageDownloadReceipt: Sendable, Hashable {
    /// The identifier that was given with the request, or made for it. AF: `receiptID`.
    public let receiptID: UUID
    /// One for each request to the downloader, in its order: identifiers of the user's may come twice. Each downloader
    /// counts from one, so that it takes both to say which request is meant.
    let ticket: UInt64
}
