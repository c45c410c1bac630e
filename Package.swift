// swift-tools-version: 6.2
// SPDX-License-Identifier: MIT
import PackageDescription

/// One set of settings for every target of the package.
let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    // Not MemberImportVisibility: whether Swift takes Glibc, CoreFoundation or CDispatch for the module that defines
    // `struct stat` depends on which files one compiler process gets.
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .treatAllWarnings(as: .error),
]

/// Of tests and of what only they use. In a release build it is the library that is optimised: to optimise all tests takes
/// long and shows nothing. Products have no unsafe flags, which would keep other packages from using them.
let testSettings: [SwiftSetting] = settings + [.unsafeFlags(["-Onone"], .when(configuration: .release))]

let package = Package(
    name: "OperationNetworking",
    products: [
        .library(name: "OperationNetworking", targets: ["OperationNetworking"]),
        // Parts of it: serializers alone, and with the operations, but without sessions.
        .library(name: "OperationNetworkingSerialization", targets: ["OperationNetworkingSerialization"]),
        .library(name: "OperationNetworkingCore", targets: ["OperationNetworkingCore"]),
        .library(name: "OperationNetworkingXML", targets: ["OperationNetworkingXML"]),
        .library(name: "OperationNetworkingImages", targets: ["OperationNetworkingImages"]),
        .library(name: "OperationNetworkingDurable", targets: ["OperationNetworkingDurable"]),
        .library(name: "OperationNetworkingTesting", targets: ["OperationNetworkingTesting"]),
        .library(name: "OperationNetworkingTestServer", targets: ["OperationNetworkingTestServer"]),
        .library(name: "OperationNetworkingTestingTraits", targets: ["OperationNetworkingTestingTraits"]),
        .library(name: "AFNetworking", targets: ["AFNetworking"]),
        .library(name: "AFNetworkingUIKit", targets: ["AFNetworkingUIKit"]),
    ],
    traits: [
        .trait(name: "Logging", description: "NetworkEngine.logger, by swift-log."),
        .trait(name: "Metrics", description: "Counters and durations of requests, by swift-metrics."),
        .trait(name: "Tracing", description: "A span for each request and traceparent, by swift-distributed-tracing."),
        .trait(name: "ServiceLifecycle", description: "Durable queues as services, by swift-service-lifecycle."),
    ],
    dependencies: [
        // For the traits only: not resolved for a package that does not ask for them.
        .package(url: "https://github.com/apple/swift-log", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.5.0"),
        .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.3.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.6.0"),
        // Test targets only: nothing below is built for a package that depends on this one.
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
    ],
    targets: [
        .systemLibrary(
            name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
        .systemLibrary(
            name: "COpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"])]),
        // Only OperationNetworkingImages takes it: other products are built and run without.
        .systemLibrary(name: "CGdkPixbuf", providers: [.apt(["libgdk-pixbuf-2.0-dev"])]),
        // Only OperationNetworkingDurable takes it.
        .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        // Likewise, by name when it runs: it has no header to find, and nothing to link.
        .systemLibrary(name: "CPostgres"),
        .systemLibrary(name: "CZlib"),
        .systemLibrary(name: "CBrotli"),
        .systemLibrary(name: "CZstd"),
        .systemLibrary(name: "CLinux"),
        .systemLibrary(name: "CNghttp2"),
        .systemLibrary(name: "CPublicSuffix"),
        .target(name: "NetworkingSupport", dependencies: ["CLinux"], swiftSettings: settings),
        .target(
            name: "NetworkingTransport",
            dependencies: [
                "CBrotli", "CCurl", "CLinux", "COpenSSL", "CPublicSuffix", "CZlib", "CZstd", "NetworkingSupport",
            ],
            swiftSettings: settings),
        // What `import OperationNetworking` gives: the three below.
        .target(
            name: "OperationNetworking",
            dependencies: ["OperationNetworkingCore", "OperationNetworkingSessions"],
            swiftSettings: settings),
        .target(
            name: "OperationNetworkingSessions",
            dependencies: ["OperationNetworkingCore", "NetworkingTransport", "NetworkingSupport"],
            swiftSettings: settings),
        .target(
            name: "OperationNetworkingSerialization", dependencies: ["NetworkingTransport", "NetworkingSupport"],
            swiftSettings: settings),
        .target(
            name: "OperationNetworkingCore",
            dependencies: [
                "OperationNetworkingSerialization",
                "NetworkingTransport", "NetworkingSupport",
                .product(name: "Logging", package: "swift-log", condition: .when(traits: ["Logging"])),
                .product(name: "Metrics", package: "swift-metrics", condition: .when(traits: ["Metrics"])),
                .product(name: "Tracing", package: "swift-distributed-tracing", condition: .when(traits: ["Tracing"])),
            ],
            swiftSettings: settings),
        .target(
            name: "OperationNetworkingXML",
            dependencies: ["OperationNetworkingSerialization", "NetworkingSupport"],
            swiftSettings: settings),
        .target(
            name: "OperationNetworkingImages",
            dependencies: ["CGdkPixbuf", "OperationNetworking", "NetworkingTransport", "NetworkingSupport"],
            swiftSettings: settings),
        .target(
            name: "OperationNetworkingDurable",
            dependencies: [
                "CPostgres", "CSQLite", "OperationNetworkingCore", "NetworkingTransport", "NetworkingSupport",
                .product(
                    name: "ServiceLifecycle", package: "swift-service-lifecycle",
                    condition: .when(traits: ["ServiceLifecycle"])),
            ],
            swiftSettings: settings),
        .target(
            name: "OperationNetworkingTesting",
            dependencies: ["OperationNetworking", "NetworkingTransport", "NetworkingSupport"],
            swiftSettings: settings),
        // Apart, because it needs Swift Testing: OperationNetworkingTesting serves tests of any kind.
        .target(
            name: "OperationNetworkingTestingTraits", dependencies: ["OperationNetworkingTesting"],
            swiftSettings: settings),
        // Apart, because stubs need neither sockets nor OpenSSL's server side.
        .target(
            name: "OperationNetworkingTestServer",
            dependencies: [
                "CLinux", "CNghttp2", "COpenSSL", "OperationNetworkingTesting", "NetworkingTransport",
                "NetworkingSupport", "TestTLS",
            ],
            swiftSettings: settings),
        .target(
            name: "AFNetworking",
            dependencies: ["OperationNetworking", "OperationNetworkingXML"],
            swiftSettings: settings),
        .target(
            name: "AFNetworkingUIKit", dependencies: ["AFNetworking", "OperationNetworkingImages"],
            swiftSettings: settings),

        // Certificates and a server's TLS, for tests.
        .target(name: "TestTLS", dependencies: ["COpenSSL"], swiftSettings: settings),
        .target(
            name: "TestServer",
            dependencies: [
                "COpenSSL", "TestTLS",
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ],
            path: "Tests/TestServer",
            swiftSettings: testSettings),
        .executableTarget(
            name: "DownloadFixture", dependencies: ["OperationNetworking"], path: "Tests/Fixtures/DownloadFixture",
            swiftSettings: settings),
        .executableTarget(
            name: "LeakFixture", dependencies: ["OperationNetworking"], path: "Tests/Fixtures/LeakFixture",
            swiftSettings: settings),
        .executableTarget(
            name: "EngineFixture", dependencies: ["NetworkingTransport", "NetworkingSupport", "COpenSSL"],
            path: "Tests/Fixtures/EngineFixture",
            swiftSettings: settings),
        .executableTarget(
            name: "NetworkFixture", dependencies: ["OperationNetworking", "NetworkingSupport"],
            path: "Tests/Fixtures/NetworkFixture", swiftSettings: settings),
        .executableTarget(
            name: "ObservationFixture",
            dependencies: [
                "OperationNetworking",
                .product(name: "MetricsTestKit", package: "swift-metrics", condition: .when(traits: ["Metrics"])),
                .product(
                    name: "InMemoryTracing", package: "swift-distributed-tracing", condition: .when(traits: ["Tracing"])
                ),
            ],
            path: "Tests/Fixtures/ObservationFixture", swiftSettings: settings),
        // Workers of a durable queue, which tests kill.
        .executableTarget(
            name: "DurableFixture", dependencies: ["OperationNetworkingDurable", "OperationNetworking"],
            path: "Tests/Fixtures/DurableFixture", swiftSettings: settings),
        .target(name: "AllocationCounter", path: "Tests/Fixtures/AllocationCounter"),
        .executableTarget(
            name: "CountedFixture", dependencies: ["OperationNetworking", "AllocationCounter"],
            path: "Tests/Fixtures/CountedFixture", swiftSettings: settings),
        // Reads the library's internals, and so runs in debug builds only.
        .executableTarget(
            name: "Simulation",
            dependencies: ["OperationNetworking", "NetworkingTransport", "NetworkingSupport"],
            path: "Tests/Simulation", swiftSettings: testSettings),
        .systemLibrary(name: "CMalloc", path: "Tests/Fixtures/CMalloc"),
        .executableTarget(
            name: "LoadMatrix",
            dependencies: ["CMalloc", "OperationNetworking", "OperationNetworkingImages", "TestServer", "TestTLS"],
            path: "Tests/LoadMatrix", swiftSettings: testSettings),
        .testTarget(name: "TestServerTests", dependencies: ["TestServer"], swiftSettings: testSettings),
        .testTarget(
            name: "NetworkingSupportTests", dependencies: ["NetworkingSupport"], swiftSettings: testSettings),
        .testTarget(
            name: "NetworkingTransportTests",
            dependencies: ["COpenSSL", "NetworkingTransport", "NetworkingSupport", "TestServer", "TestTLS"],
            swiftSettings: testSettings),
        .testTarget(
            name: "SerializationTests",
            dependencies: ["OperationNetworking", "OperationNetworkingXML", "NetworkingSupport", "TestServer"],
            swiftSettings: testSettings),
        .testTarget(
            name: "SecurityTests",
            dependencies: ["OperationNetworking", "NetworkingTransport", "NetworkingSupport", "TestServer"],
            swiftSettings: testSettings),
        .testTarget(
            name: "OperationNetworkingTests",
            dependencies: ["OperationNetworking", "NetworkingTransport", "NetworkingSupport", "TestServer"],
            exclude: ["Replies/Replies.txt"], swiftSettings: testSettings),
        .testTarget(
            name: "TestingTests",
            dependencies: [
                "OperationNetworking", "OperationNetworkingTesting", "OperationNetworkingTestingTraits",
                "OperationNetworkingTestServer", "OperationNetworkingImages", "NetworkingTransport",
                "NetworkingSupport", "TestServer",
            ], swiftSettings: testSettings),
        .testTarget(
            name: "SessionTests",
            dependencies: ["OperationNetworking", "NetworkingSupport", "TestServer"], swiftSettings: testSettings),
        .testTarget(
            name: "ReportTests",
            dependencies: [
                "OperationNetworking", "OperationNetworkingImages", "NetworkingSupport", "TestServer", "TestTLS",
            ], swiftSettings: testSettings),
        .testTarget(
            name: "ImagesTests",
            dependencies: [
                "AFNetworkingUIKit", "OperationNetworkingImages", "OperationNetworking", "NetworkingTransport",
                "NetworkingSupport",
                "TestServer",
            ],
            resources: [.copy("Files")], swiftSettings: testSettings),
        .testTarget(
            name: "DurableTests",
            dependencies: [
                // The program is started by the tests, so it has to be built.
                "DurableFixture", "OperationNetworkingDurable", "OperationNetworking", "NetworkingSupport",
                "TestServer",
                .product(
                    name: "ServiceLifecycle", package: "swift-service-lifecycle",
                    condition: .when(traits: ["ServiceLifecycle"])),
            ],
            exclude: ["Faults/syncfault.c"], swiftSettings: testSettings),
        .target(
            name: "Swift5Client", dependencies: ["AFNetworking"], path: "Tests/Fixtures/Swift5Client",
            swiftSettings: [.swiftLanguageMode(.v5), .treatAllWarnings(as: .error)]),
        .testTarget(
            name: "AFNetworkingTests",
            dependencies: ["AFNetworking", "AFNetworkingUIKit", "Swift5Client", "TestServer"],
            exclude: [
                "Symbols/AFNetworking-2.6.3.txt", "Symbols/AFNetworking-3.2.1.txt", "Symbols/AFNetworking-4.0.1.txt",
            ], swiftSettings: testSettings),
        // Clients as they were written against AFNetworking 2.x; they import that module and nothing else.
        .target(
            name: "LegacySwift5", dependencies: ["AFNetworking"], path: "Tests/AFNetworkingLegacyTests/Legacy/Swift5",
            swiftSettings: [.swiftLanguageMode(.v5), .treatAllWarnings(as: .error)]),
        .target(
            name: "LegacySwift6", dependencies: ["AFNetworking"], path: "Tests/AFNetworkingLegacyTests/Legacy/Swift6",
            swiftSettings: [.swiftLanguageMode(.v6), .treatAllWarnings(as: .error)]),
        .testTarget(
            name: "AFNetworkingLegacyTests",
            dependencies: ["AFNetworking", "LegacySwift5", "LegacySwift6", "TestServer"],
            exclude: ["Legacy"], swiftSettings: testSettings),
    ]
)

// A check that runs few of the tests names what it takes, and no other target is built.
if let wanted = Context.environment["OPERATION_NETWORKING_TARGETS"] {
    let targets = Dictionary(uniqueKeysWithValues: package.targets.map { ($0.name, $0) })
    var names = wanted.split(separator: " ").map(String.init)
    var kept: Set<String> = []
    while let name = names.popLast() {
        guard kept.insert(name).inserted, let target = targets[name] else { continue }
        for case .byNameItem(let dependency, _) in target.dependencies { names.append(dependency) }
    }
    package.targets.removeAll { !kept.contains($0.name) }
    package.products.removeAll()
}
