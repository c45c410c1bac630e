// SPDX-License-Identifier: MIT

// A subclassed manager in the Swift 6 language mode: the class restates `@unchecked Sendable`, and what its closures
// capture is safe to share.
import AFNetworking

final class NotesClient: AFHTTPRequestOperationManager, @unchecked Sendable {
    static let shared = NotesClient(baseURL: nil)

    struct Note: Equatable, Sendable {
        var text: String
        var tags: [String]
    }

    override init(baseURL: URL?) {
        super.init(baseURL: baseURL)
        requestSerializer = AFJSONRequestSerializer()
        requestSerializer.timeoutInterval = 15
        responseSerializer.acceptableContentTypes = ["application/json"]
    }

    required init?(coder: NSCoder) {
        super.init(coder: coder)
    }

    func save(
        _ note: Note, success: @escaping @Sendable (Note) -> Void, failure: @escaping @Sendable (String) -> Void
    ) {
        let parameters: [String: Any] = ["text": note.text, "tags": note.tags]
        put("anything/note", parameters: parameters) { _, responseObject in
            let json = (responseObject as? [String: Any])?["json"] as? [String: Any]
            guard let text = json?["text"] as? String, let tags = json?["tags"] as? [String] else {
                return failure("not a note")
            }
            success(Note(text: text, tags: tags))
        } failure: { operation, error in
            failure(operation?.responseString ?? error.localizedDescription)
        }
    }

    func rename(_ id: Int, success: @escaping @Sendable (String?) -> Void) {
        PATCH(
            "anything/\(id)", parameters: ["name": "new"],
            success: {
                (operation: AFHTTPRequestOperation, responseObject: AnyObject?) in
                success((responseObject as? NSDictionary)?["method"] as? String)
            },
            failure: { (operation: AFHTTPRequestOperation?, error: NSError) in
                success(nil)
            })
    }
}
