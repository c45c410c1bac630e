// SPDX-License-Identifier: MIT
internal import Foundation
internal import NetworkingTransport

/// A stored response as bytes. The bytes that are read may come from any program, and are checked before they are used.
extension StoredResponse {
    private static let version: UInt8 = 1
    private static let maximumSelecting = 64

    /// Everything but the content.
    var record: [UInt8] {
        var record = RecordWriter(capacity: head.rawFields.count + 128)
        record.put(Self.version)
        record.put(UInt16(clamping: head.statusCode))
        record.put(head.httpVersion)
        record.put(head.rawFields)
        record.put(requestTime.bitPattern)
        record.put(responseTime.bitPattern)
        record.put(generation)
        record.put(UInt32(clamping: selecting.count))
        for field in selecting {
            record.put(field.name)
            record.put(field.value == nil ? 0 : 1 as UInt8)
            record.put((field.value ?? ""))
        }
        record.put(userInfo: userInfo.values)
        return record.bytes
    }

    /// Nil: these are not the bytes of a record, or of one that may be used.
    init?(record: [UInt8], content: Data) {
        var reader = RecordReader(record)
        guard reader.take(UInt8.self) == Self.version, let status = reader.take(UInt16.self), 200..<600 ~= status,
            let httpVersion = reader.takeText(), httpVersion.utf8.count <= 8,
            let fields = reader.takeBytes(),
            let requestTime = reader.take(UInt64.self).map(Double.init(bitPattern:)), requestTime.isFinite,
            let responseTime = reader.take(UInt64.self).map(Double.init(bitPattern:)), responseTime.isFinite,
            let generation = reader.takeText(), generation.isToken || generation.isEmpty,
            let count = reader.take(UInt32.self), count <= Self.maximumSelecting
        else { return nil }
        head = ResponseHead(statusCode: Int(status), httpVersion: httpVersion, rawFields: fields)
        for _ in 0..<count {
            guard let name = reader.takeText(), name.isToken, let isThere = reader.take(UInt8.self), isThere <= 1,
                let value = reader.takeText()
            else { return nil }
            selecting.append(SelectingField(name: name, value: isThere == 1 ? value : nil))
        }
        guard let values = reader.takeUserInfo(), reader.isAtEnd,
            // A response that must not be stored is not used, even if another program has written it.
            StorageRules.isPermitted(head, request: CacheControl())
        else { return nil }
        self.content = content
        self.requestTime = requestTime
        self.responseTime = responseTime
        self.generation = generation
        userInfo.values = values
    }
}
