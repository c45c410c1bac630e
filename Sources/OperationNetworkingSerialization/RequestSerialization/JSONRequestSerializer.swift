// SPDX-License-Identifier: MIT
public import Foundation
internal import FoundationNetworking
internal import NetworkingSupport

/// Puts parameters into a JSON body. AF: `AFJSONRequestSerializer`.
///
/// The methods in `httpMethodsEncodingParametersInURI` have their parameters in the query, as with
/// `HTTPRequestSerializer`.
///
/// ```swift
/// manager.requestSerializer = JSONRequestSerializer()
/// let created = try await manager.makeOperation(
///     method: "POST", "books", parameters: ["title": "Lavinia"]
/// ).decoded(Book.self)
/// print(created.title)
/// ```
// Sendable because the property that it adds is a lock around a Sendable value.
open class JSONRequestSerializer: HTTPRequestSerializer, @unchecked Sendable {
    private let options: Locked<UInt>

    /// Creates a serializer that writes JSON without options.
    public required init() {
        options = Locked(0)
        super.init()
    }

    /// Creates a serializer that writes JSON with the given options.
    public init(writingOptions: JSONSerialization.WritingOptions = []) {
        options = Locked(writingOptions.rawValue)
        super.init()
    }

    /// The options for writing dictionaries and arrays. An `Encodable` value is written as `parameterEncoder` says.
    /// Default: none; keys are in no order without `.sortedKeys`, a scalar at top level needs `.fragmentsAllowed`.
    public var writingOptions: JSONSerialization.WritingOptions {
        get { JSONSerialization.WritingOptions(rawValue: options.withLock { $0 }) }
        set {
            let value = newValue.rawValue
            options.withLock { $0 = value }
        }
    }

    override var isBuiltIn: Bool { type(of: self) == JSONRequestSerializer.self }

    /// JSON, announced as `application/json` unless the request has a `Content-Type`. Without parameters neither
    /// content nor `Content-Type` is set.
    ///
    /// - Throws: `RequestSerializationError`, code `.invalidParameters`, for values that JSON has no form for.
    override func setContent(
        _ parameters: Any?, of request: inout URLRequest, _ settings: RequestSerializerConfiguration
    ) throws {
        guard let parameters = unwrappedParameter(parameters) else { return }
        let body: Data
        do {
            var writer = JSONWriter(options: writingOptions, encoder: settings.parameterEncoder)
            body = try writer.write(parameters)
        } catch let failure as ParameterError {
            throw RequestSerializationError(
                code: .invalidParameters,
                reason: "The `parameters` argument is not valid JSON.",
                detail: failure.description,
                request: request, underlyingError: failure)
        }
        try settings.setBody(body, contentType: "application/json", of: &request)
    }

    /// A serializer of the same class with the same settings.
    open override func copy(with zone: NSZone? = nil) -> Any {
        let copy = super.copy(with: zone)
        (copy as? JSONRequestSerializer)?.writingOptions = writingOptions
        return copy
    }

    /// Writes every setting that is not code.
    open override func encode(with coder: NSCoder) {
        super.encode(with: coder)
        ArchiveBlob.encode([options.withLock { $0 }], with: coder, forKey: Self.settingsKey)
    }

    /// Reads what `encode(with:)` wrote. `nil` when the archive has no such settings, or broken ones.
    public required init?(coder: NSCoder) {
        guard let value = ArchiveBlob.decode([UInt].self, with: coder, forKey: Self.settingsKey)?.first else {
            return nil
        }
        options = Locked(value)
        super.init(coder: coder)
    }

    private static let settingsKey = "jsonRequestSerializerSettings"
}
