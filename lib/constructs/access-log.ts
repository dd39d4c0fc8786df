import { AccessLogField, AccessLogFormat } from "aws-cdk-lib/aws-apigateway";

/**
 * One line of JSON for each request, those included that reach no function. The resource stands for
 * the path, because ids and the query, where an API key may be, are nobody's business; there is
 * neither address nor agent of the caller, so that the log holds nothing about a person.
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

/** Every value is a text: what does not apply to a request is `-`, which JSON has no number for. */
export const accessLogFormat = AccessLogFormat.custom(JSON.stringify(fields));
