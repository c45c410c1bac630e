// SPDX-License-Identifier: MIT
internal import Dispatch
internal import Foundation
internal import FoundationNetworking
internal import Glibc
@_spi(Reflection) internal import Swift

/// The one place where the library looks into objects of Foundation's, for what no public way leads to.
///
/// The uses, and what happens without each:
///
/// - The content of `upload(for:)` called on a `URLSession`: the upload fails, with an error that says what to call.
/// - The file of `download(for:)` called on a `URLSession`: the download fails, likewise.
/// - The delegate of one call on a `URLSession`: it is not asked; the session's is.
/// - The session of a task, for a session of Foundation's that was made with a configuration of ours: its delegate is
///   called on another queue, with another session.
/// - `URLSessionTaskMetrics` with values: they are empty; `HTTPRequestOperation.metrics` has them.
/// - The progress of a queue of Foundation's with an operation, and whether any waits for it there: see
///   `FoundationState`.
///
/// On a session that is known as an `OperationURLSession` no more than the metrics are needed. Every field is looked
/// for by name, type and size, and what is read or written is compared, when the first is needed, with what
/// Foundation's public members say on an object that was made for that; a Foundation with other fields is left alone.
/// `OPERATION_NETWORKING_NO_PRIVATE_STATE` in the environment has the same effect.
package enum FoundationInternals {
    /// Nothing is looked at.
    static let isOff = getenv("OPERATION_NETWORKING_NO_PRIVATE_STATE") != nil

    // MARK: Operations

    /// A stored field of Foundation's `Operation`.
    struct OperationField: Sendable {
        fileprivate let offset: Int

        /// The field as it is: a number of the field's size.
        func load<Value: FixedWidthInteger>(of operation: Operation, as type: Value.Type = Value.self) -> Value {
            defer { withExtendedLifetime(operation) {} }
            return Unmanaged.passUnretained(operation).toOpaque().load(fromByteOffset: offset, as: type)
        }
    }

    /// The field of a name, if it has that size and, where one is given, is of that type; nil: no such field.
    static func operationField(_ name: String, size: Int, type: String? = nil) -> OperationField? {
        guard !isOff, let field = StoredFields(of: Operation.self).fields[name], field.size == size,
            type == nil || String(describing: field.type) == type
        else { return nil }
        return OperationField(offset: field.offset)
    }

    // MARK: What is read, by mirrors

    /// The session that made a task.
    package static func session(of task: URLSessionTask) -> URLSession? { value("session", of: task) as? URLSession }

    /// The delegate that `data(for:delegate:)` and its like were given, which only the session knows.
    ///
    /// On the session's work queue, which Foundation starts to load on, and keeps its table of tasks by.
    package static func delegateOfCall(_ task: URLSessionTask) -> (any URLSessionTaskDelegate)? {
        guard !isOff, let session = session(of: task), let registry = registry(of: session),
            let table = value("behaviours", of: registry) as? any TableOfTasks,
            let behaviour = table.entry(task.taskIdentifier),
            let content = Mirror(reflecting: behaviour).children.first,
            content.label?.hasSuffix("WithTaskDelegate") == true
        else { return nil }
        return Mirror(reflecting: content.value).children.dropFirst().first?.value as? any URLSessionTaskDelegate
    }

    /// Not by a mirror of the session: this library's sessions have another one.
    private static func registry(of session: URLSession) -> AnyObject? {
        guard let field = taskRegistry else { return nil }
        let address = Unmanaged.passUnretained(session).toOpaque() + field.offset
        return withExtendedLifetime(session) { address.load(as: Unmanaged<AnyObject>.self).takeUnretainedValue() }
    }

    /// Holds an object, and never nil.
    private static let taskRegistry: StoredFields.Field? = {
        let field = StoredFields(of: URLSession.self).fields["taskRegistry"]
        return field.flatMap { $0.type is AnyClass ? $0 : nil }
    }()

    /// An upload task's content, which is not in its request; nil: it cannot be told.
    package static func body(of task: URLSessionTask) -> SessionUploadBody? {
        guard !isOff, field("knownBody", of: task) != nil else { return nil }
        // A task without content asks the delegate for it.
        guard let body = value("knownBody", of: task), let content = Mirror(reflecting: body).children.first else {
            return .stream
        }
        switch content.value {
        case let data as DispatchData: return .data(Data(data))
        case let file as URL: return .file(file)
        default: return .stream
        }
    }

    /// A stored property; optional ones without their wrapping.
    private static func value(_ name: String, of object: Any) -> Any? {
        guard !isOff, let value = field(name, of: object) else { return nil }
        let reflected = Mirror(reflecting: value)
        return reflected.displayStyle == .optional ? reflected.children.first?.value : value
    }

    private static func field(_ name: String, of object: Any) -> Any? {
        var mirror: Mirror? = Mirror(reflecting: object)
        while let present = mirror {
            if let child = present.children.first(where: { $0.label == name }) { return child.value }
            mirror = present.superclassMirror
        }
        return nil
    }

    // MARK: What is written

    /// The field in which a protocol object keeps its properties.
    private static let protocolProperties = StoredFields(of: URLProtocol.self).fields["properties"]

    /// Tells a download task of Foundation's where its file is.
    ///
    /// - Returns: true if it could.
    package static func setDownloadedFile(_ file: URL, of protocolObject: URLProtocol) -> Bool {
        guard !isOff, let field = protocolProperties, let table = field.type as? any PropertyTable.Type else {
            return false
        }
        defer { withExtendedLifetime(protocolObject) {} }
        return table.set(
            "temporaryFileURL", file, at: Unmanaged.passUnretained(protocolObject).toOpaque() + field.offset)
    }

    /// Makes and fills metrics; nil: this Foundation's have other fields.
    package static let metrics: FoundationMetrics? = isOff ? nil : FoundationMetrics()
}

/// A dictionary by task identifiers whose values are of a type that only Foundation has a name for.
private protocol TableOfTasks {
    func entry(_ identifier: Int) -> Any?
}

extension Dictionary: TableOfTasks where Key == Int {
    fileprivate func entry(_ identifier: Int) -> Any? { self[identifier] }
}

/// A dictionary of properties whose keys are of a type that only Foundation has a name for.
private protocol PropertyTable {
    static func set(_ key: String, _ value: Any, at address: UnsafeMutableRawPointer) -> Bool
}

extension Dictionary: PropertyTable where Value == Any {
    fileprivate static func set(_ key: String, _ value: Any, at address: UnsafeMutableRawPointer) -> Bool {
        guard let type = Key.self as? any RawRepresentable<String>.Type, let key = type.init(rawValue: key) as? Key
        else { return false }
        address.assumingMemoryBound(to: Self.self).pointee[key] = value
        return true
    }
}

// MARK: - Metrics

/// Makes `URLSessionTaskMetrics`, whose values only Foundation can set, and their transactions, which only Foundation
/// can make.
package struct FoundationMetrics: Sendable {
    package let task: StoredFields
    package let transaction: StoredFields
    private let allocate: Allocate
    private let size: Int
    private let alignMask: Int
    private let requestOffset: Int
    /// The fields of a new transaction but its request, with what makes their first values.
    private let firstValues: [(offset: Int, type: any FirstValue.Type)]

    /// The runtime's entry for objects: memory with a header, whose fields are to be initialized.
    private typealias Allocate = @convention(c) @Sendable (UnsafeRawPointer, Int, Int) -> UnsafeMutableRawPointer

    /// The offsets in the metadata of a native class of its objects' size, and of what their addresses are aligned by;
    /// 32 bits and 16.
    private static let (sizeOffset, alignMaskOffset) = (24, 28)

    /// Nil: this Foundation's classes have other fields, or another layout.
    fileprivate init?() {
        let type: AnyClass = URLSessionTaskTransactionMetrics.self
        let (task, transaction) = (StoredFields(of: URLSessionTaskMetrics.self), StoredFields(of: type))
        guard let entry = dlsym(nil, "swift_allocObject"), MemoryLayout<Int>.size == 8,
            let request = transaction.fields["request"], request.type == URLRequest.self
        else { return nil }
        var end = request.offset + MemoryLayout<URLRequest>.size
        var firstValues: [(offset: Int, type: any FirstValue.Type)] = []
        for (name, field) in transaction.fields where name != "request" {
            guard let type = field.type as? any FirstValue.Type else { return nil }
            firstValues.append((field.offset, type))
            end = max(end, field.offset + type.firstValueSize)
        }
        let metadata = unsafeBitCast(type, to: UnsafeRawPointer.self)
        let size = Int(metadata.load(fromByteOffset: Self.sizeOffset, as: UInt32.self))
        let alignMask = Int(metadata.load(fromByteOffset: Self.alignMaskOffset, as: UInt16.self))
        // What is read there fits the fields to the byte, or it is something else.
        guard size == end, alignMask == 7 || alignMask == 15 else { return nil }
        self.task = task
        self.transaction = transaction
        self.firstValues = firstValues
        requestOffset = request.offset
        allocate = unsafeBitCast(entry, to: Allocate.self)
        self.size = size
        self.alignMask = alignMask
        guard isProven else { return nil }
    }

    /// True if the public properties of new objects show what was written into them.
    private var isProven: Bool {
        let (date, metrics) = (Date(timeIntervalSinceReferenceDate: 1), URLSessionTaskMetrics())
        let made = make(URLRequest(url: URL(fileURLWithPath: "/metrics")))
        transaction.set("fetchStartDate", of: made, to: date as Date?)
        transaction.set("countOfResponseBodyBytesReceived", of: made, to: 3 as Int64)
        transaction.set("isReusedConnection", of: made, to: true)
        task.set("taskInterval", of: metrics, to: DateInterval(start: date, duration: 2))
        task.set("transactionMetrics", of: metrics, to: [made])
        task.set("redirectCount", of: metrics, to: 4)
        return made.request.url?.path == "/metrics" && made.fetchStartDate == date && made.responseEndDate == nil
            && made.countOfResponseBodyBytesReceived == 3 && made.countOfRequestBodyBytesSent == 0
            && made.isReusedConnection && !made.isProxyConnection && made.response == nil
            && metrics.taskInterval == DateInterval(start: date, duration: 2) && metrics.redirectCount == 4
            && metrics.transactionMetrics.count == 1 && metrics.transactionMetrics.first === made
    }

    package func make(_ request: URLRequest) -> URLSessionTaskTransactionMetrics {
        let metadata = unsafeBitCast(URLSessionTaskTransactionMetrics.self as AnyClass, to: UnsafeRawPointer.self)
        let object = allocate(metadata, size, alignMask)
        (object + requestOffset).initializeMemory(as: URLRequest.self, to: request)
        for field in firstValues { field.type.initializeFirstValue(at: object + field.offset) }
        return Unmanaged<URLSessionTaskTransactionMetrics>.fromOpaque(object).takeRetainedValue()
    }
}

/// The value that a field of a new object has at first.
private protocol FirstValue: SendableMetatype {
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

// MARK: - Fields

/// The stored fields of a class, by name and type, as the runtime's reflection gives them.
package struct StoredFields: Sendable {
    fileprivate struct Field: Sendable {
        let offset: Int
        let type: Any.Type

        var size: Int {
            func size<Value>(_: Value.Type) -> Int { MemoryLayout<Value>.size }
            return _openExistential(type, do: size)
        }
    }

    private let owner: AnyClass
    fileprivate let fields: [String: Field]

    fileprivate init(of type: AnyClass) {
        owner = type
        var fields: [String: Field] = [:]
        // Bit 0: the type is a class. The constant for it is a variable, which Swift 6 does not let be read.
        let options = unsafeBitCast(UInt32(1), to: _EachFieldOptions.self)
        _ = _forEachField(of: type, options: options) { name, offset, type, _ in
            fields[String(cString: name)] = Field(offset: offset, type: type)
            return true
        }
        self.fields = fields
    }

    /// Replaces a field's value. No effect where there is no such field of that type, or on an object of another class.
    package func set<Value>(_ name: String, of object: AnyObject, to value: Value) {
        guard let field = fields[name], field.type == Value.self, type(of: object) == owner else { return }
        (Unmanaged.passUnretained(object).toOpaque() + field.offset)
            .assumingMemoryBound(to: Value.self).pointee = value
        withExtendedLifetime(object) {}
    }
}
