import type { PageHead } from "./page-head.ts";

/** Shops' pages are longer; a shorter one without a product is nothing that a shop says of one. */
const pageCharactersMin = 20_000;
/**
 * What pages that keep readers out say. Whole phrases: single words of them (robot, blocked,
 * forbidden) are in the names of things on sale.
 */
const blockPhrases = new RegExp(
  [
    String.raw`captcha|robot check|robot or human|bot (?:check|detection)`,
    String.raw`(?:are you|not) a (?:ro)?bot\b|are you (?:a )?human|you(?:['’]re| are) (?:a )?human`,
    String.raw`verify (?:that )?you\b|(?:human|security) verification|(?:security|browser) check`,
    String.raw`access (?:to this page )?(?:has been |is |was )?(?:denied|blocked|forbidden)`,
    String.raw`(?:request|permission) (?:has been |is |was )?(?:denied|blocked|rejected)`,
    String.raw`you have been blocked|unusual traffic|automated (?:access|traffic|requests)`,
    String.raw`pardon our interruption|checking your browser|403 forbidden`,
  ]
    .map((phrase) => String.raw`\b(?:${phrase})`)
    .join("|"),
  "i",
);
/** What such pages say where a page of a shop says what it is about. */
const blockTitle =
  /^(?:forbidden|blocked|denied|verification|robots?)\W*$|^(?:just a moment|please verify|attention required)\b/i;

/** Whether a page's title says that the reader is kept out. */
export const isBlockTitle = ({ title }: PageHead): boolean =>
  title !== undefined && (blockPhrases.test(title) || blockTitle.test(title));

/** Whether a page that describes no product says, in its title or as all it says, that readers are kept out. */
export const saysBlocked = (html: string, head: PageHead): boolean =>
  isBlockTitle(head) || (isShortPage(html) && blockPhrases.test(wordsOf(html)));

/** Whether a page that describes no product is too short to be a shop's. */
export const isShortPage = (html: string): boolean => html.length < pageCharactersMin;

/** Without scripts and styles, which name things that readers never see. */
const wordsOf = (html: string): string =>
  html
    .split(/<\/(?:script|style)/i)
    .map((part) => part.slice(0, indexOr(part.search(/<(?:script|style)\b/i), part.length)))
    .join(" ")
    .replaceAll(/<[^<>]*>/g, " ")
    .replaceAll(/\s+/g, " ");

const indexOr = (index: number, otherwise: number): number => (index === -1 ? otherwise : index);
