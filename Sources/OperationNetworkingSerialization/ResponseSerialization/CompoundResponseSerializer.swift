// SPDX-License-Identifier: MIT
public import Foundation
public import FoundationNetworking
internal import NetworkingSupport

/// Tries several serializers in turn. AF: `AFCompoundResponseSerializer`.
///
/// The first that makes an object wins, with its error if the status was not acceptable to it; errors without an
/// object are passed over. If none makes an object, the outcome is that of a plain ``HTTPResponseSerializer`` with this
/// serializer's own settings: by default 200–299, any content type, the body as `Data`.
///
/// ```swift
/// manager.responseSerializer = CompoundResponseSerializer(
///     responseSerializers: [
///         JSONResponseSerializer(), PropertyListResponseSerializer(),
///     ])
/// ```
// Sendable because its only stored state is behind `Locked`, and so is that of the members.
open class CompoundResponseSerializer: HTTPResponseSerializer, @unchecked Sendable {
    /// Guarded by itself.
    private let members = Locked<[any URLResponseSerialization]>([])

    /// A serializer without members.
    public override init() {
        super.init()
    }

    /// A serializer that tries the given ones in turn. AF: `compoundSerializerWithResponseSerializers:`.
    public convenience init(responseSerializers: [any URLResponseSerialization]) {
        self.init()
        adopt(responseSerializers)
    }

    /// A serializer from an archive. `nil` if the archive holds none or is damaged.
    public required init?(coder: NSCoder) {
        guard let archived = ArchivedMembers(from: coder) else { return nil }
        let restored = archived.members.compactMap(\.object)
        guard restored.count == archived.members.count else { return nil }
        super.init(coder: coder)
        adopt(restored)
    }

    /// The serializers tried, in turn.
    public var responseSerializers: [any URLResponseSerialization] {
        members.withLock { $0 }
    }

    /// The first object a member makes.
    ///
    /// - Throws: The error that came with that object; if no member made one, what ``HTTPResponseSerializer`` throws.
    open override func responseObject(for response: URLResponse?, data: Data?) throws -> Any? {
        try object(of: SerializedResponse(response), data: data)
    }

    /// A serializer of the same class with the same settings and copies of its members.
    ///
    /// A member that cannot be copied (not `NSCopying`) is shared.
    open override func copy(with zone: NSZone? = nil) -> Any {
        let copy = super.copy(with: zone)
        let members = responseSerializers.map { member in
            (member as? any NSCopying)?.copy(with: zone) as? any URLResponseSerialization ?? member
        }
        (copy as? CompoundResponseSerializer)?.adopt(members)
        return copy
    }

    /// Writes every setting and the members into an archive.
    ///
    /// If a member cannot be archived (see ``DecodableResponseSerializer``), neither are the others, and the archive is
    /// refused when it is read.
    open override func encode(with coder: NSCoder) {
        super.encode(with: coder)
        let members = responseSerializers
        let archived = members.compactMap { ($0 as? HTTPResponseSerializer).flatMap(ArchivedObject.init) }
        guard archived.count == members.count else { return }
        ArchivedMembers(members: archived).encode(to: coder)
    }

    private func adopt(_ new: [any URLResponseSerialization]) {
        members.withLock { $0 = new }
    }

    private struct ArchivedMembers: ArchivedSettings {
        static var archiveKey: String { "CompoundResponseSerializer.members" }

        var members: [ArchivedObject<HTTPResponseSerializer>]
    }
}

extension CompoundResponseSerializer: OwnResponseSerializer {
    package static var ownClass: HTTPResponseSerializer.Type { CompoundResponseSerializer.self }

    package final var callsNobodyElse: Bool {
        responseSerializers.allSatisfy { ($0 as? HTTPResponseSerializer)?.waitsForNobody == true }
    }

    package final func object(of response: SerializedResponse, data: Data?) throws -> Any? {
        for member in responseSerializers {
            do {
                if let object = try Self.object(of: response, data: data, by: member) { return object }
            } catch let error as ResponseSerializationError where error.responseObject != nil {
                throw error
            } catch {
                continue
            }
        }
        return try handedOut(response, data: data)
    }

    private static func object(
        of response: SerializedResponse, data: Data?, by member: any URLResponseSerialization
    ) throws -> Any? {
        guard let member = member as? HTTPResponseSerializer else {
            return try member.responseObject(for: response.urlResponse, data: data)
        }
        return try member.parsed(response, data: data)
    }
}
