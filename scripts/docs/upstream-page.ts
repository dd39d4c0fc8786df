import type { GenericSchema } from "valibot";
import { limits } from "../../shared/base/limits.ts";
import { stepScraperIds, type StepScraperId } from "../../shared/scrapers/catalog.ts";
import {
  upstreamCapabilities,
  upstreamReplies,
  upstreamRequests,
} from "../../shared/sources/upstream/contract.ts";
import { jsonSchema } from "../../tools/documents/json-schema.ts";
import { upstreamExample } from "./upstream-examples.ts";

/**
 * Returns the page `/docs/upstream` in Markdown: the contract of the adapter `upstream`, with its
 * schemas.
 */
export function upstreamPage(): string {
  return [
    "# Your own source",
    "This page is for engineers who connect a source of their own. The adapter `upstream` reads from a " +
      "server of yours: a scraper, a gateway or a bridge to a vendor. The server must keep the contract " +
      "on this page.",
    ...sections.map(
      ({ title, rules }) => `## ${title}\n\n${rules.map((rule) => `- ${rule}`).join("\n")}`,
    ),
    "## Schemas and examples",
    "JSON Schema, draft 2020-12. The service drops fields that are not listed here.",
    "### capabilities",
    block("Schema of the reply", schemaOf(upstreamCapabilities)),
    ...stepScraperIds.flatMap(scraperBlocks),
  ].join("\n\n");
}

interface Section {
  readonly title: string;
  readonly rules: readonly string[];
}

const sections: readonly Section[] = [
  {
    title: "What the service sends",
    rules: [
      "`POST {base URL}/read` with a JSON body: `scraper`, `marketplace`, `ids` and `deadline_ms`. " +
        "Calls for offers also have `condition`, which is `all`. Calls for offer checks have " +
        "`offers` instead of `ids`: pairs of `asin` and `offerListingId`.",
      "`Authorization: Bearer <secret>` if a secret is configured. Return 401 or 403 for a wrong one.",
      "`X-Request-Id`: the ID of the batch. Repeated calls of a batch have the same ID.",
      "`Accept-Encoding`: the reply may use gzip, deflate or br. Request bodies are not compressed " +
        "today; accept gzip as well.",
      "At most `batchIdsMax` IDs per call, and no more concurrent calls and no more calls per second than configured. " +
        "All scrapers that read from one host share these limits. Return 413 for a batch that is too " +
        "large: the service splits it in two.",
      "`deadline_ms` is the time that you have, from the moment at which the service sends the call. " +
        "The service waits a quarter of a second longer for the reply. A repeated call has its own " +
        "deadline. Return in time what you have: an item without a result is `unavailable` and " +
        "refunded, and the service can read it again later.",
      "A read must change nothing, because the service can repeat a call.",
    ],
  },
  {
    title: "What the server returns",
    rules: [
      "200 and `{results: [{id, status, fetchedAt, data}]}`, `application/json` in UTF-8, at most " +
        "5 MB, in any order. The `id` of an offer check is the `offerListingId`, and the result also " +
        "has the `asin`.",
      "The service ignores results for IDs that it did not send. Of two results for one ID it uses the " +
        "first. An ID without a result is `unavailable`.",
      "`ok`: the result has everything that the scraper promises. For products: a title, whether the " +
        "item is in stock, and a price unless it is out of stock. For `retailer_a.pulse`: `newCount` " +
        "and `newMinPrice`. An `ok` that lacks one of these values counts as `partial`.",
      "`partial`: the item exists, but a promised field is missing. It is refunded. Offers and offer " +
        "checks cannot be partial: return `ok` or `unavailable`.",
      "`not_found`: the shop reports that the item does not exist. It is charged, and watchlists stop " +
        "reading the item, so never return it for a block page, a redirect or a timeout. In an " +
        "offer check it means that the offer cannot be bought.",
      "Do not return an error next to `results`. If `error`, `errors`, `fault`, `message` or " +
        "`warnings` has a value, `not_found` counts as `unavailable`, and the service logs a warning. " +
        "Return `unavailable` for items that you could not read.",
      "`unavailable`: every other case.",
      "`fetchedAt`: when you read the item, in ISO 8601 with a zone. If it is absent or in the future, " +
        "the service uses the time of the reply. If it is more than a day old or malformed, the item " +
        "is `unavailable`.",
      "`data` has exactly the fields of a result of the API. Omit what the shop does not show. null " +
        "means that there is no value, such as `newMinPrice` without a new offer.",
      "Prices are numbers in the currency of the marketplace. A result with another currency is " +
        "`unavailable`, because it is from the shop of another country.",
      "The service drops a field of the wrong type. It accepts numbers and booleans as strings, rounds " +
        "numbers to two decimals, and cuts strings at 1,000 characters. In strings it replaces line breaks " +
        "and other control characters by a space, and drops characters that change the direction of " +
        "writing.",
      "An `offerListingId` identifies one offer of an item. Of two offers with one ID the service uses " +
        "the first. A `totalOffers` below the number of returned offers counts as that number. An " +
        `\`offerListingId\` has 1 to ${limits.offerListingIdLengthMax} characters and no control ` +
        "characters; a listing with any other is `unavailable`.",
      "Links are absolute `http(s)://` URLs. If one image URL is malformed, the service drops all images of the item.",
    ],
  },
  {
    title: "What happens when a call fails",
    rules: [
      "429 or 503: the service repeats the call up to twice, after the time in `Retry-After` (seconds " +
        "or an HTTP date), if the deadline allows. It also sends fewer calls for a while.",
      "Another 5xx, a closed connection, or no reply in time: the service repeats the call up to twice, " +
        "then splits the batch in two.",
      "413: the service splits the batch in two until the server accepts it. The process then sends no " +
        "larger batches, and logs a warning to set a lower `batchIdsMax`.",
      "400: the service splits the batch until it has isolated each refused ID. After ten isolated IDs " +
        "the service sends the rest of the batch once more. If the server refuses the rest too, all its items " +
        "are `unavailable`. Return `not_found` or `unavailable` for an ID that you do not accept, instead " +
        "of refusing the batch.",
      "Any other status, redirects included, or a malformed body: all items of the batch are " +
        "`unavailable`, and the service logs a warning.",
      "If a server refuses many calls in a row, the service sends it no calls for a while.",
    ],
  },
  {
    title: "Capabilities",
    rules: [
      "`GET {base URL}/capabilities` can list the scrapers that the server supports, the maximum " +
        "number of IDs per call and the marketplaces. Only the check below reads it; the service uses " +
        "its configuration.",
    ],
  },
  {
    title: "Check a server",
    rules: [
      "`npm run check:upstream -- <base URL> --scraper retailer_d.standard --ids 1234567,2345678` " +
        "sends your server each kind of call and prints one line per rule, with the expected and the " +
        "actual result. Use items that exist: it must find at least one. For offer checks, the IDs are " +
        "`<asin>:<offerListingId>`, and at least one offer must be buyable.",
      "It parses your reply as the service does, and warns of every field that the service drops or " +
        "changes. It exits with 0 if every required rule holds, with 1 if one fails, and with 2 if " +
        "the command line is wrong.",
      "`--unknown-id <id>` is an item that does not exist. `--secret-env NAME` is the environment " +
        "variable with the secret. `--marketplace uk` checks another country.",
      "`node scripts/upstream-server.ts --port 9900` starts a reference server that returns the data " +
        "of the sandbox. With `--misbehave <how>` it shows what the check detects.",
    ],
  },
];

function scraperBlocks(scraper: StepScraperId): string[] {
  const { request, reply } = upstreamExample(scraper);
  return [
    `### ${scraper}`,
    block("Request", request),
    block("Reply", reply),
    block("Schema of the request", schemaOf(upstreamRequests.get(scraper))),
    block("Schema of the reply", schemaOf(upstreamReplies.get(scraper))),
  ];
}

const schemaOf = (schema: GenericSchema | undefined): object =>
  schema === undefined ? {} : jsonSchema(schema, { direction: "input", named: {} });

const block = (title: string, value: object): string =>
  `**${title}:**\n\n\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\``;
