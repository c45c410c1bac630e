// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .treatAllWarnings(as: .error),
]

let package = Package(
    name: "Benchmarks",
    dependencies: [.package(name: "OperationNetworking", path: "..")],
    targets: [
        .executableTarget(
            name: "Benchmark",
            dependencies: [.product(name: "OperationNetworking", package: "OperationNetworking")],
            swiftSettings: settings),
        // The limit: the same requests on raw libcurl.
        .executableTarget(
            name: "RawClient", path: "Raw/Client",
            cSettings: [.unsafeFlags(["-Wall", "-Wextra", "-Werror"])],
            linkerSettings: [.linkedLibrary("curl")]),
        // A server that reads uploads and throws them away.
        .executableTarget(
            name: "UploadSink", path: "Raw/Sink",
            cSettings: [.unsafeFlags(["-Wall", "-Wextra", "-Werror"])]),
    ]
)
