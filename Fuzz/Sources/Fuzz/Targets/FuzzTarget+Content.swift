// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import FoundationXML
@testable import NetworkingTransport
@testable import OperationNetworkingCore
@testable import OperationNetworkingSerialization
import OperationNetworkingXML

extension FuzzTarget {
    /// The lines of a head: what is read from fields.
    static let fields = FuzzTarget(
        "fields",
        texts: [
            "Content-Range: bytes 5-25/100\r\nContent-Length: 21\r\nETag: \"a\"\r\n",
            "Content-Type: text/html; charset=\"iso-8859-1\"\r\nContent-Encoding: gzip, br\r\n",
            "Last-Modified: Wed, 21 Oct 2015 07:28:00 GMT\r\nAccept-Ranges: none\r\nX: a\r\n b\r\n",
            "Content-Disposition: attachment; filename*=UTF-8''x\r\nContent-Range: bytes */5\r\n",
            "Content-Disposition: attachment; FILENAME=\"../a\\b.txt\"\r\nContent-Type: a/b; c=\"d\", e/f;charset=koi8-r\r\n",
        ]
    ) { input in
        for status in [200, 206, 302, 401, 416] {
            let head = ResponseHead(statusCode: status, httpVersion: "HTTP/1.1", rawFields: [UInt8](input))
            if let range = ContentRange(head: head), let first = range.first, let last = range.last {
                guard first >= 0, first <= last, range.total.map({ last < $0 }) ?? true else {
                    broken("a range is in order")
                }
            }
            if let length = head.contentLength, length < 0 { broken("a length is not negative") }
            _ = HTTPChallenge(head: head)
            _ = ContentDecoder.codings(of: head)
            guard let url = URL(string: "http://example.com/a") else { return }
            let representation = Representation(head: head, from: url, method: "GET", receivedAt: 1e9)
            _ = representation?.isContinued(by: head, from: 5, at: url)
            _ = RedirectPolicy.next(after: URLRequest(url: url), at: url, for: head)
            head.forEachField { _, value in _ = String.Encoding(charset: value) }
            if let name = head.suggestedFileName {
                let isName = !name.isEmpty && name != "." && name != ".." && name.utf8.count <= 255
                let isOneOfAFolder = !name.utf8.contains { $0 < 0x20 || $0 == UInt8(ascii: "/") || $0 == 0x5C }
                if !isName || !isOneOfAFolder { broken("the name of a file is one, and no path") }
            }
            if let type = head.mediaType, !type.essence.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) {
                broken("a media type is ASCII")
            }
        }
    }

    private static func response(_ type: String) -> HTTPURLResponse? {
        URL(string: "http://example.com/").flatMap {
            HTTPURLResponse(url: $0, statusCode: 200, httpVersion: "HTTP/1.1", headerFields: ["Content-Type": type])
        }
    }

    static let json = FuzzTarget(
        "json", maximumLength: 65_536,
        texts: [
            "{\"a\": [1, -2.5e3, null, true, \"\\u00e9\\ud83d\\ude00\"], \"b\": {\"c\": {}}}", "[]", "\"x\"", "1e400",
            "\u{FEFF}{\"e\u{301}\": 9223372036854775808}",
        ]
    ) { input in
        let serializer = JSONResponseSerializer()
        serializer.removesKeysWithNullValues = true
        _ = try? serializer.responseObject(for: response("application/json"), data: input)
        _ = try? DecodableResponseSerializer<[String: [Int?]]>().responseObject(
            for: response("application/json"), data: input)
    }

    static let plist = FuzzTarget(
        "plist", maximumLength: 16_384,
        seeds: [.xml, .binary].compactMap {
            try? PropertyListSerialization.data(
                fromPropertyList: ["a": [1, 2.5, "x", true, Data([1, 2]), Date(timeIntervalSince1970: 0)] as [Any]],
                format: $0, options: 0)
        }
    ) { input in
        _ = try? PropertyListResponseSerializer().responseObject(for: response("application/x-plist"), data: input)
    }

    static let xml = FuzzTarget(
        "xml", maximumLength: 65_536,
        texts: [
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?><a b=\"c\"><!-- d --><e>&lt;&#65;</e><![CDATA[f]]></a>",
            "<!DOCTYPE a [<!ENTITY b \"c\">]><a>&b;</a>", "<a xmlns:x=\"u\"><x:b/></a>",
        ]
    ) { input in
        let parser = try? XMLParserResponseSerializer().responseObject(for: response("application/xml"), data: input)
        _ = (parser as? XMLParser)?.parse()
        _ = try? XMLDocumentResponseSerializer().responseObject(for: response("application/xml"), data: input)
    }

    /// Certificates as DER and PEM, keys, and PKCS#12.
    static let certificate = FuzzTarget(
        "certificate", maximumLength: 8192,
        texts: [
            "-----BEGIN CERTIFICATE-----\nMIIBAA==\n-----END CERTIFICATE-----\n", "0\u{3}\u{2}\u{1}\u{5}",
            "-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEIEFCQ0RFRkdISUpLTE1OT1BRUlNUVVZXWFlaYWJjZGVm\n-----END PRIVATE KEY-----\n",
        ]
    ) { input in
        if let trust = try? ServerTrust(certificates: [input, input]) {
            _ = SecurityPolicy.default().evaluation(of: trust, forDomain: "example.com")
        }
        let policy = SecurityPolicy(pinningMode: .publicKey, pinnedCertificates: [input])
        _ = try? policy.validate()
        _ = try? ClientIdentity(certificateChainPEM: input, privateKeyPEM: input, password: "p")
        _ = try? ClientIdentity(pkcs12: input, password: "p")
    }
}
