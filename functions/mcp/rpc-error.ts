import type { ServiceError } from "../../shared/base/errors.ts";
import { errorBody } from "../http/error-response.ts";
import { invalidJson } from "../http/json-body.ts";

/** The codes of JSON-RPC for a body that is not JSON, and for JSON that is not a message. */
const parseError = -32_700;
const invalidRequest = -32_600;

/**
 * Returns the body of the response to an error outside of a tool. If the request is not a JSON-RPC
 * message, the response body is a JSON-RPC error, as the protocol requires. For any other error,
 * such as 401, it is the error object of the HTTP API.
 */
export function rpcErrorBody(error: ServiceError): unknown {
  if (error.status !== 400) return errorBody(error);
  const isJson = error.message !== invalidJson;
  const message =
    error.details.param === "body" && isJson
      ? `${error.message} Send one JSON-RPC message in each call: batches are not supported, because MCP 2025-06-18 removed them.`
      : error.message;
  return {
    jsonrpc: "2.0",
    id: null,
    error: { code: isJson ? invalidRequest : parseError, message, data: errorBody(error).error },
  };
}
