// SPDX-License-Identifier: MIT
internal import OperationNetworking

/// Leaves to the plan what is lost within a response: an operation that asks again by itself, before anybody has read of the
/// loss, may get another response than the one that the plan has judged, with another length.
struct LostContentInterceptor: RequestInterceptor {
    func retry(_ operation: HTTPRequestOperation, dueTo error: any Error) async -> RetryDecision {
        guard let response = operation.response, (200...299).contains(response.statusCode) else { return .doNotRetry }
        return .doNotRetryWithError(error)
    }
}
