/** Searches stores of the catalog protocol, and runs a reference store. */
import { runCommandGroup } from "../tools/command-line/command-group.ts";
import { searchCommand } from "./storefront/search.ts";
import { serveCommand } from "./storefront/serve.ts";

await runCommandGroup({
  name: "npm run storefront",
  about: "Finds items in stores of the Universal Commerce Protocol, which need no key.",
  noun: "command",
  commands: { search: searchCommand, serve: serveCommand },
  options: {},
  examples: ['search https://store.example "espresso machine"', "serve --port 9910"],
});
