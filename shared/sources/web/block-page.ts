import type { PageHead } from "./page-head.ts";

/** Pages of shops are longer. A shorter page without a product proves nothing about one. */
const pageCharactersMin = 20_000;
/**
 * Phrases of block pages. Only complete phrases: single words (robot, blocked, forbidden) also
 * occur in product names.
 */
const blockPhrases = new RegExp(
  [
    String.raw`verify (?:that )?you\b`,
    String.raw`access (?:to this page )?(?:has been |is |was )?(?:denied|blocked|forbidden)`,
    String.raw`(?:request|permission) (?:has been |is |was )?(?:denied|blocked|rejected)`,
    String.raw`you have been blocked|unusual traffic|automated (?:access|traffic|requests)`,
    String.raw`pardon our interruption|checking your browser|403 forbidden`,
  ]
    .map((phrase) => String.raw`\b(?:${phrase})`)
    .join("|"),
  "i",
);
/** Names of tests on block pages. Books, games and locks have such names too. */
const tests = [
  "(?:re|h)?captcha|robot check|robot or human|bot (?:check|detection)",
  String.raw`(?:are you|not) a (?:ro)?bot|are you (?:a )?human|you(?:['’]re| are) (?:a )?human`,
  "(?:human|security) verification|(?:security|browser) check",
].join("|");
const demands =
  "complete|solve|pass|enter|type|fill in|fill out|answer|finish|confirm|prove|verify";
/** A test that the reader must take. */
const demandedTest = new RegExp(
  String.raw`\b(?:${demands})\b[^.!?:;|]{0,40}\b(?:${tests})\b|` +
    String.raw`\b(?:${tests})\b\W{0,5}(?:is )?\b(?:please|to continue|to proceed|required|press)\b`,
  "i",
);
/** Titles of block pages, optionally followed by the site's name. */
const blockTitle = new RegExp(
  String.raw`^(?:forbidden|blocked|denied|verification|robots?)\W*$|` +
    String.raw`^(?:just a moment|please verify|attention required)\b|` +
    String.raw`^(?:${tests})\W*(?:$|\s[|–—-]\s)`,
  "i",
);

const isDemand = (text: string): boolean => blockPhrases.test(text) || demandedTest.test(text);

/** Returns true if a page's title reports a block. */
export const isBlockTitle = ({ title }: PageHead): boolean =>
  title !== undefined && (isDemand(title) || blockTitle.test(title));

/** Returns true if a page without a product reports a block, in its title or in a short text. */
export const isBlockPage = (html: string, head: PageHead): boolean =>
  isBlockTitle(head) || (isShortPage(html) && isDemand(wordsOf(html)));

/** Returns true if a page without a product is too short to be a shop's page. */
export const isShortPage = (html: string): boolean => html.length < pageCharactersMin;

/** Without scripts and styles, which contain words that readers never see. */
const wordsOf = (html: string): string =>
  html
    .split(/<\/(?:script|style)/i)
    .map((part) => part.slice(0, indexOr(part.search(/<(?:script|style)\b/i), part.length)))
    .join(" ")
    .replaceAll(/<[^<>]*>/g, " ")
    .replaceAll(/\s+/g, " ");

const indexOr = (index: number, otherwise: number): number => (index === -1 ? otherwise : index);
