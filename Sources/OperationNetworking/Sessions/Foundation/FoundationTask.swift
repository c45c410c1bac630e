// SPDX-License-Identifier: MIT
internal import Dispatch
internal import Foundation
internal import FoundationNetworking
internal import NetworkingTransport

/// What Foundation's own tasks keep to themselves, as reflection shows it.
enum FoundationTask {
    /// The session that made a task.
    static func session(of task: URLSessionTask) -> URLSession? {
        value("session", of: task) as? URLSession
    }

    /// The delegate that `data(for:delegate:)` and its like were given, which only the session knows.
    ///
    /// On the session's work queue, which Foundation starts to load on, and keeps its table of tasks by.
    static func delegateOfCall(_ task: URLSessionTask) -> (any URLSessionTaskDelegate)? {
        guard let session = session(of: task), let registry = registry?.object(in: session),
            let table = value("behaviours", of: registry) as? any TableOfTasks,
            let behaviour = table.entry(task.taskIdentifier),
            let content = Mirror(reflecting: behaviour).children.first,
            content.label?.hasSuffix("WithTaskDelegate") == true
        else { return nil }
        return Mirror(reflecting: content.value).children.dropFirst().first?.value as? any URLSessionTaskDelegate
    }

    /// Not by a mirror of the session: this library's have one of their own.
    private static let registry = StoredFields(of: URLSession.self).objectPlace(of: "taskRegistry", in: URLSession.self)

    /// An upload task's content, which is not in its request.
    static func body(of task: URLSessionTask) -> SessionUploadBody? {
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
        var mirror: Mirror? = Mirror(reflecting: object)
        while let present = mirror {
            if let child = present.children.first(where: { $0.label == name }) {
                let reflected = Mirror(reflecting: child.value)
                return reflected.displayStyle == .optional ? reflected.children.first?.value : child.value
            }
            mirror = present.superclassMirror
        }
        return nil
    }

    /// A response that Foundation takes for the result. A challenge for Basic, or Digest, it would answer itself, and then
    /// wait for ever: it looks for one after each comma, but gives up at an empty element at the beginning of the list (RFC
    /// 9110, section 5.6.1). Other fields stay as they came.
    static func settled(_ response: URLResponse) -> URLResponse {
        guard let http = response as? HTTPURLResponse, http.statusCode == 401, let url = http.url,
            let fields = http.allHeaderFields as? [String: String]
        else { return response }
        var settled = fields
        for (name, value) in fields
        where name.utf8.equalsIgnoringCase("WWW-Authenticate") && mayUnderstand(Array(value.utf8)) {
            settled[name] = ", " + value
        }
        return HTTPURLResponse(url: url, statusCode: 401, httpVersion: "HTTP/1.1", headerFields: settled) ?? response
    }

    /// Whether a scheme that Foundation may know is in a challenge, wherever.
    private static func mayUnderstand(_ challenge: [UInt8]) -> Bool {
        challenge.indices.contains { index in
            let rest = challenge[index...]
            return rest.prefix(5).equalsIgnoringCase("basic") || rest.prefix(6).equalsIgnoringCase("digest")
        }
    }

    /// Tells a download task of Foundation's where its file is.
    static func setDownloadedFile(_ file: URL, of protocolObject: URLProtocol) {
        let fields = StoredFields(of: URLProtocol.self)
        guard let field = fields.fields["properties"], let table = field.type as? any PropertyTable.Type else { return }
        table.set("temporaryFileURL", file, at: Unmanaged.passUnretained(protocolObject).toOpaque() + field.offset)
        withExtendedLifetime(protocolObject) {}
    }
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
    static func set(_ key: String, _ value: Any, at address: UnsafeMutableRawPointer)
}

extension Dictionary: PropertyTable where Value == Any {
    fileprivate static func set(_ key: String, _ value: Any, at address: UnsafeMutableRawPointer) {
        guard let type = Key.self as? any RawRepresentable<String>.Type, let key = type.init(rawValue: key) as? Key
        else { return }
        address.assumingMemoryBound(to: Self.self).pointee[key] = value
    }
}
