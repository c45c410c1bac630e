// SPDX-License-Identifier: MIT
import CCurl
import Testing

@testable import NetworkingTransport

@Suite("What libcurl's codes mean") struct TransferErrorTests {
    private typealias Circumstances = TransferError.Circumstances

    private func kind(_ code: CurlCode, _ text: String, _ change: (inout Circumstances) -> Void) -> TransferError.Kind {
        var circumstances = Circumstances()
        change(&circumstances)
        return TransferError.curl(code, text: text, circumstances: circumstances).kind
    }

    @Test("An argument that libcurl refuses on a connection came from the server")
    func badArgument() {
        #expect(kind(.CURLE_BAD_FUNCTION_ARGUMENT, "") { $0.wasConnected = true } == .badResponse)
        #expect(kind(.CURLE_BAD_FUNCTION_ARGUMENT, "") { _ in } == .other)
    }

    @Test("An alert is about a client certificate only before a response, and only the server's")
    func clientCertificates() {
        let required = "error:0A00045C:SSL routines::tlsv13 alert certificate required, errno 0"
        let refused = "OpenSSL SSL_connect: error:0A000412:SSL routines::sslv3 alert bad certificate"
        let record = "error:0A0003FC:SSL routines::sslv3 alert bad record mac, errno 0"
        #expect(kind(.CURLE_RECV_ERROR, required) { _ in } == .clientCertificateRequired)
        #expect(kind(.CURLE_RECV_ERROR, required) { $0.wasAskedForIdentity = true } == .clientCertificateRequired)
        #expect(kind(.CURLE_SSL_CONNECT_ERROR, refused) { $0.hasClientIdentity = true } == .clientCertificate)
        #expect(kind(.CURLE_SSL_CONNECT_ERROR, refused) { $0.wasAskedForIdentity = true } == .clientCertificateRequired)
        #expect(kind(.CURLE_SSL_CONNECT_ERROR, refused) { _ in } == .secureConnectionFailed)
        #expect(kind(.CURLE_RECV_ERROR, record) { $0.wasAskedForIdentity = true } == .connectionLost)
        for change: (inout Circumstances) -> Void in [{ $0.hasHead = true }, { $0.concernsProxy = true }] {
            #expect(
                kind(.CURLE_RECV_ERROR, required) {
                    $0.wasAskedForIdentity = true
                    change(&$0)
                } == .connectionLost)
        }
    }

    @Test("An alert that was read after a failure to send counts like one that reading failed with")
    func lateAlert() {
        func error(_ alert: UInt8?, _ change: (inout Circumstances) -> Void = { _ in }) -> TransferError {
            var circumstances = Circumstances()
            circumstances.alert = alert
            change(&circumstances)
            return TransferError.curl(
                .CURLE_SEND_ERROR, text: "Send failure: Broken pipe", circumstances: circumstances)
        }
        #expect(error(116).kind == .clientCertificateRequired)
        let refused = error(48) { $0.hasClientIdentity = true }
        #expect(refused.kind == .clientCertificate)
        #expect(refused.message == "Send failure: Broken pipe (the server's alert: unknown ca)")
        for alert: UInt8? in [nil, 0, 20] {
            let error = error(alert) { $0.hasClientIdentity = true }
            #expect(error.kind == .connectionLost && error.message == "Send failure: Broken pipe")
        }
    }

    @Test("What a proxy says in place of a tunnel")
    func connect() {
        let text = "CONNECT tunnel failed, response 407"
        #expect(kind(.CURLE_RECV_ERROR, text) { $0.connectStatus = 407 } == .proxyAuthentication)
        #expect(kind(.CURLE_RECV_ERROR, text) { $0.connectStatus = 503 } == .proxy)
        #expect(kind(.CURLE_RECV_ERROR, "reset") { $0.connectStatus = 200 } == .connectionLost)
        #expect(kind(.CURLE_PROXY, "no") { $0.proxyCode = CURLPX_USER_REJECTED } == .proxyAuthentication)
        #expect(kind(.CURLE_PROXY, "no") { $0.proxyCode = CURLPX_REPLY_HOST_UNREACHABLE } == .proxy)
    }

    @Test("libcurl's texts that quote a proxy are told without its password")
    func redaction() {
        let credential = TransferCredential(user: "me", password: "hunter2:@", schemes: .basic)
        let proxy = TransferProxy(scheme: .http, host: "::1", port: 3128, credential: credential)
        #expect(proxy.urlWithUserInfo == "http://me:hunter2%3A%40@[::1]:3128")
        let message = proxy.redacting("Unsupported proxy scheme for '\(proxy.urlWithUserInfo)'")
        #expect(message == "Unsupported proxy scheme for 'http://[::1]:3128'")
    }
}
