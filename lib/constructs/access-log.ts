import { AccessLogField, AccessLogFormat } from "aws-cdk-lib/aws-apigateway";

/**
 * The fields of the access log: one line of JSON for each request, also for requests that reach no function.
 * The log has the resource instead of the path and the query, which may contain IDs and an API key. It has
 * neither the address nor the agent of the caller, so that it contains no personal data.
 */
const fields: Readonly<Record<string, string>> = {
  request_id: AccessLogField.contextRequestId(),
  time: AccessLogField.contextRequestTime(),
  method: AccessLogField.contextHttpMethod(),
  resource: AccessLogField.contextResourcePath(),
  status: AccessLogField.contextStatus(),
  latency_ms: AccessLogField.contextResponseLatency(),
  function_latency_ms: AccessLogField.contextIntegrationLatency(),
  function_status: AccessLogField.contextIntegrationStatus(),
  function_error: AccessLogField.contextIntegrationErrorMessage(),
  gateway_error: AccessLogField.contextErrorResponseType(),
  firewall_status: AccessLogField.contextWafResponseCode(),
  bytes: AccessLogField.contextResponseLength(),
};

/** All values are strings: the gateway writes `-` for an absent value, which is no JSON number. */
export const accessLogFormat = AccessLogFormat.custom(JSON.stringify(fields));
