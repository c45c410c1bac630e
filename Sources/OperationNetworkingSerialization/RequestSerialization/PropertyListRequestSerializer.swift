// SPDX-License-Identifier: MIT
public import Foundation
internal import FoundationNetworking
internal import NetworkingSupport

/// Puts parameters into a property-list body. AF: `AFPropertyListRequestSerializer`.
///
/// The methods in `httpMethodsEncodingParametersInURI` have their parameters in the query, as with
/// `HTTPRequestSerializer`.
// Sendable because the property that it adds is a lock around a value of Sendable parts.
open class PropertyListRequestSerializer: HTTPRequestSerializer, @unchecked Sendable {
    private struct Settings: Codable, Sendable {
        var format = PropertyListSerialization.PropertyListFormat.xml.rawValue
        var writeOptions = 0
    }

    private let settings: Locked<Settings>

    /// Creates a serializer that writes XML property lists.
    public required init() {
        settings = Locked(Settings())
        super.init()
    }

    /// Creates a serializer that writes property lists of the given format, `.xml` or `.binary`.
    public init(
        format: PropertyListSerialization.PropertyListFormat = .xml,
        writeOptions: PropertyListSerialization.WriteOptions = 0
    ) {
        settings = Locked(Settings(format: format.rawValue, writeOptions: Int(writeOptions)))
        super.init()
    }

    /// The format, `.xml` or `.binary`. Foundation cannot write `.openStep`. Default: `.xml`.
    public var format: PropertyListSerialization.PropertyListFormat {
        get { PropertyListSerialization.PropertyListFormat(rawValue: settings.withLock { $0.format }) ?? .xml }
        set { settings.withLock { $0.format = newValue.rawValue } }
    }

    /// Foundation's write options, which have no effect at present. Default: 0.
    public var writeOptions: PropertyListSerialization.WriteOptions {
        get { PropertyListSerialization.WriteOptions(settings.withLock { $0.writeOptions }) }
        set { settings.withLock { $0.writeOptions = Int(newValue) } }
    }

    override var isBuiltIn: Bool { type(of: self) == PropertyListRequestSerializer.self }

    /// A property list, announced as `application/x-plist` unless the request has a `Content-Type`. Without parameters
    /// neither content nor `Content-Type` is set.
    ///
    /// - Throws: `RequestSerializationError`, code `.invalidParameters`, for values that a property list has no form
    ///   for.
    override func setContent(
        _ parameters: Any?, of request: inout URLRequest, _ settings: RequestSerializerConfiguration
    ) throws {
        guard let parameters = unwrappedParameter(parameters) else { return }
        let body: Data
        do {
            body = try PropertyListWriter(format: format, writeOptions: writeOptions).write(parameters)
        } catch {
            throw RequestSerializationError(
                code: .invalidParameters, reason: "The `parameters` argument is not a valid property list.",
                detail: error.localizedDescription,
                request: request, underlyingError: error)
        }
        try settings.setBody(body, contentType: "application/x-plist", of: &request)
    }

    /// A serializer of the same class with the same settings.
    open override func copy(with zone: NSZone? = nil) -> Any {
        let copy = super.copy(with: zone)
        let settings = settings.withLock { $0 }
        (copy as? PropertyListRequestSerializer)?.settings.withLock { $0 = settings }
        return copy
    }

    /// Writes every setting that is not code.
    open override func encode(with coder: NSCoder) {
        super.encode(with: coder)
        ArchiveBlob.encode(settings.withLock { $0 }, with: coder, forKey: Self.settingsKey)
    }

    /// Reads what `encode(with:)` wrote. `nil` when the archive has no such settings, or broken ones.
    public required init?(coder: NSCoder) {
        guard let settings = ArchiveBlob.decode(Settings.self, with: coder, forKey: Self.settingsKey) else {
            return nil
        }
        self.settings = Locked(settings)
        super.init(coder: coder)
    }

    private static let settingsKey = "propertyListRequestSerializerSettings"
}
