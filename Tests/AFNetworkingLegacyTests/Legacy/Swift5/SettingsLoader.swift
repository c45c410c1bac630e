// SPDX-License-Identifier: MIT

// Settings as a property list, with what comes with the app where there are none.
import AFNetworking

class SettingsLoader {
    var defaults: [String: Any] = ["interval": 60]

    func load(_ url: URL, completion: @escaping ([String: Any]) -> Void) {
        let operation = AFHTTPRequestOperation(request: URLRequest(url: url))
        let serializer = AFPropertyListResponseSerializer()
        serializer.acceptableContentTypes?.insert("text/xml")
        operation.responseSerializer = serializer
        operation.setCompletionBlockWithSuccess(
            { _, responseObject in
                var settings = self.defaults
                for (name, value) in responseObject as? [String: Any] ?? [:] { settings[name] = value }
                completion(settings)
            },
            failure: { _, _ in
                completion(self.defaults)
            })
        operation.start()
    }
}
