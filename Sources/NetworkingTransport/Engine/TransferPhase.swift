internal import CCurl

/// What a transfer is about, for errors that say when it stood still.
enum TransferPhase {
    case nameLookup, connect, handshake, sending, firstByte, receiving

    /// Ends "Nothing moved for 5 seconds ….".
    var text: String {
        switch self {
        case .nameLookup: "while the host's name was looked up"
        case .connect: "while a connection was made"
        case .handshake: "during the TLS handshake"
        case .sending: "while the request was sent"
        case .firstByte: "while the response was waited for"
        case .receiving: "while the response was received"
        }
    }
}

extension TransferDriver {
    var phase: TransferPhase {
        if collector.totalBytes > 0 { return .receiving }
        if easy.offset(CURLINFO_PRETRANSFER_TIME_T) > 0 {
            return bodyLength.map { bodyOffset < $0 } ?? isSourceOpen ? .sending : .firstByte
        }
        if verification != nil { return .handshake }
        return easy.offset(CURLINFO_NAMELOOKUP_TIME_T) > 0 ? .connect : .nameLookup
    }
}
