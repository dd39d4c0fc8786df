import type { ServerResponse } from "node:http";
import * as v from "valibot";
import type { ResolvedTemplates } from "./template.ts";

/** The status and message of each error that API Gateway returns without calling a function. */
const builtIn = {
  MISSING_AUTHENTICATION_TOKEN: { status: 403, message: "Missing Authentication Token" },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, message: "Unsupported Media Type" },
  REQUEST_TOO_LARGE: { status: 413, message: "Request Too Long" },
  INTEGRATION_TIMEOUT: { status: 504, message: "Endpoint request timed out" },
  DEFAULT_5XX: { status: 502, message: "Internal server error" },
} as const;

/** An error that API Gateway returns without calling a function, by its response type. */
export type GatewayErrorType = keyof typeof builtIn;

interface GatewayError {
  readonly type: GatewayErrorType;
  readonly requestId: string;
}

/** Responds to a request with an error of API Gateway. */
export type AnswerError = (response: ServerResponse, error: GatewayError) => void;

const texts = v.optional(v.record(v.string(), v.string()), {});
const customisedResponse = v.object({
  ResponseType: v.string(),
  StatusCode: v.optional(v.string()),
  ResponseParameters: texts,
  ResponseTemplates: texts,
});
type Customised = v.InferOutput<typeof customisedResponse>;

/**
 * Creates a function that responds with an error of API Gateway. Status, headers and body are the
 * values of the templates' gateway responses, otherwise API Gateway's defaults.
 */
export function gatewayResponses(templates: ResolvedTemplates): AnswerError {
  const customised = templates
    .ofType("AWS::ApiGateway::GatewayResponse", customisedResponse)
    .map(({ properties }) => properties);
  const find = (type: string): Customised | undefined =>
    customised.find((candidate) => candidate.ResponseType === type);
  return (response, error) => {
    const own = builtIn[error.type];
    const custom = find(error.type) ?? find(own.status < 500 ? "DEFAULT_4XX" : "DEFAULT_5XX");
    const template = custom?.ResponseTemplates["application/json"];
    const body = (template ?? '{"message":$context.error.messageString}')
      .replaceAll("$context.error.messageString", JSON.stringify(own.message))
      .replaceAll("$context.error.message", own.message)
      .replaceAll("$context.error.responseType", error.type)
      .replaceAll("$context.requestId", error.requestId);
    response.writeHead(Number(custom?.StatusCode ?? own.status), {
      "content-type": "application/json",
      "x-amzn-requestid": error.requestId,
      ...headersOf(custom, error.requestId),
    });
    response.end(body);
  };
}

const headerParameter = "gatewayresponse.header.";

function headersOf(custom: Customised | undefined, requestId: string): Record<string, string> {
  return Object.fromEntries(
    Object.entries(custom?.ResponseParameters ?? {})
      .filter(([name]) => name.startsWith(headerParameter))
      .map(([name, value]) => [
        name.slice(headerParameter.length),
        value === "context.requestId" ? requestId : value.replace(/^'(.*)'$/, "$1"),
      ]),
  );
}
