// SPDX-License-Identifier: MIT
internal import Foundation

/// A serializer or policy inside another object's archive: its class by name, and a separate archive.
///
/// A keyed archive on Linux stops the program at some class names it cannot resolve. So what is nested goes in as
/// bytes, and its class is looked up here: only a class of this process that is a `Base` is made.
package struct ArchivedObject<Base: NSObject & NSSecureCoding>: Codable {
    private let className: String
    private let content: Data

    /// The archive of an object; `nil` if its class cannot be found again (it is generic, private or nested in
    /// another type) or does not support archives.
    package init?(_ object: Base) {
        let type = type(of: object)
        let name = String(reflecting: type)
        guard type.supportsSecureCoding, Self.baseClass(named: name) == type else { return nil }
        let archiver = NSKeyedArchiver(requiringSecureCoding: true)
        object.encode(with: archiver)
        archiver.finishEncoding()
        className = name
        content = archiver.encodedData
    }

    /// The object; `nil` if the archive is damaged or names no `Base`.
    package var object: Base? {
        // Foundation's reader stops the program at some property lists.
        guard content.starts(with: "bplist0".utf8),
            (try? BinaryPropertyList.check(content, allowsReferences: true)) != nil,
            let type = Self.baseClass(named: className),
            let unarchiver = try? NSKeyedUnarchiver(forReadingFrom: content)
        else { return nil }
        unarchiver.requiresSecureCoding = true
        unarchiver.decodingFailurePolicy = .setErrorAndReturn
        defer { unarchiver.finishDecoding() }
        return type.init(coder: unarchiver)
    }

    /// "Module.Class" and nothing else: Foundation stops the program at other names.
    private static func baseClass(named name: String) -> Base.Type? {
        guard name.utf8.count <= 256 else { return nil }
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)  // checked: bounded
        guard parts.count == 2,
            parts.allSatisfy({ part in
                part.utf8.first.map { !(0x30...0x39 ~= $0) } ?? false
                    && part.utf8.allSatisfy { byte in
                        byte == UInt8(ascii: "_") || 0x30...0x39 ~= byte || 0x41...0x5A ~= byte || 0x61...0x7A ~= byte
                    }
            })
        else { return nil }
        return NSClassFromString(name) as? Base.Type
    }
}
