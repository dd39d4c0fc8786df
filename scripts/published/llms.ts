import { pageTitles } from "../docs/pages.ts";

/**
 * Returns the content of `/llms.txt`, for programs that read text: what the service is, and where
 * its documents are.
 */
export const llmsText = (): string =>
  [
    "# Retail product data API",
    "",
    "> A metered HTTP+JSON API that returns product, price, stock and offer data for item IDs of",
    "> several retailers in one format. Watchlists read items on a schedule and send changes as signed",
    "> webhooks and as files to S3.",
    "",
    "Calls below `/v1` need an API key in `Authorization: Bearer <key>`. Each item that a call reads costs",
    "credits; items without an answer are refunded. Set `max_credits` to limit what a call may cost.",
    "",
    "## API",
    "",
    "- [OpenAPI document](/v1/openapi.json): every call, field and error, with examples",
    "- [Postman collection](/v1/postman.json): the same calls",
    "- [API reference](/docs/reference): the document as a page",
    "- [Tools for agents](/docs/agents): `POST /mcp` is a server of the Model Context Protocol",
    "- [Changelog](/v1/changelog): what changed, by release",
    "- [JSON Schema of events](/v1/schemas/watchlist.product.changed): one address for each event type",
    "",
    "## Guides",
    "",
    ...pageTitles().map(({ name, title }) => `- [${title}](/docs/${name})`),
    "",
  ].join("\n");
