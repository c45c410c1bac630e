// SPDX-License-Identifier: MIT
internal import Foundation
internal import FoundationNetworking
internal import NetworkingTransport

/// The cookies of responses, to be kept before the next request goes out.
struct ReceivedCookies {
    /// Each response with the URL that it came from: that of a redirect sets cookies of its own host.
    let heads: [(ResponseHead, URL)]
    let mainDocumentURL: URL?
    let setting: CookieStorageSetting

    /// Fields of one response that are looked at: more than a storage keeps of one domain.
    private static let maximum = 180

    /// Puts them into the storage. Not on the network thread: it reads and writes files.
    func store() {
        guard !heads.isEmpty, let storage = setting.storage else { return }
        let policy = setting.acceptPolicy ?? storage.cookieAcceptPolicy
        guard policy != .never else { return }
        let document = mainDocumentURL.flatMap { CookieLocation($0) }
        storage.change { jar in
            for (head, url) in heads {
                guard let location = CookieLocation(url) else { continue }
                if policy == .onlyFromMainDocumentDomain, let document, !location.isSameSite(as: document) { continue }
                var count = 0
                head.forEachValue(of: .setCookie) { value in
                    count += 1
                    guard count <= Self.maximum, let field = SetCookieField(value) else { return }
                    jar.take(field, from: location)
                }
            }
        }
    }
}
