// SPDX-License-Identifier: MIT
internal import Foundation
internal import FoundationNetworking
internal import NetworkingSupport
internal import NetworkingTransport

extension HTTPRequestOperation {
    /// Returns the shell command that makes this operation's request with curl. It has method, URL, header fields,
    /// cookies and content, with what the library adds to it and without what curl would.
    ///
    /// Content that is not text comes from `printf`; a body stream is left to be given on standard input. Settings of
    /// the transport (proxies, security policy, client identity) are not in it.
    ///
    /// ```swift
    /// print(operation.cURLCommand())
    /// ```
    ///
    /// - Parameter maskingSecrets: true if `***` stands for the values of `Authorization`, `Proxy-Authorization` and
    ///   `Cookie`, for the credential, and for user name and password in the URL. True by default. Query and content
    ///   are shown as they are.
    public func cURLCommand(maskingSecrets: Bool = true) -> String {
        let (request, configuration) = lock.withLock { (_request, _configuration.value) }
        let method = request.httpMethod ?? "GET"
        var command = ["curl", "--globoff", "--path-as-is", "--location"]
        var pipe = ""
        let hasContent = request.httpBody != nil || request.httpBodyStream != nil
        if method == "HEAD" {
            command.append("--head")
        } else if method != "GET" || hasContent {
            // With content curl would make it a POST.
            command += ["--request", Self.quoted(method)]
        }
        var fields = Self.fields(of: request)
        func has(_ name: String) -> Bool { fields.contains { $0.name.isFieldName(name) } }
        if request.httpShouldHandleCookies, !has("Cookie"), let url = request.url,
            let field = configuration.storages.cookies.storage?.cookieField(for: url)
        {
            fields.append(field)
        }
        if !has("Accept-Encoding") { command.append("--compressed") }
        // The fields that curl would send without being asked.
        let unsaid = ["User-Agent"] + (hasContent ? ["Content-Type", "Expect"] : [])
        for field in fields {
            let isSecret = maskingSecrets && Self.secretFields.contains { field.name.isFieldName($0) }
            let value = isSecret ? "***" : field.value
            command += ["--header", Self.quoted(value.isEmpty ? "\(field.name);" : "\(field.name): \(value)")]
        }
        for name in unsaid where !has(name) { command += ["--header", Self.quoted("\(name):")] }
        if let credential = configuration.identity.credential, let user = credential.user {
            let known = maskingSecrets ? "***" : "\(user):\(credential.password ?? "")"
            command += ["--anyauth", "--user", Self.quoted(known)]
        }
        if request.httpBodyStream != nil {
            command += ["--data-binary", "@-"]
        } else if let body = request.httpBody {
            if !body.contains(0), let text = String(validating: body, as: UTF8.self) {
                command += ["--data-raw", Self.quoted(text)]
            } else {
                pipe = "printf '" + body.map { "\\" + Self.octal($0) }.joined() + "' | "
                command += ["--data-binary", "@-"]
            }
        }
        let url = maskingSecrets ? request.url?.withoutUserInfo : request.url
        command.append(Self.quoted(url?.absoluteString ?? ""))
        return pipe + command.joined(separator: " ")
    }

    /// Fields whose values are secrets.
    static let secretFields = ["Authorization", "Proxy-Authorization", "Cookie", "Set-Cookie"]

    /// Returns the header fields, in the same order for equal requests.
    private static func fields(of request: URLRequest) -> [HeaderField] {
        (request.allHTTPHeaderFields ?? [:]).map { HeaderField($0.key, $0.value) }
            .filter { !$0.name.isFieldName("Content-Length") && !$0.name.isFieldName("Transfer-Encoding") }
            .sorted { $0.name < $1.name }
    }

    /// Returns a text as one word of a shell, whatever is in it.
    private static func quoted(_ text: String) -> String {
        var bytes: [UInt8] = [UInt8(ascii: "'")]
        for byte in text.utf8 {
            if byte == UInt8(ascii: "'") { bytes += Array("'\\'".utf8) }
            bytes.append(byte)
        }
        bytes.append(UInt8(ascii: "'"))
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Returns a byte as three digits.
    private static func octal(_ byte: UInt8) -> String {
        String([byte >> 6, byte >> 3 & 7, byte & 7].map { Character(Unicode.Scalar(UInt8(ascii: "0") + $0)) })
    }
}
