// SPDX-License-Identifier: MIT
import AFNetworking
import AFNetworkingUIKit
import OperationNetworking
import OperationNetworkingImages
import Testing

/// A program that moves over file by file may import both modules in one.
@Suite("Files that import AFNetworking and OperationNetworking", .timeLimit(.minutes(1))) struct BothModulesTests {
    @Test("Properties that have two types are the library's")
    func types() {
        let requests = HTTPRequestSerializer()
        requests.stringEncoding = .isoLatin1
        #expect(requests.stringEncoding == .isoLatin1)
        let responses = AFHTTPResponseSerializer()
        responses.stringEncoding = .isoLatin1
        responses.acceptableContentTypes = ["a/b"]
        let types: Set<String>? = responses.acceptableContentTypes
        #expect(responses.stringEncoding == .isoLatin1 && types == ["a/b"])
        let policy = SecurityPolicy(pinningMode: .certificate)
        policy.pinnedCertificates = [Data([1])]
        policy.pinnedCertificates.insert(Data([2]))
        #expect(policy.pinnedCertificates.count == 2)
        let cache = AutoPurgingImageCache(memoryCapacity: 10, preferredMemoryUsageAfterPurge: 5)
        #expect(cache.memoryCapacity + cache.preferredMemoryUsageAfterPurge + cache.memoryUsage == 15)
        #expect(AFImageResponseSerializer().imageScale == ImageResponseSerializer().imageScale)
        #expect(ImageDownloader(manager: HTTPRequestOperationManager()).sessionManager == nil)
    }
}
