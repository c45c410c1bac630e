// SPDX-License-Identifier: MIT
internal import Foundation

/// News of a queue that is running, about the requests that it sends and those that ended by what it recorded.
///
/// An end is in the store before its event is delivered, and its event comes before those of the requests that waited for
/// it. Requests that other workers send have no events here.
public enum DurableRequestEvent: Sendable {
    /// An attempt begins. The number counts those that failed before, and this one.
    case started(DurableRequest.ID, attempt: Int)
    /// Content has arrived, with the bytes so far and those in all, or -1.
    case progress(DurableRequest.ID, received: Int64, expected: Int64)
    /// The request has succeeded.
    case finished(DurableRequest.ID, DurableRequestResult)
    /// The request has failed for good.
    case failed(DurableRequest.ID, DurableRequestResult)
    /// An attempt failed, and another one follows after so many seconds.
    case retried(DurableRequest.ID, DurableRequestResult.Failure, delay: Double)
    /// The request is not sent, because one that had to succeed did not.
    case skipped(DurableRequest.ID)
    /// The request was cancelled.
    case cancelled(DurableRequest.ID)
    /// The lease was lost, because it could not be renewed in time. Another worker has the request, or had it.
    case lost(DurableRequest.ID)
}
