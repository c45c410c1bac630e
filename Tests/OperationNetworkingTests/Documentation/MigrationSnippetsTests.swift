internal import Dispatch
internal import OperationNetworking

// The snippets of Migration.md, compiled. `DocumentationTests` sees to it that they are the same. They are not run: the
// servers in them do not exist.

/// Migration, "What to change".
final class BooksClient: HTTPRequestOperationManager, @unchecked Sendable {
    static let shared = BooksClient(baseURL: URL(string: "https://api.example.com/v1/"))

    override init(baseURL: URL? = nil) {
        super.init(baseURL: baseURL)
        requestSerializer = JSONRequestSerializer()
        requestSerializer.timeoutInterval = 20
        requestSerializer.setValue("1", forHTTPHeaderField: "X-Client-Version")
        responseSerializer.acceptableContentTypes = ["application/json", "application/vnd.books+json"]
    }

    required init?(coder: NSCoder) {
        super.init(coder: coder)
    }
}

/// Migration, "What to change".
private func setBlocksFirst(_ client: BooksClient) throws {
    let operation = try client.operation(method: "GET", "covers/1")
    operation.setDownloadProgressBlock { _, received, expected in print(received, expected) }
    operation.setCompletionBlockWithSuccess({ _, object in print(object ?? "") }, failure: { _, error in print(error) })
    client.enqueue(operation)
}

/// Migration, "The main queue".
private func setQueue(_ client: BooksClient) {
    client.completionQueue = DispatchQueue(label: "com.example.books")
}

/// Migration, "Threads".
private func observe(_ operation: HTTPRequestOperation) -> [OperationStateObservation] {
    let token = operation.observeState { old, new in print("\(old) -> \(new)") }
    let other = operation.observe(\.isFinished, options: [.new]) { _, change in print(change.newValue ?? false) }
    return [token, other]
}

/// Migration, "Errors".
private func tellErrors(_ operation: HTTPRequestOperation) {
    switch operation.error {
    case let error as URLError where error.code == .cancelled:
        break
    case let error as URLError:
        print("transport: \(error.code.rawValue)")
    case let error as ResponseSerializationError:
        let status = (error.response as? HTTPURLResponse)?.statusCode
        print("status \(status ?? 0), body parsed to \(error.responseObject ?? "nothing")")
    case let error?:
        print(error)
    case nil:
        print(operation.responseObject ?? "no content")
    }
}

/// Migration, "Moving a policy over".
private func movePolicy(_ client: BooksClient, privateRoot: Data, archive: Data, password: String) throws {
    let pins = SecurityPolicy.certificates(in: .main)
    let pinned = SecurityPolicy(pinningMode: .certificate, pinnedCertificates: pins)
    pinned.anchorCertificates = [privateRoot]
    try pinned.validate()
    client.securityPolicy = pinned
    client.clientIdentity = try ClientIdentity(pkcs12: archive, password: password)
}
