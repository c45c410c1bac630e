// SPDX-License-Identifier: MIT
import Foundation
@testable import OperationNetworkingCore
@testable import OperationNetworkingSerialization

extension FuzzTarget {
    /// An HTTP Archive (HAR 1.2), as a cassette reads it.
    static let cassette = FuzzTarget(
        "cassette", maximumLength: 16_384,
        texts: [
            #"""
            {"log":{"version":"1.2","creator":{"name":"x","version":"1"},"entries":[
            {"startedDateTime":"2026-01-01T00:00:00.000Z","time":1.5,
            "request":{"method":"POST","url":"http://u:p@h/a?b=c","httpVersion":"HTTP/1.1",
            "headers":[{"name":":path","value":"/a"},{"name":"Authorization","value":"***"}],
            "postData":{"mimeType":"text/plain","text":"aGk=","_encoding":"base64"}},
            "response":{"status":200,"statusText":"OK","headers":[{"name":"Content-Type","value":"a/b"},
            {"name":"Location","value":"http://u:p@h/"}],
            "content":{"size":2,"mimeType":"a/b","text":"aGk=","encoding":"base64"}}}]}}
            """#,
            #"{"log":{"entries":[{"request":{"method":"GET","url":""},"response":{"status":0,"_error":"lost"}}]}}"#,
            #"{"log":{"entries":[{"request":{"method":"e\u0301","url":"\u0000"},"#
                + #""response":{"status":-1,"content":{"text":"\ud83d\ude00"}}}]}}"#,
        ]
    ) { input in
        guard let exchanges = try? HTTPArchive.exchanges(in: input) else { return }
        guard let written = try? HTTPArchive.data(of: exchanges),
            let again = try? HTTPArchive.exchanges(in: written)
        else { broken("an archive that was read can be written, and read") }
        guard again.count == exchanges.count else { broken("no exchange is lost") }
        for (old, new) in zip(exchanges, again) {
            guard old.method.utf8.elementsEqual(new.method.utf8), old.status == new.status, old.content == new.content,
                old.responseHeaders.count == new.responseHeaders.count
            else { broken("an exchange is written as it was read") }
        }
    }
}
