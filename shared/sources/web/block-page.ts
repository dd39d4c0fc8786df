import type { PageHead } from "./page-head.ts";

/** Shops' pages are longer; a shorter one without a product is nothing that a shop says of one. */
const pageCharactersMin = 20_000;
/**
 * What pages that keep readers out say. Whole phrases: single words of them (robot, blocked,
 * forbidden) are in the names of things on sale.
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
/** What such pages ask for. Books, games and locks are called so too. */
const tests = [
  "(?:re|h)?captcha|robot check|robot or human|bot (?:check|detection)",
  String.raw`(?:are you|not) a (?:ro)?bot|are you (?:a )?human|you(?:['’]re| are) (?:a )?human`,
  "(?:human|security) verification|(?:security|browser) check",
].join("|");
const demands =
  "complete|solve|pass|enter|type|fill in|fill out|answer|finish|confirm|prove|verify";
/** A test that the reader is told to take. */
const demandedTest = new RegExp(
  String.raw`\b(?:${demands})\b[^.!?:;|]{0,40}\b(?:${tests})\b|` +
    String.raw`\b(?:${tests})\b\W{0,5}(?:is )?\b(?:please|to continue|to proceed|required|press)\b`,
  "i",
);
/** What such pages say where a page of a shop says what it is about; the site's name may follow. */
const blockTitle = new RegExp(
  String.raw`^(?:forbidden|blocked|denied|verification|robots?)\W*$|` +
    String.raw`^(?:just a moment|please verify|attention required)\b|` +
    String.raw`^(?:${tests})\W*(?:$|\s[|–—-]\s)`,
  "i",
);

const isDemand = (text: string): boolean => blockPhrases.test(text) || demandedTest.test(text);

/** Whether a page's title says that the reader is kept out. */
export const isBlockTitle = ({ title }: PageHead): boolean =>
  title !== undefined && (isDemand(title) || blockTitle.test(title));

/** Whether a page that describes no product says, in its title or as all it says, that readers are kept out. */
export const saysBlocked = (html: string, head: PageHead): boolean =>
  isBlockTitle(head) || (isShortPage(html) && isDemand(wordsOf(html)));

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
