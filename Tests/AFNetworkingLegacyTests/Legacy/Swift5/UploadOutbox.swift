// SPDX-License-Identifier: MIT

// Uploads that failed are kept in a file, and sent again at the next start.
import AFNetworking

class UploadOutbox {
    let path: String
    let manager = AFHTTPRequestOperationManager()
    private(set) var failedOperations: [AFHTTPRequestOperation] = []

    init(path: String) {
        self.path = path
    }

    func upload(_ parameters: [String: Any], to urlString: String, completion: @escaping (Bool) -> Void) {
        manager.post(
            urlString, parameters: parameters,
            success: { _, _ in
                completion(true)
            },
            failure: { operation, _ in
                if let operation = operation {
                    self.failedOperations.append(operation.copy() as! AFHTTPRequestOperation)
                }
                completion(false)
            })
    }

    func save() -> Bool {
        let data = try? NSKeyedArchiver.archivedData(
            withRootObject: failedOperations as NSArray, requiringSecureCoding: true)
        return (try? data?.write(to: URL(fileURLWithPath: path), options: .atomic)) != nil
    }

    func restore() {
        guard let data = try? Data(contentsOf: URL(fileURLWithPath: path)) else { return }
        let object = try? NSKeyedUnarchiver.unarchivedObject(
            ofClasses: [NSArray.self, AFHTTPRequestOperation.self], from: data)
        failedOperations = object as? [AFHTTPRequestOperation] ?? []
    }

    func resend(to url: URL? = nil, completion: @escaping (_ sent: Int) -> Void) {
        let operations = failedOperations
        failedOperations = []
        let batch = AFURLConnectionOperation.batchOfRequestOperations(operations, progressBlock: nil) { operations in
            let failed = operations.filter { $0.error != nil }.map { $0.copy() as! AFHTTPRequestOperation }
            self.failedOperations = failed
            completion(operations.count - failed.count)
        }
        manager.operationQueue.addOperations(batch, waitUntilFinished: false)
    }
}
