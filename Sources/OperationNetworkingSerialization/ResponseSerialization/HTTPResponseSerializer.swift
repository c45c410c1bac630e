// SPDX-License-Identifier: MIT
public import Foundation
public import FoundationNetworking
internal import NetworkingSupport

/// Checks status code and content type and hands the body out as `Data`. AF: `AFHTTPResponseSerializer`.
///
/// Every property may be read and set from any thread.
///
/// ## Subclassing
/// What a subclass does may take time and may wait: its instances are asked on threads that nothing else waits for.
///
/// Override ``responseObject(for:data:)`` and call `super` (or ``validate(_:data:)``) first. A subclass with stored
/// settings overrides ``copy(with:)``, calls `super.copy(with:)` and sets them on the result, and does the same in
/// `encode(with:)` and `init(coder:)`. A subclass that overrides `init()` and `init(coder:)` inherits
/// ``init(settingsOf:)``, by which copies are made.
///
/// ```swift
/// let serializer = HTTPResponseSerializer()
/// serializer.acceptableContentTypes = ["application/pdf"]
/// manager.responseSerializer = serializer
/// ```
// Sendable because its only stored state is behind `Locked`; a subclass must keep that true.
open class HTTPResponseSerializer: NSObject, URLResponseSerialization, NSCopying, NSSecureCoding, @unchecked Sendable {
    /// Guarded by itself.
    private let configuration = Locked(Configuration())

    /// A serializer that accepts status codes 200–299 and any content type.
    public override init() {
        super.init()
    }

    /// Makes a serializer of the receiving class with the settings of another. ``copy(with:)`` calls it.
    ///
    /// Only what ``HTTPResponseSerializer`` itself has is taken over; subclasses add theirs in ``copy(with:)``.
    public required convenience init(settingsOf other: HTTPResponseSerializer) {
        self.init()
        setConfiguration(other.currentConfiguration)
    }

    /// A serializer from an archive. `nil` if the archive holds none or is damaged.
    public required init?(coder: NSCoder) {
        guard let stored = Configuration(from: coder) else { return nil }
        super.init()
        setConfiguration(stored)
    }

    /// The status codes that make a response acceptable. 200–299 by default, `nil` for any.
    public var acceptableStatusCodes: IndexSet? {
        get { configuration.withLock { $0.statusCodes } }
        set { configuration.withLock { $0.statusCodes = newValue } }
    }

    /// The media types that make a response acceptable. `nil` (the default) for any.
    ///
    /// Compared without parameters and, as RFC 9110 section 8.3.1 has it, without regard to case. No wildcards. Of
    /// several values of `Content-Type`, in one line or in several, the last one counts, as in browsers.
    public var acceptableContentTypes: Set<String>? {
        get { configuration.withLock { $0.contentTypes } }
        set { configuration.withLock { $0.contentTypes = newValue } }
    }

    /// The encoding of text when the response names no charset. UTF-8 by default.
    ///
    /// Used by the serializers that parse JSON text. A byte order mark and the response's charset come before it.
    public var stringEncoding: String.Encoding {
        get { configuration.withLock { String.Encoding(rawValue: $0.stringEncoding) } }
        set { configuration.withLock { $0.stringEncoding = newValue.rawValue } }
    }

    /// Checks status code and content type.
    ///
    /// A response that is not HTTP's, or none, is acceptable. The content type is not looked at if there is no
    /// content to have one: `data` is `nil`, or it is empty and the status is 204, 205 or 304 or the response names no
    /// type.
    ///
    /// - Throws: ``ResponseSerializationError`` with code `badServerResponse` for the status, on top of one with code
    ///   `cannotDecodeContentData` if the content type is not acceptable either; or the latter alone.
    open func validate(_ response: URLResponse?, data: Data?) throws {
        if let error = currentConfiguration.refusal(of: SerializedResponse(response), data: data) { throw error }
    }

    /// The body as it came. Its status code and content type are checked first.
    ///
    /// - Throws: ``ResponseSerializationError``; the body is its `responseObject`.
    open func responseObject(for response: URLResponse?, data: Data?) throws -> Any? {
        try handedOut(SerializedResponse(response), data: data)
    }

    /// A serializer of the same class with the same settings.
    open func copy(with zone: NSZone? = nil) -> Any {
        type(of: self).init(settingsOf: self)
    }

    /// True.
    open class var supportsSecureCoding: Bool { true }

    /// Writes every setting into an archive.
    open func encode(with coder: NSCoder) {
        currentConfiguration.encode(to: coder)
    }

    /// One consistent reading of all settings.
    final var currentConfiguration: Configuration { configuration.withLock { $0 } }

    private func setConfiguration(_ new: Configuration) {
        configuration.withLock { $0 = new }
    }
}

extension HTTPResponseSerializer {
    /// True if ``responseObject(for:data:)`` does more than check and hand out: if not, there is no reason to change to
    /// the processing queue for it.
    final var requiresProcessing: Bool {
        type(of: self) != HTTPResponseSerializer.self
    }

    /// The verdict on a response by its status code alone, if that is all this serializer looks at: then the body is
    /// the object and no `HTTPURLResponse` is needed. `nil` if it looks at more.
    package final func fastValidation(statusCode: Int) -> Bool? {
        guard !requiresProcessing else { return nil }
        return configuration.withLock { $0.contentTypes == nil ? $0.accepts(statusCode: statusCode) : nil }
    }
}
