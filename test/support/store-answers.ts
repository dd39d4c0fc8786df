import { createHash } from "node:crypto";
import type { ServerResponse } from "node:http";
import type { ReceivedRequest } from "./receiver.ts";

/** Responds like an S3-compatible store that accepts every write and contains no objects. */
export function answerAsStore(response: ServerResponse, { method, body }: ReceivedRequest): void {
  if (method === "PUT") {
    const digest = createHash("md5").update(body).digest("hex");
    response.setHeader("ETag", `"${digest}"`);
  }
  response.writeHead({ PUT: 200, DELETE: 204 }[method] ?? 404).end();
}

/**
 * Returns a handler that responds like a store that refuses every request with an error code.
 * `rest` is the XML after the code.
 */
export const refuseAsStore =
  (status: number, code: string, rest = "<Message>no</Message>") =>
  (response: ServerResponse): void => {
    response
      .writeHead(status, { "Content-Type": "application/xml" })
      .end(`<Error><Code>${code}</Code>${rest}</Error>`);
  };
