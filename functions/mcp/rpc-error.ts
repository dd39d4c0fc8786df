import type { ServiceError } from "../../shared/base/errors.ts";
import { errorBody } from "../http/error-response.ts";

/** The code of JSON-RPC for a body that is not a message. */
const invalidRequest = -32_600;

/**
 * Returns the body of the response to an error outside of a tool. A body that is not a JSON-RPC
 * message gets a JSON-RPC error, as the protocol requires. Other errors, such as 401, have the error
 * object of the HTTP API.
 */
export function rpcErrorBody(error: ServiceError): unknown {
  if (error.status !== 400) return errorBody(error);
  const message =
    error.details.param === "body"
      ? `${error.message} Send one JSON-RPC message in each call: batches are not supported, because MCP 2025-06-18 removed them.`
      : error.message;
  return {
    jsonrpc: "2.0",
    id: null,
    error: { code: invalidRequest, message, data: errorBody(error).error },
  };
}
