// SPDX-License-Identifier: MIT

// A client that knows its server: made without arguments, in a static.
import AFNetworking

class CatalogueClient: AFHTTPRequestOperationManager, @unchecked Sendable {
    static var serverURL: URL?
    static let sharedClient = CatalogueClient()

    override init(baseURL url: URL?) {
        super.init(baseURL: url ?? CatalogueClient.serverURL)
        responseSerializer = AFJSONResponseSerializer()
        requestSerializer.setValue("catalogue", forHTTPHeaderField: "X-Client")
    }

    required init?(coder aDecoder: NSCoder) {
        super.init(coder: aDecoder)
    }

    func names(_ completion: @escaping ([String]?) -> Void) {
        get(
            "names", parameters: nil,
            success: { _, responseObject in
                completion(responseObject as? [String])
            },
            failure: { _, _ in
                completion(nil)
            })
    }
}
