// SPDX-License-Identifier: MIT
internal import Foundation
@_spi(Reflection) internal import Swift

/// The stored fields of one of Foundation's classes that can be filled by Foundation only, as the runtime's reflection gives
/// them: by name and type, so that a Foundation with other fields gets no values, and nothing is written where it does not
/// belong.
struct StoredFields: Sendable {
    struct Field: @unchecked Sendable {
        let offset: Int
        let type: Any.Type
    }

    /// A field that was looked up once.
    struct Place<Value>: Sendable {
        fileprivate let owner: AnyClass
        fileprivate let offset: Int

        /// Replaces the field's value. No effect on an object of another class.
        func set(_ value: Value, of object: AnyObject) {
            guard Swift.type(of: object) == owner else { return }
            (Unmanaged.passUnretained(object).toOpaque() + offset).assumingMemoryBound(to: Value.self).pointee = value
            withExtendedLifetime(object) {}
        }

        /// The field's value; nil for an object of another class.
        func value(of object: AnyObject) -> Value? {
            guard Swift.type(of: object) == owner else { return nil }
            let address = Unmanaged.passUnretained(object).toOpaque() + offset
            return withExtendedLifetime(object) { address.assumingMemoryBound(to: Value.self).pointee }
        }
    }

    let type: AnyClass
    private(set) var fields: [String: Field] = [:]

    init(of type: AnyClass) {
        self.type = type
        var fields: [String: Field] = [:]
        // Bit 0: the type is a class. The constant for it is a variable, which Swift 6 does not let be read.
        let options = unsafeBitCast(UInt32(1), to: _EachFieldOptions.self)
        _ = _forEachField(of: type, options: options) { name, offset, type, _ in
            fields[String(cString: name)] = Field(offset: offset, type: type)
            return true
        }
        self.fields = fields
    }

    /// Where a field is; nil: there is no such field of this type.
    func place<Value>(of name: String, _: Value.Type = Value.self) -> Place<Value>? {
        guard let field = fields[name], field.type == Value.self else { return nil }
        return Place(owner: type, offset: field.offset)
    }

    /// A field that holds an object of a class that only Foundation has a name for.
    struct ObjectPlace<Owner: AnyObject>: Sendable {
        fileprivate let offset: Int

        /// Where subclasses have it, too.
        func object(in owner: Owner) -> AnyObject {
            let address = Unmanaged.passUnretained(owner).toOpaque() + offset
            return withExtendedLifetime(owner) { address.load(as: Unmanaged<AnyObject>.self).takeUnretainedValue() }
        }
    }

    /// Where a field is that holds an object, and never nil; nil: there is no such field.
    func objectPlace<Owner: AnyObject>(of name: String, in owner: Owner.Type) -> ObjectPlace<Owner>? {
        guard type == owner, let field = fields[name], field.type is AnyClass else { return nil }
        return ObjectPlace(offset: field.offset)
    }

    /// Replaces a field's value. No effect where there is no such field.
    func set<Value>(_ name: String, of object: AnyObject, to value: Value) {
        place(of: name, Value.self)?.set(value, of: object)
    }
}
