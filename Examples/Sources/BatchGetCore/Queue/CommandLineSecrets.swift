// SPDX-License-Identifier: MIT
internal import FoundationNetworking
internal import OperationNetworkingDurable

/// The fields that this run sends with every request: those of its command line, which are in no queue, and the manager's.
struct CommandLineSecrets: DurableSecretProvider {
    /// What every request asks for them with.
    static let reference = "command line"

    let fields: [String: String]

    /// An entry's own fields count more.
    func secrets(for reference: String, request: URLRequest) async throws -> DurableSecrets {
        DurableSecrets(fields: fields.filter { request.value(forHTTPHeaderField: $0.key) == nil })
    }
}
