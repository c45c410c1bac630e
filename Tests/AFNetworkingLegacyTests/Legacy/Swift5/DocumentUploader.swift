// SPDX-License-Identifier: MIT

// Files and data of Objective-C's classes in a form, with the errors of Swift 1 and of Swift 2.
import AFNetworking

class DocumentUploader: NSObject {
    let manager = AFHTTPRequestOperationManager()
    private(set) var problem: String?

    func upload(_ file: NSURL, note: NSData, to URLString: String, completion: @escaping (Bool) -> Void) {
        manager.responseSerializer = AFHTTPResponseSerializer()
        manager.POST(
            URLString, parameters: ["kind": "document"],
            constructingBodyWithBlock: { (formData: AFMultipartFormData!) -> Void in
                var error: NSError?
                if !formData.appendPartWithFileURL(file, name: "first", error: &error) {
                    self.problem = error?.localizedDescription
                }
                do {
                    try formData.appendPartWithFileURL(
                        file, name: "second", fileName: "second.txt", mimeType: "text/plain")
                } catch {
                    self.problem = error.localizedDescription
                }
                formData.appendPartWithFileData(note, name: "note", fileName: "note.txt", mimeType: "text/plain")
                formData.appendPartWithFormData(note, name: "raw")
                formData.appendPartWithHeaders(["Content-Disposition": "form-data; name=\"own\""], body: note)
            },
            success: { (operation: AFHTTPRequestOperation!, responseObject: AnyObject!) -> Void in
                completion(true)
            },
            failure: { (operation: AFHTTPRequestOperation!, error: NSError!) -> Void in
                completion(false)
            })
    }
}
