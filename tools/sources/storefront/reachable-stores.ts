import type { SourceChoice } from "../../local/sources.ts";
import { idTemplateOf, itemsOf } from "./found-items.ts";
import { isLoopback, parseStore, searchStore, trialProfileUrl } from "./store-client.ts";

/** The number of products of which the start looks at the IDs. */
const sampleSize = 5;

/**
 * Completes the choices of stores that respond, and omits the others, so that their platforms
 * keep the sandbox. Other choices stay unchanged.
 *
 * A store's IDs have a form that only the store knows, so the start reads some products and derives
 * `idTemplate`. A public store cannot read the agent profile of this machine, so it gets the one
 * for trials.
 * @param log receives a sentence for each store
 */
export async function reachableStores(
  choices: readonly SourceChoice[],
  log: (line: string) => void,
): Promise<SourceChoice[]> {
  const checked: SourceChoice[] = [];
  for (const choice of choices) {
    const kept = choice.adapter === "storefront" ? await completed(choice, log) : choice;
    if (kept !== undefined) checked.push(kept);
  }
  return checked;
}

async function completed(
  choice: SourceChoice,
  log: (line: string) => void,
): Promise<SourceChoice | undefined> {
  const { target, baseUrl, options } = choice;
  if (baseUrl === undefined) return choice;
  const store = parseStore(baseUrl);
  const profileUrl = options["profileUrl"];
  const sample = { store, query: "", limit: sampleSize, marketplace: "us", profileUrl };
  try {
    const found = itemsOf(await searchStore(sample));
    const idTemplate = options["idTemplate"] ?? idTemplateOf(found);
    log(
      `${target} reads ${store}${idTemplate === undefined ? "" : `, whose IDs are ${idTemplate}`}.`,
    );
    return {
      ...choice,
      baseUrl: store,
      options: {
        ...(idTemplate !== undefined && { idTemplate }),
        ...(!isLoopback(store) && { profileUrl: trialProfileUrl }),
        ...options,
      },
    };
  } catch (error) {
    log(error instanceof Error ? error.message : String(error));
    log(`${target} stays with the invented data of the sandbox.`);
    return undefined;
  }
}
