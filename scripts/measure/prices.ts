/** The date on which the prices were read from the public price lists. */
export const pricesReadOn = "2026-11-20";

/** List prices in US dollars, in us-east-1, on demand, and without a free tier. */
export const prices = {
  /** DynamoDB, on-demand: read request unit, 4 KB strongly consistent. */
  dynamoReadUnit: 0.125e-6,
  /** DynamoDB, on-demand: write request unit, 1 KB. */
  dynamoWriteUnit: 0.625e-6,
  /** DynamoDB, standard table class: GB-month of data. */
  dynamoGigabyteMonth: 0.25,
  /** DynamoDB, point-in-time recovery: GB-month of data. */
  dynamoRecoveryGigabyteMonth: 0.2,
  /** Lambda: request. */
  lambdaRequest: 0.2e-6,
  /** Lambda on arm64: GB-second. */
  lambdaGigabyteSecond: 0.000_013_333_4,
  /** Lambda, response streaming: GB beyond the first 6 MB of a response. */
  lambdaStreamedGigabyte: 0.008,
  /**
   * API Gateway, REST API: request; for a streamed response, each started 10 MB count as a request.
   */
  gatewayRequest: 3.5e-6,
  /** WAF: request. */
  firewallRequest: 0.6e-6,
  /** WAF: web ACL, a month. */
  firewallMonth: 5,
  /** WAF: rule or managed rule group of a web ACL, a month. */
  firewallRuleMonth: 1,
  /** SQS, standard queue: request. */
  sqsRequest: 0.4e-6,
  /** EventBridge Scheduler: invocation. */
  schedulerInvocation: 1e-6,
  /** EventBridge: custom event; each started 64 KB count as an event. */
  busEvent: 1e-6,
  /** EventBridge: call of an API destination. */
  busApiCall: 0.2e-6,
  /** EventBridge: GB that an archive receives. */
  busArchiveGigabyte: 0.1,
  /** EventBridge: GB-month of an archive. */
  busArchiveGigabyteMonth: 0.023,
  /** EventBridge: event that schema discovery reads. */
  busSchemaEvent: 0.1e-6,
  /** S3 Standard: PUT, COPY, POST or LIST request. */
  s3Put: 5e-6,
  /** S3 Standard: GET or any other request. */
  s3Get: 0.4e-6,
  /** S3 Standard: GB-month. */
  s3GigabyteMonth: 0.023,
  /** KMS: request. */
  kmsRequest: 3e-6,
  /** KMS: customer managed key, a month. */
  kmsKeyMonth: 1,
  /** CloudWatch Logs, standard class: GB ingested. */
  logGigabyte: 0.5,
  /** CloudWatch: custom metric, a month. */
  metricMonth: 0.3,
  /** CloudWatch: alarm on one metric, a month. */
  alarmMonth: 0.1,
  /** CloudWatch: dashboard, a month. */
  dashboardMonth: 3,
  /** Data transfer out to the internet: GB. The price of the first 10 TB a month. */
  transferGigabyte: 0.09,
} as const;

export type Unit = keyof typeof prices;
