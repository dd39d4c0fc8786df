/** All limits of the service (specification, section "Limits"; design page for the rest). */
export const limits = {
  requestsPerSecond: 50,
  bodyBytesMax: 2 * 1024 * 1024,
  productIdsMax: {
    retailer_a: { pulse: 10_000, lite: 2_000, full: 2_000 },
    retailer_b: 100,
    retailer_c: 1_000,
    retailer_d: 1_000,
  },
  offersIdsMax: 100,
  offersPerListingMax: 31,
  offerChecksMax: 2_000,
  /** Characters of an offer's ID. IDs of the retailer have some 200, those that sources make 300. */
  offerListingIdLengthMax: 1_000,
  watchlistItemsMax: 50_000,
  watchlistsMax: 100,
  watchlistNameLengthMax: 100,
  watchlistEverySecondsMin: 5 * 60,
  watchlistEverySecondsMax: 7 * 24 * 60 * 60,
  refreshEveryRunsMax: 1_000,
  pipeline: {
    stepsMax: 10,
    routesMax: 8,
    stepIdLengthMax: 64,
    valueLengthMax: 200,
    /** Of a number that a rule compares with, either side of 0. */
    valueMax: 1e12,
    /** And from 0, unless it is 0. */
    valueMin: 1e-9,
    refreshEveryRunsMin: 1,
    refreshEveryRunsMax: 1_000,
  },
  itemEventsMax: 500,
  consecutiveSkipsMax: 3,
  webhookEndpointsMax: 10,
  webhookDescriptionLengthMax: 120,
  /**
   * How long the last URL of a deleted endpoint is kept for the watchlists that name it. Each run
   * stores the URL with its watchlist, and a cron may run once a year.
   */
  deletedEndpointDays: 400,
  /** Test deliveries to one endpoint within a minute. */
  webhookTestsPerMinute: 10,
  /** Days without a success after which a delivery that fails for good disables its endpoint. */
  webhookFailingDaysMax: 5,
  /** Failed attempts in a row from which an endpoint or an S3 destination is shown as failing. */
  failuresUntilFailing: 3,
  secretOverlapSeconds: 24 * 60 * 60,
  eventRetentionDays: 30,
  /** Days that event bodies are stored: longer than `eventRetentionDays`, so that every listed event has its body. */
  eventBodyDays: 35,
  /** Items in one stored page; a page that outgrows it is split. */
  pageItemsMax: 1_000,
  /** Bytes of a stored page's items: a row of DynamoDB takes 400 KB. */
  pageBytesMax: 256 * 1024,
  /** Items that two neighbouring pages have between them when they are merged. */
  pageMergeItemsMax: 500,
  /** IDs in one batch of a step, and so in one step message. */
  batchIdsMax: 1_000,
  /** Client timeouts in seconds that the documentation asks for (specification, section "Limits"). */
  clientSeconds: { products: 300, offers: 180, offerCheck: 120 },
  /** The longest that a call may read its source before it answers with the items read so far. */
  callDeadlineSeconds: 280,
  /** The same for offers and offer checks, within their `clientSeconds`. */
  offersDeadlineSeconds: 170,
  offerCheckDeadlineSeconds: 110,
  /** How long a step batch may read before unanswered IDs are `unavailable`. */
  stepDeadlineSeconds: 120,
  /**
   * Seconds after which the gateway stops waiting for an answer, by response mode. A Regional endpoint
   * ends a stream after 300 seconds without a byte. A function sends its first byte with the answer.
   */
  gatewaySeconds: { buffered: 29, streamed: 300 },
  /**
   * What a call or a message waits for the service's own dependencies: DynamoDB, SQS, Scheduler, KMS,
   * S3, STS, SSM and Secrets Manager. A client must receive a response within 10 seconds if a
   * dependency does not answer. The longest such call loses `callLossMs`, then `cancelMs` or `wakeUpMs`.
   */
  dependencies: {
    /** Connections are made within a region: they take milliseconds, or a lost packet a second. */
    connectMs: 1_000,
    /** STS is called in the region of the customer's bucket, which may be on another continent. */
    farConnectMs: 2_000,
    /**
     * One attempt. DynamoDB and SQS answer within 0.1 seconds nearly always. A limit close to that
     * would repeat writes that take effect late, and fail every call while a store is slow; this one
     * leaves time for a second attempt at another host.
     */
    attemptMs: 4_000,
    /** An attempt that carries the body of an event, of some megabytes. */
    bodyAttemptMs: 10_000,
    /** Attempts of the SDK at one request, the first included. */
    attemptsMax: 3,
    /** Lost by a call of the API before it is answered 503. */
    callLossMs: 7_000,
    /** Lost by settling a call's credits, or releasing them, after its sources were read. */
    settleLossMs: 5_000,
    /** The 99th percentile of one request to the ledger while an account has many calls at once. */
    ledgerRequestMs: 600,
    /** The most requests to the ledger that settling a call needs after the last lost request. */
    settleRequestsMax: 5,
    /** Reserved between reading and answering a call, for `settleLossMs` and `settleRequestsMax` requests. */
    settleMs: 7_500,
    /** Reserved for giving credits back, in the ledger or through the queue, after settling timed out. */
    cancelMs: 1_500,
    /** Lost by a wake-up message, or by cleaning up, that the sweeper makes unnecessary. */
    wakeUpMs: 1_500,
    /** Lost by a message, or a part of a sweep, before it is left to its next delivery. */
    workerLossMs: 20_000,
    /** Kept free at the end of a worker's invocation, for what takes no request. */
    workerSpareMs: 5_000,
    /** Serializing, compressing and sending the largest answer. */
    sendMs: 500,
    /** Reserved before a call must be answered, for `cancelMs` and `sendMs`. */
    answerSpareMs: 2_000,
  },
  /** Maximum number of runs in the history of a watchlist. */
  runHistoryMax: 500,
  /** Maximum run number: more than the runs of 9,000 years at one run every five minutes. */
  runNumberMax: 999_999_999,
  /** Maximum length of a chain of messages in which each one causes the next. */
  messageHopsMax: 24,
  schedulePreview: { default: 5, max: 100 },
  pagination: {
    watchlists: { default: 100, max: 100 },
    items: { default: 100, max: 1_000 },
    runs: { default: 20, max: 100 },
    creditTransactions: { default: 100, max: 100 },
    deliveries: { default: 50, max: 100 },
    exports: { default: 50, max: 100 },
    events: { default: 100, max: 100 },
  },
  signupCredits: 5_000,
  apiKeysMax: 20,
  apiKeyNameLengthMax: 100,
  usageDays: { default: 30, max: 90 },
} as const;

/** Concurrency tiers by increasing lifetime credits. */
export const concurrencyTiers = [
  { atLifetimeCredits: 0, concurrency: 5 },
  { atLifetimeCredits: 25_000, concurrency: 20 },
  { atLifetimeCredits: 500_000, concurrency: 50 },
  { atLifetimeCredits: 2_000_000, concurrency: 100 },
  { atLifetimeCredits: 10_000_000, concurrency: 250 },
] as const;
