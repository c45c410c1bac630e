// SPDX-License-Identifier: MIT
internal import Foundation

/// The failures after which another attempt of a durable request may do better.
enum RetryRules {
    /// Failures that would come again: of the request, the machine, the certificate, the program.
    private static let lasting: Set<URLError.Code> = [
        .badURL, .unsupportedURL, .cancelled, .userCancelledAuthentication, .userAuthenticationRequired,
        .serverCertificateUntrusted, .serverCertificateHasBadDate, .serverCertificateHasUnknownRoot,
        .clientCertificateRejected, .clientCertificateRequired, .cannotCreateFile, .cannotOpenFile,
        .fileDoesNotExist, .fileIsDirectory, .noPermissionsToReadFile, .dataLengthExceedsMaximum,
        .httpTooManyRedirects, .redirectToNonExistentLocation,
    ]

    /// - Parameter status: of the response; nil: there was none.
    static func mayPass(_ error: any Error, status: Int?, _ policy: DurableRetryPolicy) -> Bool {
        if let status, status < 200 || status >= 300 { return policy.statusCodes.contains(status) }
        if let error = error as? URLError { return !lasting.contains(error.code) }
        // A response that the serializer refuses would be the same; without one, a provider of secrets has failed.
        return status == nil
    }
}
