import { limits } from "../../shared/base/limits.ts";
import { refusalTable } from "../../tools/documents/refusal-order.ts";

/** The document's introduction, in Markdown paragraphs. */
export const overview = [
  "Send item IDs of a retailer and get product, price, stock and offer data in one format. Or create " +
    "a watchlist: the service reads its items on a schedule and sends signed webhooks for changes.",
  "**Keys.** Every call needs an API key, except calls that are marked as public. Send the key as " +
    "`Authorization: Bearer <API_KEY>` or in the header `X-API-Key`. Clients that cannot set headers can " +
    "use the query parameter `api_key`. Two different keys in one call are refused.",
  "**Scopes.** A key has one or more of the scopes `read`, `spend` and `write`. Each operation lists " +
    "those that it needs. Without them, the call gets 403 `UNAUTHORIZED`.",
  "**Agents.** `POST /mcp` is a server of the Model Context Protocol, with the same keys, scopes, limits " +
    "and charges. Its tools call operations of this document.",
  "**Methods.** Every path with `GET` also supports `HEAD`, which returns the same status and headers " +
    "without a body. HEAD of /v1/products/{id}/offers reads nothing and costs nothing. A method that " +
    "a path does not support returns 404 `NOT_FOUND` with the `Allow` header.",
  "**Bodies.** Send JSON in UTF-8 with `Content-Type: application/json`, uncompressed or with " +
    `\`Content-Encoding: gzip\`. A body has at most ${limits.bodyBytesMax} bytes after decompression. ` +
    "A byte order mark is ignored. Other charsets and encodings are refused with 400.",
  "**Compression and caching.** JSON responses over 1 KB are compressed with gzip for clients that " +
    "send `Accept-Encoding: gzip`. Public documents have the headers `ETag` and " +
    "`Cache-Control: public`, and return 304 for a matching `If-None-Match`. Pages of any origin can " +
    "read them (CORS `*`).",
  "**Query parameters.** Every operation below `/v1` refuses a query parameter that it does not " +
    "support, and one that is sent twice, with 400 `INVALID_PARAM`. `api_key` is accepted everywhere.",
  "**Credits.** A call that reads items first reserves credits for all of them, and refunds those that " +
    "it does not charge. `credits` and `X-Service-Credits` of the response contain the credits charged. " +
    "A refused call costs nothing.",
  `**Rate.** A key can make ${limits.requestsPerSecond} calls per second. Calls of public or unknown ` +
    "paths count towards this limit if they contain the key; files of the dashboard do not. An account has at most " +
    `${limits.apiKeysMax} keys, and so at most ${limits.apiKeysMax * limits.requestsPerSecond} calls per ` +
    "second. Each call that reads items also uses one of the account's concurrency slots until it " +
    "ends. Probes are calls that connect to a webhook receiver or an S3 store, or resolve its name, " +
    `before they return. An account can make ${limits.probes.max} probes in ${limits.probes.seconds} seconds. ` +
    "`Retry-After` of a 429 is the number of seconds to wait.",
  "**Errors.** All errors have one format. Programs should test `error.code`; /docs/errors explains " +
    "every code. A call with several errors returns the first one in this table:",
  refusalTable,
  "**Sandbox.** /docs/sandbox lists item IDs with scripted results, for your tests.",
  "**Changes.** Fields, endpoints and values of a field can be added without notice: ignore those " +
    "that you do not know. Breaking changes get a new version in the path. `/v1/scrape`, `/v1/jobs` " +
    "and `/v1/batches` are removed and return 410.",
].join("\n\n");
