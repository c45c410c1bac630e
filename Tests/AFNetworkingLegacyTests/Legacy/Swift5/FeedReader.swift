// SPDX-License-Identifier: MIT

// XML by a parser with a delegate, XML as a document, and property lists.
import AFNetworking

class FeedReader: NSObject, XMLParserDelegate {
    private(set) var titles: [String] = []
    private var text: String?

    func read(_ url: URL, completion: @escaping ([String], Error?) -> Void) {
        let operation = AFHTTPRequestOperation(request: URLRequest(url: url))
        operation.responseSerializer = AFXMLParserResponseSerializer()
        operation.setCompletionBlockWithSuccess(
            { _, responseObject in
                let parser = responseObject as! XMLParser
                parser.delegate = self
                parser.shouldProcessNamespaces = true
                _ = parser.parse()
                completion(self.titles, nil)
            },
            failure: { _, error in
                completion([], error)
            })
        operation.start()
    }

    func parser(
        _ parser: XMLParser, didStartElement elementName: String, namespaceURI: String?, qualifiedName qName: String?,
        attributes attributeDict: [String: String] = [:]
    ) {
        if elementName == "title" { text = "" }
    }

    func parser(_ parser: XMLParser, foundCharacters string: String) {
        text?.append(string)
    }

    func parser(
        _ parser: XMLParser, didEndElement elementName: String, namespaceURI: String?, qualifiedName qName: String?
    ) {
        if elementName == "title", let text = text { titles.append(text) }
        text = nil
    }

    func readDocument(_ url: URL, completion: @escaping (String?) -> Void) {
        let manager = AFHTTPRequestOperationManager()
        manager.responseSerializer = AFXMLDocumentResponseSerializer()
        manager.get(
            url.absoluteString, parameters: nil,
            success: { _, responseObject in
                let document = responseObject as? XMLDocument
                completion(document?.rootElement()?.name)
            }, failure: { _, _ in completion(nil) })
    }

    func readPropertyList(_ url: URL, completion: @escaping (NSDictionary?) -> Void) {
        let manager = AFHTTPRequestOperationManager()
        let json = AFJSONResponseSerializer()
        let plist = AFPropertyListResponseSerializer(format: .xml, readOptions: [])
        manager.responseSerializer = AFCompoundResponseSerializer.compoundSerializer(
            withResponseSerializers: [json, plist])
        manager.get(
            url.absoluteString, parameters: nil,
            success: { _, responseObject in
                completion(responseObject as? NSDictionary)
            }, failure: { _, _ in completion(nil) })
    }
}
