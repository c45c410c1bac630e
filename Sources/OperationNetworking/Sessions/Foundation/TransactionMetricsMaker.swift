// SPDX-License-Identifier: MIT
internal import Foundation
internal import FoundationNetworking
internal import Glibc

/// Makes `URLSessionTaskTransactionMetrics`, which have no initializer for anybody but Foundation, by giving each field its
/// first value. A class with a field of a type that is not known here makes none.
struct TransactionMetricsMaker: Sendable {
    let fields: StoredFields
    private let allocate: Allocate
    private let size: Int
    private let alignMask: Int

    /// The runtime's entry for objects: memory with a header, whose fields are to be initialized.
    private typealias Allocate =
        @convention(c) @Sendable (UnsafeRawPointer, Int, Int) -> UnsafeMutableRawPointer

    /// Where the metadata of a native class has the size of its objects, and what their addresses are aligned by; 32 bits
    /// and 16.
    private static let (sizeOffset, alignMaskOffset) = (24, 28)
    /// The header of every object.
    private static let headerSize = 16

    /// Nil: this Foundation's class has other fields, or another layout.
    init?() {
        let type: AnyClass = URLSessionTaskTransactionMetrics.self
        let fields = StoredFields(of: type)
        guard let entry = dlsym(nil, "swift_allocObject"), MemoryLayout<Int>.size == 8,
            let request = fields.fields["request"], request.type == URLRequest.self
        else {
            return nil
        }
        var end = Self.headerSize
        for field in fields.fields.values {
            guard let size = Self.size(of: field.type) else { return nil }
            end = max(end, field.offset + size)
        }
        let metadata = unsafeBitCast(type, to: UnsafeRawPointer.self)
        let size = Int(metadata.load(fromByteOffset: Self.sizeOffset, as: UInt32.self))
        let alignMask = Int(metadata.load(fromByteOffset: Self.alignMaskOffset, as: UInt16.self))
        // What is read there fits the fields to the byte, or it is something else.
        guard size == end, alignMask == 7 || alignMask == 15 else { return nil }
        self.fields = fields
        allocate = unsafeBitCast(entry, to: Allocate.self)
        self.size = size
        self.alignMask = alignMask
    }

    func make(_ request: URLRequest) -> URLSessionTaskTransactionMetrics {
        let metadata = unsafeBitCast(URLSessionTaskTransactionMetrics.self as AnyClass, to: UnsafeRawPointer.self)
        let object = allocate(metadata, size, alignMask)
        for (name, field) in fields.fields {
            let address = object + field.offset
            if name == "request" {
                address.initializeMemory(as: URLRequest.self, to: request)
            } else {
                Self.initialize(address, as: field.type)
            }
        }
        return Unmanaged<URLSessionTaskTransactionMetrics>.fromOpaque(object).takeRetainedValue()
    }

    private static func size(of type: Any.Type) -> Int? {
        if type == URLRequest.self { return MemoryLayout<URLRequest>.size }
        return (type as? any FirstValue.Type)?.firstValueSize
    }

    private static func initialize(_ address: UnsafeMutableRawPointer, as type: Any.Type) {
        (type as? any FirstValue.Type)?.initializeFirstValue(at: address)
    }
}

/// What a field of a new object is.
private protocol FirstValue {
    static var first: Self { get }
}

extension FirstValue {
    fileprivate static var firstValueSize: Int { MemoryLayout<Self>.size }

    fileprivate static func initializeFirstValue(at address: UnsafeMutableRawPointer) {
        address.initializeMemory(as: Self.self, to: first)
    }
}

extension Optional: FirstValue {
    fileprivate static var first: Wrapped? { nil }
}

extension Int64: FirstValue {
    fileprivate static var first: Int64 { 0 }
}

extension Bool: FirstValue {
    fileprivate static var first: Bool { false }
}

extension URLSessionTaskMetrics.ResourceFetchType: FirstValue {
    fileprivate static var first: Self { .unknown }
}

extension URLSessionTaskMetrics.DomainResolutionProtocol: FirstValue {
    fileprivate static var first: Self { .unknown }
}
