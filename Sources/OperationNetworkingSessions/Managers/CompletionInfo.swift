// SPDX-License-Identifier: MIT
internal import Foundation
internal import FoundationNetworking
internal import OperationNetworkingCore

/// The content of the notification of a task's end, and the dictionary of it.
struct CompletionInfo {
    let serializer: any URLResponseSerialization
    var data: Data?
    var object: Any?
    var fileURL: URL?
    var error: (any Error)?
    var metrics: URLSessionTaskMetrics?

    init(_ serializer: any URLResponseSerialization) {
        self.serializer = serializer
    }

    var dictionary: [AnyHashable: Any] {
        if let data, let object, let metrics, fileURL == nil, error == nil {
            return Pattern.success.filled(serializer, data, object, metrics)
        }
        var info: [AnyHashable: Any] = [NetworkingTaskDidCompleteResponseSerializerKey: serializer]
        if let data { info[NetworkingTaskDidCompleteResponseDataKey] = data }
        if let object { info[NetworkingTaskDidCompleteSerializedResponseKey] = object }
        if let fileURL { info[NetworkingTaskDidCompleteAssetPathKey] = fileURL }
        if let error { info[NetworkingTaskDidCompleteErrorKey] = error }
        if let metrics { info[NetworkingTaskDidCompleteSessionTaskMetrics] = metrics }
        return info
    }

    /// A dictionary that is copied and filled by its places: hashing and comparing four keys of their kind for each
    /// task would take ten times as long.
    private struct Pattern: Sendable {
        private typealias Index = [AnyHashable: Any].Index

        /// Of a request that succeeded.
        static let success = Pattern()

        // Safe because nothing in it changes, and there is nothing in it but texts and numbers.
        private nonisolated(unsafe) let dictionary: [AnyHashable: Any]
        private nonisolated(unsafe) let places: (serializer: Index, data: Index, object: Index, metrics: Index)

        private init() {
            let dictionary: [AnyHashable: Any] = [
                NetworkingTaskDidCompleteResponseSerializerKey: 0, NetworkingTaskDidCompleteResponseDataKey: 0,
                NetworkingTaskDidCompleteSerializedResponseKey: 0, NetworkingTaskDidCompleteSessionTaskMetrics: 0,
            ]
            func place(_ key: String) -> Index { dictionary.index(forKey: key) ?? dictionary.startIndex }
            self.dictionary = dictionary
            places = (
                place(NetworkingTaskDidCompleteResponseSerializerKey),
                place(NetworkingTaskDidCompleteResponseDataKey),
                place(NetworkingTaskDidCompleteSerializedResponseKey),
                place(NetworkingTaskDidCompleteSessionTaskMetrics)
            )
        }

        func filled(_ serializer: Any, _ data: Data, _ object: Any, _ metrics: URLSessionTaskMetrics)
            -> [AnyHashable: Any]
        {
            var copy = dictionary
            copy.values[places.serializer] = serializer
            copy.values[places.data] = data
            copy.values[places.object] = object
            copy.values[places.metrics] = metrics
            return copy
        }
    }
}
