import { checkSource, type SourceChoice } from "../../local/sources.ts";
import { idTemplateOf, itemsOf } from "./found-items.ts";
import { isLoopback, parseStore, searchStore, trialProfileUrl } from "./store-client.ts";

/** The number of products that a search requests to find the form of a store's IDs. */
const sampleSize = 5;
/** The protocol requires a query. Most catalogs have a product with this letter. */
const sampleQuery = "a";

/**
 * Completes the choices of stores that respond. Removes the choices of stores that do not respond,
 * so that their platforms keep the sandbox. Does not change choices of other adapters. Only a store
 * knows the form of its IDs, so the function reads some products and derives `idTemplate`. A public
 * store cannot read the agent profile of this machine, so it gets the profile for trials.
 * @param log receives a sentence for each store
 */
export async function reachableStores(
  choices: readonly SourceChoice[],
  log: (line: string) => void,
): Promise<SourceChoice[]> {
  const checked: SourceChoice[] = [];
  for (const choice of choices) {
    const completeChoice = choice.adapter === "storefront" ? await complete(choice, log) : choice;
    if (completeChoice !== undefined) checked.push(completeChoice);
  }
  return checked;
}

async function complete(
  choice: SourceChoice,
  log: (line: string) => void,
): Promise<SourceChoice | undefined> {
  const { target, baseUrl, options } = choice;
  if (baseUrl === undefined) return choice;
  const store = parseStore(baseUrl);
  const completedOptions = {
    ...(!isLoopback(store) && { profileUrl: trialProfileUrl }),
    ...options,
  };
  const whole = { ...choice, baseUrl: store, options: completedOptions };
  checkSource(whole);
  if (options["idTemplate"] !== undefined) {
    log(`${target} reads ${store}.`);
    return whole;
  }
  const { profileUrl, endpointPath } = options;
  const sample = { store, query: sampleQuery, limit: sampleSize, marketplace: "us" };
  try {
    const foundItems = itemsOf(await searchStore({ ...sample, profileUrl, endpointPath }));
    const idTemplate = idTemplateOf(foundItems);
    if (idTemplate === undefined) {
      const reason =
        foundItems.length === 0
          ? "A search of the store found no products"
          : "The item IDs of the store have no common form";
      log(
        `${target} reads ${store}. ${reason}, so the service sends item IDs without a template. ` +
          "If the store has another form of IDs, add ,idTemplate=<form> to --source, with {id} for the number.",
      );
      return whole;
    }
    log(`${target} reads ${store}, whose item IDs have the form ${idTemplate}.`);
    return { ...whole, options: { idTemplate, ...completedOptions } };
  } catch (error) {
    log(error instanceof Error ? error.message : String(error));
    log(`${target} reads the invented data of the sandbox instead.`);
    return undefined;
  }
}
