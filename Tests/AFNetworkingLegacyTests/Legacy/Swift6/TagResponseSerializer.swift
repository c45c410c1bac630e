// SPDX-License-Identifier: MIT

// A response serializer of one's own class, and one that is no subclass at all, tried one after the other.
import AFNetworking

final class TagResponseSerializer: AFHTTPResponseSerializer, @unchecked Sendable {
    override init() {
        super.init()
        acceptableContentTypes = ["text/plain"]
    }

    required init?(coder: NSCoder) {
        super.init(coder: coder)
    }

    override func responseObject(for response: URLResponse?, data: Data?) throws -> Any? {
        try validate(response, data: data)
        return String(decoding: data ?? Data(), as: UTF8.self).split(separator: ",").map(String.init)
    }
}

final class CountSerializer: NSObject, AFURLResponseSerialization {
    func responseObject(for response: URLResponse?, data: Data?) throws -> Any? {
        ["count": data?.count ?? 0]
    }
}

struct TagService {
    let manager: AFHTTPRequestOperationManager

    init(counts: Bool = false) {
        manager = AFHTTPRequestOperationManager()
        var serializers: [AFURLResponseSerialization] = [AFJSONResponseSerializer(), TagResponseSerializer()]
        if counts { serializers.append(CountSerializer()) }
        manager.responseSerializer = AFCompoundResponseSerializer.compoundSerializer(
            withResponseSerializers: serializers)
    }

    func count(_ url: URL, completion: @escaping @Sendable (Int?) -> Void) {
        manager.get(url.absoluteString, parameters: nil) { _, responseObject in
            completion((responseObject as? [String: Int])?["count"])
        } failure: { _, _ in
            completion(nil)
        }
    }

    func load(_ url: URL, completion: @escaping @Sendable ([String]?, String?) -> Void) {
        manager.GET(
            url.absoluteString, parameters: nil,
            success: { _, responseObject in
                completion(responseObject as? [String], nil)
            },
            failure: { operation, error in
                completion(nil, "\(error.domain) \(error.code)")
            })
    }
}
