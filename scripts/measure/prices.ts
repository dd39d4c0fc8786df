/** The date on which the prices were read from the public price lists. */
export const pricesReadOn = "2026-11-20";

/** List prices in US dollars, in us-east-1, on demand, and without a free tier. */
export const prices = {
  /** The price of a DynamoDB read request unit on demand (4 KB, strongly consistent). */
  dynamoReadUnit: 0.125e-6,
  /** The price of a DynamoDB write request unit on demand (1 KB). */
  dynamoWriteUnit: 0.625e-6,
  /** The price of a GB-month of data in DynamoDB (standard table class). */
  dynamoGigabyteMonth: 0.25,
  /** The price of a GB-month of data with point-in-time recovery of DynamoDB. */
  dynamoRecoveryGigabyteMonth: 0.2,
  /** The price of a request to Lambda. */
  lambdaRequest: 0.2e-6,
  /** The price of a GB-second of Lambda on arm64. */
  lambdaGigabyteSecond: 0.000_013_333_4,
  /** The price of a GB that Lambda streams beyond the first 6 MB of a response. */
  lambdaStreamedGigabyte: 0.008,
  /**
   * The price of a request to an API Gateway REST API. Of a streamed response, each started 10 MB
   * count as a request.
   */
  gatewayRequest: 3.5e-6,
  /** The price of a request that WAF inspects. */
  firewallRequest: 0.6e-6,
  /** The price of a WAF web ACL for a month. */
  firewallMonth: 5,
  /** The price of a rule or managed rule group of a WAF web ACL for a month. */
  firewallRuleMonth: 1,
  /** The price of a request to an SQS standard queue. */
  sqsRequest: 0.4e-6,
  /** The price of an invocation by EventBridge Scheduler. */
  schedulerInvocation: 1e-6,
  /** The price of a custom event on EventBridge. Each started 64 KB count as an event. */
  busEvent: 1e-6,
  /** The price of a call of an EventBridge API destination. */
  busApiCall: 0.2e-6,
  /** The price of a GB that an EventBridge archive receives. */
  busArchiveGigabyte: 0.1,
  /** The price of a GB-month of an EventBridge archive. */
  busArchiveGigabyteMonth: 0.023,
  /** The price of an event that the schema discovery of EventBridge reads. */
  busSchemaEvent: 0.1e-6,
  /** The price of a PUT, COPY, POST or LIST request to S3 Standard. */
  s3Put: 5e-6,
  /** The price of a GET request, or of any other request, to S3 Standard. */
  s3Get: 0.4e-6,
  /** The price of a GB-month of S3 Standard. */
  s3GigabyteMonth: 0.023,
  /** The price of a request to KMS. */
  kmsRequest: 3e-6,
  /** The price of a customer managed KMS key for a month. */
  kmsKeyMonth: 1,
  /** The price of a GB that CloudWatch Logs ingests (standard class). */
  logGigabyte: 0.5,
  /** The price of a CloudWatch custom metric for a month. */
  metricMonth: 0.3,
  /** The price of a CloudWatch alarm on one metric for a month. */
  alarmMonth: 0.1,
  /** The price of a CloudWatch dashboard for a month. */
  dashboardMonth: 3,
  /** The price of a GB of data transfer out to the internet, within the first 10 TB of a month. */
  transferGigabyte: 0.09,
} as const;

/** The name of a priced resource, such as `dynamoReadUnit`. */
export type Unit = keyof typeof prices;
