import { once } from "../once.ts";
import type { PageHead } from "../page-head.ts";
import { countScriptAmounts } from "../state/scripted-amounts.ts";
import { type PageScript, scriptsIn } from "../scripts.ts";
import type { WantedProduct } from "../wanted-product.ts";
import { type CartControl, cartControls } from "./controls.ts";
import { type Outline, outlineOf } from "./outline.ts";
import { pageBody } from "./page-body.ts";
import type { PricePage } from "./price-features.ts";
import { type ShownAmount, findShownAmounts } from "./shown-amounts.ts";

/** The parts of a page that several readers need. Each is computed once, at its first use. */
export interface VisiblePage {
  readonly html: string;
  readonly wanted: WantedProduct;
  readonly scripts: () => readonly PageScript[];
  readonly titles: () => readonly string[];
  readonly outline: () => Outline;
  readonly amounts: () => readonly ShownAmount[];
  readonly controls: () => readonly CartControl[];
}

/**
 * Returns an object with the parts of a page from which the price and the availability can be read.
 * Each part is parsed only at its first use.
 * @param wanted the requested product
 * @param head returns the metadata of the page
 */
export function visiblePage(
  html: string,
  wanted: WantedProduct,
  head: () => PageHead,
): VisiblePage {
  const titles = once(() => {
    const { metas, title } = head();
    return [metas.get("og:title"), title].filter((one) => one !== undefined);
  });
  const outline = once(() => outlineOf(pageBody(html, titles()), titles()));
  return {
    html,
    wanted,
    scripts: once(() => [...scriptsIn(html)]),
    titles,
    outline,
    amounts: once(() => findShownAmounts(outline(), wanted.currency)),
    controls: once(() => cartControls(outline())),
  };
}

/** Selects the parts of a visible page that `priceFeatures` needs. */
export const pricePage = ({ scripts, outline, amounts, controls }: VisiblePage): PricePage => ({
  outline: outline(),
  amounts: amounts(),
  controls: controls(),
  scripted: countScriptAmounts(scripts()),
});
