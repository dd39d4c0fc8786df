import type { PageHead } from "./page-head.ts";

/** Shops' pages are longer; a shorter one without a product was made to keep readers out. */
const pageCharactersMin = 20_000;
const titleWords = /\b(?:robots?|captcha|denied|verify|verification|forbidden|blocked)\b/i;
const titlePhrases = /\b(?:just a moment|attention required|are you (?:a )?human|bot check)\b/i;

/** Whether a page's title says that the reader is kept out. */
export const isBlockTitle = ({ title }: PageHead): boolean =>
  title !== undefined && (titleWords.test(title) || titlePhrases.test(title));

/** Whether a page that describes no product is one that keeps readers out. */
export const isBlockPage = (html: string, head: PageHead): boolean =>
  html.length < pageCharactersMin || isBlockTitle(head);
