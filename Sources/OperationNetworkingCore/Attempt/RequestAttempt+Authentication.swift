// SPDX-License-Identifier: MIT
internal import Foundation
internal import FoundationNetworking
internal import NetworkingTransport

/// The credentials that an attempt has without asking a block or the client.
extension RequestAttempt {
    /// For a challenge: the URL's, the operation's, or the storage's.
    var credentialSource: AttemptMachine.CredentialSource {
        // Not `self.machine`, which is being changed when it asks.
        { [self] challenge, url, isWithinOrigin in
            urlCredential(url) ?? (isWithinOrigin ? configuration.value.identity.credential : nil)
                ?? storedCredential(for: challenge, url: url)
        }
    }

    /// The operation's credential, for the origin that the operation was made for.
    var ownCredential: URLCredential? {
        guard let url = machine.url, machine.isWithinOrigin(url) else { return nil }
        return configuration.value.identity.credential
    }

    private func urlCredential(_ url: URL) -> URLCredential? {
        guard let user = url.user(percentEncoded: false) else { return nil }
        return URLCredential(user: user, password: url.password(percentEncoded: false) ?? "", persistence: .none)
    }

    func storedCredential(for challenge: HTTPChallenge, url: URL) -> URLCredential? {
        guard configuration.value.storages.shouldUseCredentialStorage else { return nil }
        guard ownStorage == nil else {
            guard let known = storedCredential, known.challenge == challenge, known.url == url else { return nil }
            return known.credential
        }
        let storage = configuration.value.storages.credentialStorage ?? .shared
        return storage.defaultCredential(matching: challenge.protectionSpace(url: url))
    }

    /// A storage of a class other than Foundation's, which is not asked on the network thread; nil: the storage is
    /// Foundation's, or is not used.
    var ownStorage: URLCredentialStorage? {
        guard let storage = configuration.value.storages.credentialStorage,
            type(of: storage) != URLCredentialStorage.self,
            configuration.value.storages.shouldUseCredentialStorage
        else { return nil }
        return storage
    }

    /// Asks the user's own storage.
    func askStorage(for challenge: HTTPChallenge, _ head: ResponseHead) {
        let (url, storage, hasChallengeBlock) = (machine.url, ownStorage, circumstances.hasChallengeBlock)
        runtime.onBlockThread { [self] in
            let credential = url.flatMap { storage?.defaultCredential(matching: challenge.protectionSpace(url: $0)) }
            resume { [self] in
                storedCredential = url.map { (challenge, $0, credential) }
                return $0.takeStored(
                    for: challenge, head, hasChallengeBlock: hasChallengeBlock, credential: credentialSource)
            }
        }
    }
}
