import { limits } from "../../shared/base/limits.ts";
import { refusalTable } from "../../tools/documents/refusal-order.ts";

/** The document's introduction, in Markdown paragraphs. */
export const overview = [
  "Send item IDs of a retailer and get product, price, stock and offer data in one shape. Or create a " +
    "watchlist: the service reads its items on a schedule and sends signed webhooks for what changed.",
  "**Keys.** Every call needs an API key except those marked as public: `Authorization: Bearer " +
    "<API_KEY>`, or the header `X-API-Key`, or, for clients that cannot set headers, the query " +
    "parameter `api_key`. Two different keys in one call are refused.",
  "**Methods.** `HEAD` works wherever `GET` does: the same status and headers, no body. HEAD of " +
    "GET /v1/products/{id}/offers reads nothing and costs nothing. A method that a path does not " +
    "support returns 404 `NOT_FOUND` with the `Allow` header.",
  "**Bodies.** JSON in UTF-8 with `Content-Type: application/json`, up to " +
    `${limits.bodyBytesMax} bytes, plain or with \`Content-Encoding: gzip\` (the limit holds for ` +
    "the decompressed body). A byte order mark is ignored. Other charsets and encodings are " +
    "refused with 400.",
  "**Compression and caching.** JSON answers over 1 KB are compressed with gzip for clients that " +
    "send `Accept-Encoding: gzip`. Public documents carry `ETag` and `Cache-Control: public`, " +
    "answer 304 to `If-None-Match`, and may be read by pages of any origin (CORS `*`).",
  "**Query parameters.** Every operation below `/v1` refuses a query parameter that it does not " +
    "take, and one that is sent twice: 400 `INVALID_PARAM`. `api_key` is accepted everywhere.",
  "**Credits.** Item calls reserve their price up front and give back what was not answered; what a " +
    "call cost is in `credits` and in `X-Service-Credits`. A refused call costs nothing.",
  `**Rate.** ${limits.requestsPerSecond} calls per second per key, calls of public and unknown ` +
    "paths that carry the key included; the dashboard's files are not counted. An account has at " +
    `most ${limits.apiKeysMax} keys, and so at most ${limits.apiKeysMax * limits.requestsPerSecond} calls ` +
    "per second. Item calls also take " +
    "one of the account's concurrency slots each. An account may make at most " +
    `${limits.probesPerMinute} probes per minute: calls that connect to a webhook receiver or an S3 ` +
    "store, or resolve its name, while you wait. `Retry-After` of a 429 has the seconds to wait.",
  "**Errors.** One shape; branch on `error.code`. Every code is explained under /docs/errors. " +
    "A call with several errors returns the first one in this table:",
  refusalTable,
  "**Sandbox.** /docs/sandbox lists item IDs with scripted results, for your tests.",
  "**Changes.** Fields and endpoints are added without notice, and sets of values may grow: ignore " +
    "what you do not know. Breaking changes come as a new version in the path. `/v1/scrape`, " +
    "`/v1/jobs` and `/v1/batches` were retired: they answer 410 for good.",
].join("\n\n");
