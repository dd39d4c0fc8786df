/**
 * Runs as a separate process. Reads from a failing source in the way a Lambda function does, and
 * prints the answers as JSON.
 */
import { sources } from "../../functions/composition/sources.ts";
import { stepScraperIds } from "../../shared/scrapers/catalog.ts";

const { BASE_URL: baseUrl, ...variables } = process.env;
const sandboxes = Object.fromEntries(stepScraperIds.map((id) => [id, { adapter: "sandbox" }]));
const environment = {
  STAGE: "test",
  ACCOUNTS_TABLE: "none",
  API_URL: "https://service.example/",
  SOURCES: JSON.stringify({
    ...sandboxes,
    "retailer_d.standard": { adapter: "d_catalog", baseUrl, secret: "env:SOURCE_KEY" },
  }),
};
const { scraperFor } = sources(environment, "products", { secretVariables: variables });
const answers = await scraperFor("retailer_d.standard").read({
  scraper: "retailer_d.standard",
  marketplace: "us",
  ids: ["10001", "10002"],
  deadline: new Date(Date.now() + 4_000),
});
process.stdout.write(JSON.stringify(answers));
process.exit();
