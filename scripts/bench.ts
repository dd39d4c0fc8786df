/**
 * Measures what the service costs, as ratios taken in one run: `npm run bench -- api`.
 * Prints tables, then one line of JSON with the same figures.
 */
import { benchAccount, printAccount } from "./bench/account.ts";
import { benchApi, printApi } from "./bench/api.ts";
import { benchDelivery } from "./bench/delivery.ts";
import { printDelivery } from "./bench/delivery-figures.ts";
import { benchInFlight, printInFlight } from "./bench/in-flight.ts";
import { benchKey, printKey } from "./bench/key.ts";
import { benchRuns, printRuns } from "./bench/runs.ts";
import { benchWatchlists, printWatchlists } from "./bench/watchlists.ts";
import { benchWeb, printWeb } from "./bench/web.ts";

const benches: Record<
  string,
  {
    run: () => Promise<Record<string, unknown>>;
    print: (figures: Record<string, unknown>) => void;
    /** False of a bench without tables; the others compare theirs at the end. */
    keepsRows?: false;
  }
> = {
  account: { run: benchAccount, print: printAccount },
  api: { run: benchApi, print: printApi },
  delivery: { run: benchDelivery, print: printDelivery },
  "in-flight": { run: benchInFlight, print: printInFlight },
  key: { run: benchKey, print: printKey, keepsRows: false },
  runs: { run: benchRuns, print: printRuns },
  watchlists: { run: benchWatchlists, print: printWatchlists },
  web: { run: benchWeb, print: printWeb, keepsRows: false },
};

const name = process.argv[2] ?? "";
const bench = benches[name];
if (bench === undefined) {
  process.stderr.write(`Benches: ${Object.keys(benches).join(", ")}\n`);
  process.exit(1);
}
const figures = await bench.run();
if (bench.keepsRows === false) process.stdout.write("\nreconcile: this bench keeps no rows\n");
bench.print(figures);
process.stdout.write(`\n${JSON.stringify(figures)}\n`);
process.exit(0);
