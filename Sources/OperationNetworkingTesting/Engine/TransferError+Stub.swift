// SPDX-License-Identifier: MIT
internal import Foundation
internal import FoundationNetworking
internal import NetworkingTransport

extension TransferError {
    /// A stub's error as the engine would report it, so that what follows is decided as for a server's.
    static func ofStub(_ error: any Error, url: String) -> TransferError {
        guard let error = error as? URLError, error.userInfo[NSUnderlyingErrorKey] == nil else {
            return TransferError(.substituted, message: "A stub failed the request.", cause: error)
        }
        let kind: TransferError.Kind? =
            switch error.code {
            case .cancelled: .cancelled
            case .cannotFindHost: .cannotFindHost
            case .cannotConnectToHost: .cannotConnect
            case .timedOut: .timedOut
            case .networkConnectionLost: .connectionLost
            case .cannotParseResponse: .badResponse
            case .cannotDecodeContentData: .cannotDecodeContent
            case .secureConnectionFailed: .secureConnectionFailed
            case .clientCertificateRequired: .clientCertificateRequired
            case .clientCertificateRejected: .clientCertificate
            default: nil
            }
        guard let kind else {
            var userInfo = error.userInfo
            userInfo[NSURLErrorFailingURLErrorKey] = URL(escaping: url)
            userInfo["NSErrorFailingURLStringKey"] = url
            return TransferError(
                .substituted, message: "A stub failed the request.", cause: URLError(error.code, userInfo: userInfo))
        }
        return TransferError(kind, message: "A stub failed the request.")
    }
}

extension ResponseHead {
    /// A stub's response head as the engine would report it.
    init(ofStub head: StubScript.Head) {
        var bytes: [UInt8] = []
        for field in head.fields { bytes += Array("\(field.name): \(field.value)\r\n".utf8) }
        self.init(statusCode: head.status, httpVersion: "1.1", rawFields: bytes)
    }
}
