import type { GenericSchema } from "valibot";
import { limits } from "../../shared/base/limits.ts";
import { stepScraperIds, type StepScraperId } from "../../shared/scrapers/catalogue.ts";
import {
  upstreamCapabilities,
  upstreamReplies,
  upstreamRequests,
} from "../../shared/sources/upstream/contract.ts";
import { jsonSchema } from "../../tools/documents/json-schema.ts";
import { escape, prose } from "./html.ts";
import { upstreamExample } from "./upstream-examples.ts";

/** The contract of the adapter `upstream`: in words, and as schemas with an example each. */
export function upstreamMain(backLink: string): string {
  return [
    "<main>",
    "<h1>Your own source</h1>",
    backLink,
    `<p>${prose(
      "The adapter `upstream` reads from a server of yours: a scraper, a gateway, a bridge to a " +
        "vendor. The server speaks the contract on this page; what the shops say, and how you get " +
        "it, is your part.",
    )}</p>`,
    ...sections.map(
      ({ id, title, rules }) =>
        `<section id="${id}">\n<h2>${escape(title)}</h2>\n<ul>\n` +
        `${rules.map((rule) => `<li>${prose(rule)}</li>`).join("\n")}\n</ul>\n</section>`,
    ),
    '<section id="schemas">',
    "<h2>Schemas and examples</h2>",
    `<p>${prose("JSON Schema, draft 2020-12. Fields that are not named here are dropped.")}</p>`,
    "<h3>capabilities</h3>",
    block("reply-schema", schemaOf(upstreamCapabilities)),
    ...stepScraperIds.flatMap(scraperBlocks),
    "</section>",
    "</main>",
  ].join("\n");
}

interface Section {
  readonly id: string;
  readonly title: string;
  readonly rules: readonly string[];
}

const sections: readonly Section[] = [
  {
    id: "request",
    title: "What the service sends",
    rules: [
      "`POST {base URL}/read` with a JSON body: `scraper`, `marketplace`, `ids`, `deadline_ms`. " +
        "Offers are asked for with a `condition`, which is `all`; offer checks with `offers`, " +
        "pairs of `asin` and `offerListingId`, in place of `ids`.",
      "`Authorization: Bearer <secret>` if a secret is configured. Answer 401 or 403 without the " +
        "right one.",
      "`X-Request-Id`: one for each batch. When a batch is tried again it comes under the same name.",
      "`Accept-Encoding`: the reply may be gzip, deflate or br. Bodies of requests are plain today; " +
        "a server should take gzip too.",
      "No more ids in a call than the configured `batchIdsMax`, no more calls at once and in a " +
        "second than configured. All scrapers that read from one host share these. Refuse a " +
        "batch that is too large with 413: it is cut in two.",
      "`deadline_ms` is how long you have, from the moment the call is sent; the service waits a " +
        "quarter of a second longer for the reply to arrive, and no more. A call that is tried again " +
        "has its own. Answer in time with what you have; what you do not answer is `unavailable`, " +
        "is refunded, and may be asked for again.",
      "Reading must change nothing: a call may be repeated.",
    ],
  },
  {
    id: "reply",
    title: "What the server answers",
    rules: [
      "200 and `{results: [{id, status, fetchedAt, data}]}`, `application/json` in UTF-8, at most " +
        "5 MB. The order does not matter. An offer check's `id` is the `offerListingId`, with the " +
        "`asin` beside it.",
      "Ids that were not asked for are not heard. Of two results for one id the first counts. An id " +
        "without a result is `unavailable`.",
      "`ok`: everything was read that the scraper promises. Products: a title, whether it is in " +
        "stock, and a price unless it is out of stock; `retailer_a.pulse`: `newCount` and " +
        "`newMinPrice`. What says `ok` and lacks any of these counts as `partial`.",
      "`partial`: the item exists, but something promised is missing; refunded. Offers and offer " +
        "checks cannot be partial: they are `ok` as a whole or `unavailable`.",
      "`not_found`: the shop itself says that there is no such item. It is charged and takes the " +
        "item off watchlists, so never guess it from a block page, a redirect or a timeout. In an " +
        "offer check it means that the offer cannot be bought.",
      "Nothing that tells of trouble may stand beside `results`: where `error`, `errors`, `fault`, " +
        "`message` or `warnings` says anything, `not_found` counts as `unavailable`, and the operator " +
        "is told. Say `unavailable` for what you could not look for.",
      "`unavailable`: everything else.",
      "`fetchedAt`: when you read the item, ISO 8601 with a zone. Left out: when the reply came. In " +
        "the future: the same. More than a day ago, or not to be read as a time: the item is " +
        "`unavailable`.",
      "`data` has exactly the fields of a result of the API. Leave out what the shop does not show; " +
        "null means that it is known to be nothing, as `newMinPrice` without a new offer.",
      "Money is a number in the marketplace's currency. A result that names another currency is " +
        "`unavailable`: it is another country's shop.",
      "A field of the wrong kind counts as not shown. Numbers and booleans are understood as texts " +
        "too, numbers are rounded to two decimals, texts are cut at 1,000 characters. Line breaks " +
        "and other control characters in texts become a space; marks that turn the direction " +
        "of writing are dropped.",
      "An `offerListingId` stands for one offer of an item: of two offers with one id the first " +
        "counts. `totalOffers` below the number of offers shown counts as that number. An " +
        `\`offerListingId\` has 1 to ${limits.offerListingIdLengthMax} characters and no control ` +
        "characters; a listing with another one is `unavailable`.",
      "Links are whole `http(s)://` addresses; one image that is none drops the list of images.",
    ],
  },
  {
    id: "trouble",
    title: "What happens when something fails",
    rules: [
      "429 or 503: the call is tried again, up to twice, after as long as `Retry-After` says (seconds " +
        "or an HTTP date), as far as the deadline allows. The pace is lowered for a while.",
      "Another 5xx, a cut connection, no answer in time: tried again up to twice, then in halves.",
      "413: the batch is cut in two until it is taken. The service remembers the size that you take " +
        "and sends no larger batches for as long as its process runs; the operator is told to set " +
        "`batchIdsMax` lower.",
      "400: the batch is cut in two until what it is refused for stands alone. After ten ids of one " +
        "batch were refused alone, the parts that are left are asked once more as they are, and what " +
        "is refused again is `unavailable`, good ids included: answer `not_found` or `unavailable` " +
        "for an id that you do not accept rather than refuse the batch.",
      "Any other status, redirects included, or a body that is no such reply: all ids of the batch " +
        "are `unavailable`, and the operator is told.",
      "A server that keeps turning calls away is left alone for a while.",
    ],
  },
  {
    id: "capabilities",
    title: "Capabilities",
    rules: [
      "`GET {base URL}/capabilities` may answer which scrapers the server reads for, how many ids it " +
        "takes in a call and which marketplaces it knows. The check reads it; the service goes by " +
        "its configuration.",
    ],
  },
  {
    id: "check",
    title: "Checking a server",
    rules: [
      "`npm run check:upstream -- <base URL> --scraper retailer_d.standard --ids 1234567,2345678` " +
        "calls your server in every way that matters and prints one line for each rule, with what " +
        "was expected and what was seen. Name items that exist: at least one must be found, and for " +
        "offer checks, whose ids are `<asin>:<offerListingId>`, at least one must be buyable.",
      "It reads your reply as the service does and warns of every field that is dropped or changed. " +
        "It exits with 0 if every rule holds that must, with 1 if one fails, with 2 if the command " +
        "line is wrong.",
      "`--unknown-id <id>` names an item that does not exist. `--secret-env NAME` names the " +
        "environment variable that holds the secret. `--marketplace uk` checks another country.",
      "`node scripts/upstream-server.ts --port 9900` starts a reference server that answers with the " +
        "sandbox's data; with `--misbehave <how>` it shows what the check finds.",
    ],
  },
];

function scraperBlocks(scraper: StepScraperId): string[] {
  const { request, reply } = upstreamExample(scraper);
  return [
    `<h3 id="${escape(scraper)}">${escape(scraper)}</h3>`,
    block("request-example", request),
    block("reply-example", reply),
    block("request-schema", schemaOf(upstreamRequests.get(scraper))),
    block("reply-schema", schemaOf(upstreamReplies.get(scraper))),
  ];
}

const schemaOf = (schema: GenericSchema | undefined): object =>
  schema === undefined ? {} : jsonSchema(schema, { direction: "input", named: {} });

const titles = {
  "request-example": "Request",
  "reply-example": "Reply",
  "request-schema": "Schema of the request",
  "reply-schema": "Schema of the reply",
} as const;

const block = (kind: keyof typeof titles, value: object): string =>
  `<details class="${kind}"><summary>${titles[kind]}</summary>` +
  // Quotes are harmless outside of tags, and there are many of them.
  `<pre>${escape(JSON.stringify(value, null, 2)).replaceAll("&quot;", '"')}</pre></details>`;
