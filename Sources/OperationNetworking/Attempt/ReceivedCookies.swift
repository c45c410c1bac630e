internal import Foundation
internal import FoundationNetworking
internal import NetworkingTransport

/// The cookies of responses, to be kept before the next request goes out.
struct ReceivedCookies {
    let heads: [(ResponseHead, URL)]

    /// Cookies that are kept of one response: what browsers keep of one host. Foundation writes its store to the disk for
    /// each, so that thousands would take minutes.
    private static let maximum = 180

    /// Puts them into `HTTPCookieStorage.shared`. Not on the network thread: it writes a file.
    func store() {
        for (head, url) in heads {
            var count = 0
            head.forEachField { name, value in
                guard name.isFieldName("Set-Cookie"), count < Self.maximum else { return }
                count += 1
                for cookie in HTTPCookie.cookies(withResponseHeaderFields: ["Set-Cookie": value], for: url) {
                    HTTPCookieStorage.shared.setCookie(cookie)
                }
            }
        }
    }
}
