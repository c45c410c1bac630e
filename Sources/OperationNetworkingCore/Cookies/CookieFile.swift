// SPDX-License-Identifier: MIT
public import Foundation
public import FoundationNetworking
internal import Glibc
internal import NetworkingSupport
internal import NetworkingTransport

/// A file that keeps a program's cookies until its next run.
///
/// Cookies that the library receives stay in memory: Foundation, on Linux, writes those of `HTTPCookieStorage.shared`
/// into a file that all users may read, and that all programs in folders of the same name share. To keep cookies, load
/// the file before the first request, and save it when there is something to keep:
///
/// ```swift
/// let file = try CookieFile()
/// try file.load(into: .shared)
/// // Requests, and then:
/// try file.save(.shared)
/// ```
///
/// The file is for its owner only (0600), and is replaced as a whole. The last program that saves wins.
public struct CookieFile: Sendable, Hashable {
    /// The location of the file.
    public let url: URL

    /// A file at a place of the program's choice.
    ///
    /// - Parameter url: a file URL. Folders that are missing are made by `save(_:)`, for their owner only.
    public init(url: URL) {
        self.url = url
    }

    /// The program's own file, in a folder that is named after its executable and a digest of the executable's path.
    /// That is `~/.local/share/tool-0a1b2c3d4e5f6071/cookies.json`, or below `XDG_DATA_HOME`.
    ///
    /// - Throws: `.noFolder` when there is no home, or the executable is not known.
    public init() throws(CookieFileError) {
        guard let data = FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask).first,
            let program = RunningProgram.path
        else {
            throw CookieFileError(
                code: .noFolder,
                reason: "There is no folder for the cookies of this program: use CookieFile(url:).")
        }
        let name = URL(fileURLWithPath: program).lastPathComponent
        guard let digest = try? SHA256Hasher.hex(of: Data(program.utf8)).prefix(16) else {
            throw CookieFileError(
                code: .noFolder, reason: "OpenSSL cannot make a SHA-256 digest: use CookieFile(url:).")
        }
        url = data.appendingPathComponent(FileName.name(name, with: "-\(digest)")).appendingPathComponent(
            "cookies.json")
    }

    /// Adds the file's cookies to a storage, where none with the same name, domain and path is. Reads the disk on the
    /// calling thread. Without a file nothing happens.
    ///
    /// - Throws: what keeps the file from being read, or being trusted. The storage is not changed then.
    public func load(into storage: HTTPCookieStorage) throws(CookieFileError) {
        guard let data = try read() else { return }
        let content: Content
        do {
            content = try JSONDecoder().decode(Content.self, from: JSONText.parsable(data))
        } catch {
            throw damaged("is no file of cookies")
        }
        guard content.version == Content.currentVersion else { throw damaged("is of another version") }
        storage.change { jar in
            let now = Date()
            for cookie in content.cookies.compactMap({ $0.checked(at: now) }) where !jar.contains(cookie) {
                jar.put(cookie)
            }
        }
    }

    /// Writes the cookies of a storage that outlive the program. They have an expiry date, and were not made with
    /// `HTTPCookiePropertyKey.discard`. Writes the disk on the calling thread.
    ///
    /// - Throws: what keeps the file from being written. What was there before is still there.
    public func save(_ storage: HTTPCookieStorage) throws(CookieFileError) {
        let now = Date()
        let kept = storage.allCookies.filter { cookie in
            cookie.expiresDate != nil && !cookie.isExpired(at: now)
                && (cookie is ReceivedCookie || !cookie.isSessionOnly)
        }
        let sorted = kept.sorted { CookieCreation(of: $0) < CookieCreation(of: $1) }
        let content = Content(version: Content.currentVersion, cookies: sorted.map { Entry($0) })
        let data: Data
        do {
            data = try JSONEncoder().encode(content)
        } catch {
            throw CookieFileError(
                code: .notWritable, reason: "The cookies cannot be encoded: \(error.localizedDescription)",
                underlyingError: error)
        }
        try write(data)
    }

    func damaged(_ what: String) -> CookieFileError {
        CookieFileError(code: .damaged, reason: "\(url.path) \(what): remove it, or choose another file.")
    }

    private struct Content: Codable {
        static let currentVersion = 1
        var version: Int
        var cookies: [Entry]
    }
}

/// A cookie in the file.
private struct Entry: Codable {
    var name: String
    var value: String
    /// True if each character of `value` is an octet; nil: false.
    var isLatin1: Bool?
    /// With a dot before it when it is not host-only.
    var domain: String
    var path: String
    var isSecure: Bool
    var isHTTPOnly: Bool
    var sameSite: String?
    /// Seconds since 1970.
    var expires: Double
    var created: Double

    init(_ cookie: HTTPCookie) {
        name = cookie.name
        value = cookie.value
        isLatin1 = (cookie as? ReceivedCookie)?.isLatin1 == true ? true : nil
        domain = cookie.domain
        path = cookie.path
        isSecure = cookie.isSecure
        isHTTPOnly = cookie.isHTTPOnly
        sameSite = cookie.sameSitePolicy?.rawValue
        expires = cookie.expiresDate?.timeIntervalSince1970 ?? 0
        created = CookieCreation(of: cookie).date.timeIntervalSince1970
    }

    /// The octets of the value, as the server has set it.
    private var valueLength: Int { isLatin1 == true ? value.unicodeScalars.count : value.utf8.count }

    /// Returns the content of the cookie; nil when no server could have set it, or it has expired.
    func checked(at now: Date) -> ReceivedCookie.Content? {
        let host = domain.hasPrefix(".") ? domain.dropFirst() : domain[...]
        let isAddress = host.utf8.contains(UInt8(ascii: ":"))
        guard isAddress || CookieDomain.isWellFormed(host.utf8), host.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }),
            path.utf8.first == UInt8(ascii: "/"), path.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }),
            name.utf8.count + valueLength <= SetCookieField.maximumPairLength,
            !name.utf8.contains(where: CookieBytes.isControl), !value.utf8.contains(where: CookieBytes.isControl),
            isLatin1 != true || value.unicodeScalars.allSatisfy({ $0.value <= 0xFF }),
            expires > now.timeIntervalSince1970, created.isFinite
        else { return nil }
        let latest = now.timeIntervalSince1970 + Double(CookieJar.maximumAge)
        return ReceivedCookie.Content(
            name: name, value: value, isLatin1: isLatin1 ?? false, domain: domain, path: path, isSecure: isSecure,
            isHTTPOnly: isHTTPOnly,
            sameSite: sameSite.map(HTTPCookieStringPolicy.init(rawValue:)),
            expires: Date(timeIntervalSince1970: min(expires, latest)),
            creation: CookieCreation(at: min(now, Date(timeIntervalSince1970: created))))
    }
}
