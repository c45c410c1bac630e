// SPDX-License-Identifier: MIT
internal import CCurl
internal import Foundation

/// The first failure among a number of option calls.
private struct OptionResult {
    private(set) var code = CurlCode.CURLE_OK

    mutating func require(_ result: CurlCode) {
        if code == .CURLE_OK { code = result }
    }

    /// For sizes that libcurl does not change while a handle has a buffer from its last transfer: after one that shared
    /// its connection, or had none. The handle works with the size it has.
    mutating func allowRefusal(_ result: CurlCode) {
        guard result != .CURLE_BAD_FUNCTION_ARGUMENT else { return }
        require(result)
    }

    /// For options that a libcurl may lack without harm.
    mutating func allowMissing(_ result: CurlCode) {
        guard result != .CURLE_UNKNOWN_OPTION, result != .CURLE_NOT_BUILT_IN,
            result != .CURLE_UNSUPPORTED_PROTOCOL
        else { return }
        require(result)
    }
}

extension TransferDriver {
    /// Content up to this size is handed to libcurl in advance, which sends it together with the head.
    private static let copiedBodyLimit = 64 * 1024

    /// Sets everything that `request` asks for.
    ///
    /// A plain request (GET, no content, no credential) after another one changes the URL and little else. After
    /// anything else the handle goes back to its defaults, which also forgets authentication state.
    ///
    /// - Parameter freshConnection: Open connections are not used.
    func configure(for request: TransferRequest, freshConnection: Bool) -> TransferError? {
        if let error = RequestValidation.urlError(request.url) { return error }
        var result = OptionResult()
        let isPlainRequest: Bool
        if case .none = request.body {
            isPlainRequest = request.method == "GET" && request.credential == nil && !freshConnection
        } else {
            isPlainRequest = false
        }
        let keepsOptions =
            isPlain && isPlainRequest && plainDecodes == request.decodesContent && plainHeaders == request.headers
            && plainDecodesOwn == request.decodesOwnCodings
            && plainIdleAge == loop.idleConnectionAge && plainReceivesLargePieces == request.receivesLargePieces
        body = request.body
        bodyLength = nil
        if keepsOptions {
            // They were found good before.
            guard easy.rewind(share: pool.share) else {
                isPlain = false
                return .noMemory(for: "a libcurl handle")
            }
        } else {
            if let error = RequestValidation.error(in: request) { return error }
            guard easy.reset() else { return .noMemory(for: "a libcurl handle") }
            isPlain = false
            headerList = nil
            sendsContent = false
            setConstants(&result)
            let size = request.receivesLargePieces ? Self.largeReceiveBufferSize : Self.receiveBufferSize
            result.allowRefusal(easy.set(CURLOPT_BUFFERSIZE, size))
            if let credential = request.credential { setCredential(credential, &result) }
            if freshConnection { result.require(easy.set(CURLOPT_FRESH_CONNECT, 1)) }
            if let error = setContent(of: request, &result) { return error }
            if let error = setHeaders(of: request, &result) { return error }
            isPlain = isPlainRequest && easy.markOptions()
            plainHeaders = request.headers
            plainDecodes = request.decodesContent
            plainDecodesOwn = request.decodesOwnCodings
            plainIdleAge = loop.idleConnectionAge
            plainReceivesLargePieces = request.receivesLargePieces
        }
        stopListening()
        setSharing(freshConnection: freshConnection, &result)
        if RequestValidation.hasUserInfo(request.url) { isReusable = false }
        result.require(easy.set(CURLOPT_URL, request.url))
        guard result.code == .CURLE_OK else {
            isPlain = false
            return TransferError.curl(result.code, text: "An option of the transfer was refused: \(result.code.text)")
        }
        return nil
    }

    private func setConstants(_ result: inout OptionResult) {
        let me = Unmanaged.passUnretained(self).toOpaque()
        result.require(easy.installErrorBuffer())
        result.require(easy.set(CURLOPT_PRIVATE, pointer: me))
        result.require(easy.set(CURLOPT_NOSIGNAL, 1))
        // Removing a handle whose name lookup hangs must not wait for the resolver's thread.
        result.allowMissing(easy.set(CURLOPT_QUICK_EXIT, 1))
        result.require(easy.set(CURLOPT_PROTOCOLS_STR, "http,https"))
        result.require(easy.set(CURLOPT_REDIR_PROTOCOLS_STR, "http,https"))
        result.require(easy.set(CURLOPT_FOLLOWLOCATION, 0))
        setProxy(&result)
        result.require(easy.set(CURLOPT_TCP_NODELAY, 1))
        result.require(easy.set(CURLOPT_TCP_KEEPALIVE, 1))
        result.require(easy.set(CURLOPT_HTTP09_ALLOWED, 0))
        result.require(easy.set(CURLOPT_PATH_AS_IS, 1))
        result.allowMissing(easy.set(CURLOPT_MAXAGE_CONN, loop.idleConnectionAge))
        // The engine's own idle timer decides.
        result.require(easy.set(CURLOPT_CONNECTTIMEOUT_MS, 2_000_000_000))
        setRoute(&result)
        result.require(easy.set(CURLOPT_HEADERFUNCTION, function: Self.headerCallback))
        result.require(easy.set(CURLOPT_HEADERDATA, pointer: me))
        result.require(easy.set(CURLOPT_WRITEFUNCTION, function: Self.writeCallback))
        result.require(easy.set(CURLOPT_WRITEDATA, pointer: me))
        result.require(easy.set(CURLOPT_READFUNCTION, function: Self.readCallback))
        result.require(easy.set(CURLOPT_READDATA, pointer: me))
        result.require(easy.setSeekFunction(Self.seekCallback))
        result.require(easy.set(CURLOPT_SEEKDATA, pointer: me))
        result.require(easy.setPreRequestFunction(Self.preRequestCallback))
        result.require(easy.set(CURLOPT_PREREQDATA, pointer: me))
        if CurlGlobal.takesBrokenConnectionsForEnds {
            // Says nothing before `listen()`.
            result.allowMissing(easy.setDebugFunction(Self.debugCallback))
            result.allowMissing(easy.set(CURLOPT_DEBUGDATA, pointer: me))
        }
        let observer = Unmanaged.passUnretained(pool.multi.observer).toOpaque()
        result.require(
            easy.setSocketFunctions(open: SocketObserver.openCallback, close: SocketObserver.closeCallback))
        result.require(easy.set(CURLOPT_OPENSOCKETDATA, pointer: me))
        result.require(easy.set(CURLOPT_CLOSESOCKETDATA, pointer: observer))
        result.require(easy.set(CURLOPT_SHARE, pointer: pool.share.pointer))
        setTLS(&result)
    }

    /// Sets how connections are made. Everything set here is part of the pool's key.
    private func setRoute(_ result: inout OptionResult) {
        let version =
            switch pool.route?.httpVersion ?? .automatic {
            case .automatic: CURL_HTTP_VERSION_2TLS
            case .http1: CURL_HTTP_VERSION_1_1
            case .http2PriorKnowledge: CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE
            case .http3: CurlGlobal.capabilities.supportsHTTP3 ? CURL_HTTP_VERSION_3 : CURL_HTTP_VERSION_2TLS
            }
        result.allowMissing(easy.set(CURLOPT_HTTP_VERSION, Int(version)))
        guard let route = pool.route else { return }
        if route.address != nil, pool.proxy == nil {
            result.require(easy.set(CURLOPT_CONNECT_TO, pointer: pool.connectTo?.pointer))
        }
        if let path = route.unixSocketPath { result.require(easy.set(CURLOPT_UNIX_SOCKET_PATH, path)) }
        if let name = route.networkInterface {
            // With a prefix: otherwise libcurl takes what is no interface for a host name, and waits for its lookup.
            let isAddress = CertificateHostName.isAddress(name)
            result.require(easy.set(CURLOPT_INTERFACE, (isAddress ? "host!" : "if!") + name))
        }
    }

    /// Has a request wait for a connection that is being made, in place of making another, where requests share a
    /// connection or may turn out to.
    private func setSharing(freshConnection: Bool, _ result: inout OptionResult) {
        guard let transfer else { return }
        let mayShare = mayBeHTTP2 && loop.admissions.mayShareConnections(transfer.origin)
        let knowsVersion = pool.route?.httpVersion == .http2PriorKnowledge
        expectsHTTP2 = knowsVersion && !freshConnection && loop.admissions.speaksHTTP2(transfer.origin)
        if knowsVersion {
            // A connection that is there already needs no change to HTTP/2, which libcurl (7.88) would fail at. For a
            // new one see `maySend(fromPort:)`.
            let version = expectsHTTP2 ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE
            result.allowMissing(easy.set(CURLOPT_HTTP_VERSION, Int(version)))
        }
        // Without an agreement libcurl lets others join before the connection can have them.
        result.allowMissing(easy.set(CURLOPT_PIPEWAIT, mayShare && !knowsVersion ? 1 : 0))
        noteKept(mayShare && !knowsVersion)
        if mayShare {
            result.allowMissing(easy.set(CURLOPT_STREAM_WEIGHT, Self.streamWeight(transfer.request.priority)))
        }
    }

    private var mayBeHTTP2: Bool {
        switch pool.route?.httpVersion ?? .automatic {
        case .automatic, .http3: transfer?.request.isSecure ?? false
        case .http1: false
        case .http2PriorKnowledge: true
        }
    }

    /// The weight of a stream (RFC 7540, section 5.3.2), from 1 to 256, for a priority as `Operation.QueuePriority` has
    /// them: 16 is the protocol's default.
    private static func streamWeight(_ priority: Int) -> Int {
        switch priority {
        case ...(-8): 1
        case ...(-1): 4
        case 0: 16
        case ...7: 64
        default: 256
        }
    }

    /// For this request only: the handle goes back to its defaults before the next.
    private func setCredential(_ credential: TransferCredential, _ result: inout OptionResult) {
        result.require(easy.set(CURLOPT_HTTPAUTH, credential.schemes.curlMask))
        result.require(easy.set(CURLOPT_USERNAME, credential.user))
        result.require(easy.set(CURLOPT_PASSWORD, credential.password))
    }

    /// Bytes that libcurl reads from a socket at a time. A handle that is new for each request allocates them each
    /// time, and the system's allocator consolidates its memory whenever 64 KiB are freed.
    static let receiveBufferSize = 32 * 1024
    private static let largeReceiveBufferSize = 100 * 1024

    /// libcurl is told to verify, but gets no anchors; the verdict is `PeerVerification`'s, which fails closed.
    private func setTLS(_ result: inout OptionResult) {
        result.require(easy.set(CURLOPT_SSL_VERIFYPEER, 1))
        result.require(easy.set(CURLOPT_SSL_VERIFYHOST, 0))
        result.require(easy.set(CURLOPT_CAINFO, pointer: nil))
        result.require(easy.set(CURLOPT_CAPATH, pointer: nil))
        result.require(easy.set(CURLOPT_SSLVERSION, TLSPeer.server.curlVersion))
        result.require(easy.setSSLContextFunction(Self.sslContextCallback))
        result.require(easy.set(CURLOPT_SSL_CTX_DATA, pointer: Unmanaged.passUnretained(self).toOpaque()))
        // A handshake that goes on with an earlier session asks for no verdict, and code of the program's may have another
        // one by now.
        if pool.holdsProgram { result.require(easy.set(CURLOPT_SSL_SESSIONID_CACHE, 0)) }
        guard let identity = pool.tls.clientIdentity else { return }
        result.require(easy.set(CURLOPT_SSLCERTTYPE, "PEM"))
        result.require(easy.set(CURLOPT_SSLKEYTYPE, "PEM"))
        identity.certificateChainPEM.withUnsafeBytes { result.require(easy.set(CURLOPT_SSLCERT_BLOB, blob: $0)) }
        identity.privateKeyPEM.withUnsafeBytes { result.require(easy.set(CURLOPT_SSLKEY_BLOB, blob: $0)) }
    }

    /// CURLAUTH_ONLY, which is too large for Swift's importer.
    private static let authenticationOnly = 1 << 31

    /// Sets the way to the server. Everything set here is part of the pool's key.
    private func setProxy(_ result: inout OptionResult) {
        guard let proxy = pool.proxy else {
            // Not NULL: "" keeps libcurl from reading proxies from the environment.
            result.require(easy.set(CURLOPT_PROXY, ""))
            // Nor look for exceptions there, for every request.
            result.require(easy.set(CURLOPT_NOPROXY, "*"))
            return
        }
        result.require(easy.set(CURLOPT_PROXY, proxy.urlWithUserInfo))
        // Exceptions were looked for before; "" keeps libcurl from looking for more in the environment.
        result.require(easy.set(CURLOPT_NOPROXY, ""))
        // A server's header fields are not the proxy's to see.
        result.require(easy.set(CURLOPT_HEADEROPT, Int(CURLHEADER_SEPARATE)))
        result.allowMissing(easy.set(CURLOPT_SOCKS5_AUTH, TransferCredential.Schemes.basic.curlMask))
        result.require(easy.set(CURLOPT_PROXY_SSL_VERIFYPEER, 1))
        result.require(easy.set(CURLOPT_PROXY_SSL_VERIFYHOST, 0))
        result.require(easy.set(CURLOPT_PROXY_CAINFO, pointer: nil))
        result.require(easy.set(CURLOPT_PROXY_CAPATH, pointer: nil))
        result.require(easy.set(CURLOPT_PROXY_SSLVERSION, TLSPeer.proxy.curlVersion))
        guard let schemes = proxy.credential?.schemes else { return }
        guard !proxy.scheme.isSOCKS else {
            // Such a proxy gets the credential before any HTTP. With a scheme for HTTP libcurl would answer a server's
            // 407 as well.
            result.require(easy.set(CURLOPT_PROXYAUTH, 0))
            return
        }
        // With a single scheme that takes several messages libcurl sends the first without the content. A proxy that
        // then does not ask passes that on, and the content is never sent. So such a proxy is asked first.
        let asksFirst = schemes == .basic ? 0 : Self.authenticationOnly
        result.require(easy.set(CURLOPT_PROXYAUTH, schemes.curlMask | asksFirst))
        guard asksFirst != 0 else { return }
        result.require(easy.setProgressFunction(Self.progressCallback))
        result.require(easy.set(CURLOPT_XFERINFODATA, pointer: Unmanaged.passUnretained(self).toOpaque()))
        result.require(easy.set(CURLOPT_NOPROGRESS, 0))
    }

    /// Sets the method and the content.
    private func setContent(of request: TransferRequest, _ result: inout OptionResult) -> TransferError? {
        switch request.body {
        case .none:
            setMethodWithoutContent(request.method, &result)
        case .data(let data) where data.count <= Self.copiedBodyLimit:
            reportsBodyAtOnce = true
            isContentCopied = true
            bodyLength = Int64(data.count)
            setCopiedContent(data, method: request.method, &result)
        case .data(let data):
            bodyLength = Int64(data.count)
            setStreamedContent(method: request.method, &result)
        case .source(let source):
            switch RequestValidation.contentLength(of: source, headers: request.headers) {
            case .success(let length): bodyLength = length
            case .failure(let error): return error
            }
            setStreamedContent(method: request.method, &result)
        }
        return nil
    }

    private func setMethodWithoutContent(_ method: String, _ result: inout OptionResult) {
        switch method {
        case "GET":
            result.require(easy.set(CURLOPT_HTTPGET, 1))
        case "HEAD":
            result.require(easy.set(CURLOPT_NOBODY, 1))
        case "POST", "PUT", "PATCH":
            // Methods that anticipate content say that there is none (RFC 9110, 8.6).
            setCopiedContent(Data(), method: method, &result)
        default:
            result.require(easy.set(CURLOPT_HTTPGET, 1))
            result.require(easy.set(CURLOPT_CUSTOMREQUEST, method))
        }
    }

    private func setCopiedContent(_ data: Data, method: String, _ result: inout OptionResult) {
        sendsContent = true
        result.require(easy.set(CURLOPT_POST, 1))
        result.require(easy.set(CURLOPT_POSTFIELDSIZE_LARGE, offset: Int64(data.count)))
        // NULL would make libcurl ask the read callback.
        data.withUnsafeBytes { bytes in
            if let start = bytes.baseAddress, !bytes.isEmpty {
                result.require(easy.set(CURLOPT_COPYPOSTFIELDS, pointer: start))
            } else {
                result.require(easy.set(CURLOPT_COPYPOSTFIELDS, ""))
            }
        }
        if method != "POST" { result.require(easy.set(CURLOPT_CUSTOMREQUEST, method)) }
    }

    /// Sets content that goes through the read callback, with any method; chunked when the length is unknown.
    private func setStreamedContent(method: String, _ result: inout OptionResult) {
        sendsContent = true
        result.require(easy.set(CURLOPT_UPLOAD, 1))
        result.require(easy.set(CURLOPT_UPLOAD_BUFFERSIZE, Self.sendBufferSize))
        result.require(easy.set(CURLOPT_INFILESIZE_LARGE, offset: bodyLength ?? -1))
        if method != "PUT" { result.require(easy.set(CURLOPT_CUSTOMREQUEST, method)) }
    }

    /// Bytes that libcurl asks the read callback for at a time.
    private static let sendBufferSize = 128 * 1024

    private static let acceptEncodingLine = "Accept-Encoding: " + ContentDecoder.acceptEncoding

    /// Leaves the expectation out of a request that libcurl sends again.
    func dropExpectation(of request: TransferRequest) {
        var (request, result) = (request, OptionResult())
        request.headers.removeAll { $0.name.utf8.equalsIgnoringCase("expect") }
        if let error = setHeaders(of: request, &result) { failure = error }
    }

    /// Sets the header lines, and suppresses those that libcurl would add by itself.
    private func setHeaders(of request: TransferRequest, _ result: inout OptionResult) -> TransferError? {
        let list = HeaderList()
        var isComplete = true
        var hasExpect = false
        var hasContentType = false
        var hasAcceptEncoding = false
        for field in request.headers {
            let name = field.name.utf8
            // libcurl says it, from the length it was given; validation has compared the two.
            if name.equalsIgnoringCase("content-length") { continue }
            hasExpect = hasExpect || name.equalsIgnoringCase("expect")
            hasContentType = hasContentType || name.equalsIgnoringCase("content-type")
            hasAcceptEncoding = hasAcceptEncoding || name.equalsIgnoringCase("accept-encoding")
            if let octets = field.octets {
                isComplete = list.append(octets: Array("\(field.name): ".utf8) + octets) && isComplete
                continue
            }
            // "Name;" is libcurl's spelling of a field without a value; "Name:" would drop it, and libcurl's field of
            // that name.
            let line = field.value.utf8.allSatisfy(\.isBlank) ? "\(field.name);" : "\(field.name): \(field.value)"
            isComplete = list.append(line) && isComplete
        }
        if sendsContent {
            if !hasExpect { isComplete = list.append("Expect:") && isComplete }
            if !hasContentType { isComplete = list.append("Content-Type:") && isComplete }
        }
        if request.decodesContent, !hasAcceptEncoding {
            isComplete = list.append(Self.acceptEncodingLine) && isComplete
        }
        // Not CURLOPT_ACCEPT_ENCODING: libcurl takes content that ends early for whole.
        decodesContent = request.decodesContent && (!hasAcceptEncoding || request.decodesOwnCodings)
        guard isComplete else { return TransferError.noMemory(for: "the header fields") }
        headerList = list
        result.require(easy.set(CURLOPT_HTTPHEADER, pointer: list.pointer))
        return nil
    }
}

extension TransferCredential.Schemes {
    /// As CURLAUTH_* bits.
    fileprivate var curlMask: Int {
        var mask = 0
        if contains(.basic) { mask |= 1 << 0 }
        if contains(.digest) { mask |= 1 << 1 }
        if contains(.negotiate) { mask |= 1 << 2 }
        if contains(.ntlm) { mask |= 1 << 3 }
        return mask
    }
}
