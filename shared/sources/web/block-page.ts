import type { PageHead } from "./page-head.ts";

/** The minimum length of a shop's page. A shorter page without a product may be a block page. */
const pageCharactersMin = 20_000;
/**
 * Matches phrases of block pages. Single words (robot, blocked, forbidden) are not included,
 * because they also occur in product names.
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
/**
 * Names of tests (such as captchas) on block pages. A name alone does not prove a block page,
 * because books, games and locks have such names too.
 */
const tests = [
  "(?:re|h)?captcha|robot check|robot or human|bot (?:check|detection)",
  String.raw`(?:are you|not) a (?:ro)?bot|are you (?:a )?human|you(?:['’]re| are) (?:a )?human`,
  "(?:human|security) verification|(?:security|browser) check",
].join("|");
const demands =
  "complete|solve|pass|enter|type|fill in|fill out|answer|finish|confirm|prove|verify";
/** Matches a string that requires the visitor of a page to pass a test, such as a captcha. */
const demandedTest = new RegExp(
  String.raw`\b(?:${demands})\b[^.!?:;|]{0,40}\b(?:${tests})\b|` +
    String.raw`\b(?:${tests})\b\W{0,5}(?:is )?\b(?:please|to continue|to proceed|required|press)\b`,
  "i",
);
/** Matches the title of a block page, with or without the name of the site at its end. */
const blockTitle = new RegExp(
  String.raw`^(?:forbidden|blocked|denied|verification|robots?)\W*$|` +
    String.raw`^(?:just a moment|please verify|attention required)\b|` +
    String.raw`^(?:${tests})\W*(?:$|\s[|–—-]\s)`,
  "i",
);

const isDemand = (text: string): boolean => blockPhrases.test(text) || demandedTest.test(text);

/**
 * Returns true if a page's title is the title of a block page; false for a page without a title.
 */
export const isBlockTitle = ({ title }: PageHead): boolean =>
  title !== undefined && (isDemand(title) || blockTitle.test(title));

/** Matches the title of a page that a site shows in place of a page that does not exist. */
const missingTitle =
  /\b(?:404|page (?:not found|unavailable)|not found|no longer available|does(?:n['’]t| not) exist|page introuvable|seite nicht gefunden|página no encontrada)\b/i;

/** Returns true if a page's title shows that the requested page does not exist. */
export const isMissingTitle = ({ title }: PageHead): boolean =>
  title !== undefined && missingTitle.test(title);

/**
 * Returns true if a page is a block page, according to its title or, for a short page, its text.
 * Call it only for a page in which no product was found.
 */
export const isBlockPage = (html: string, head: PageHead): boolean =>
  isBlockTitle(head) || (isShortPage(html) && isDemand(wordsOf(html)));

/**
 * Returns true if a page has fewer than 20,000 characters, which is too short for a shop's page.
 * Call it only for a page in which no product was found.
 */
export const isShortPage = (html: string): boolean => html.length < pageCharactersMin;

/** Returns the visible words of a page, without tags, scripts and styles. */
const wordsOf = (html: string): string =>
  html
    .split(/<\/(?:script|style)/i)
    .map((part) => part.slice(0, indexOr(part.search(/<(?:script|style)\b/i), part.length)))
    .join(" ")
    .replaceAll(/<[^<>]*>/g, " ")
    .replaceAll(/\s+/g, " ");

const indexOr = (index: number, otherwise: number): number => (index === -1 ? otherwise : index);
