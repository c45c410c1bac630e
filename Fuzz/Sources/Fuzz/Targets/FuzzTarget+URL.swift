// SPDX-License-Identifier: MIT
import Foundation
@testable import NetworkingTransport
@testable import OperationNetworkingCore
@testable import OperationNetworkingSerialization

extension FuzzTarget {
    /// What becomes a URL: the octets of a field.
    static let url = FuzzTarget(
        "url",
        texts: [
            "/x?u=https%3A%2F%2Fh%2F&t=a[b]#a%20b", "http://us[er:p%40@b\u{fc}cher.de:80/%2f\u{e9}%",
            "//[::1]/?%zz#x#y", "a:b%", "2024:01", "",
        ]
    ) { input in
        guard let text = URLEscaping.escaped(octets: [UInt8](input)) else { return }
        guard URLEscaping.escaped(text).utf8.elementsEqual(text.utf8) else { broken("once is enough") }
        guard let base = URL(string: "http://example.com/a%E9/") else { return }
        _ = URL(string: text)?.absoluteString
        guard let url = URL(reference: [UInt8](input), relativeTo: base) else { return }
        _ = url.withoutUserInfo
        _ = URLEscaping.normalizedPath(url.path(percentEncoded: true))
    }
}
