/** A word or phrase that the project's texts do not use. */
export interface AvoidedWord {
  readonly pattern: RegExp;
  /** What to write instead. */
  readonly instead: string;
}

/** Case matters: a pattern lists the forms that it refuses. */
export const avoidedWords: readonly AvoidedWord[] = [
  { pattern: /\b[Ss]omebody\b|\b[Nn]obody\b|\b[Ww]hoever\b|\b[Aa]nybody\b/, instead: "the actor" },
  { pattern: /\bby (?:itself|themselves)\b/, instead: "automatically" },
  { pattern: /\bof (?:its|their) own accord\b/, instead: "automatically" },
  { pattern: /\b[Aa]new\b/, instead: "again" },
  { pattern: /\bin vain\b/, instead: "failed" },
  { pattern: /\bat leisure\b/, instead: "when convenient" },
  { pattern: /\b[Mm]eanwhile\b/, instead: "nothing, or the time that is meant" },
  { pattern: /\b[Tt]hereafter\b|\b[Hh]ence\b/, instead: "then, so" },
  { pattern: /\b[Mm]end(?:s|ed|ing)?\b/, instead: "fix" },
  { pattern: /\btells?\b|\btold\b/, instead: "notify, report, show" },
  { pattern: /\bsays?\b|\bsaid\b/, instead: "return, report, state" },
  { pattern: /\bhears?\b|\bheard\b/, instead: "receive" },
  { pattern: /\b(?:comes?|came) to (?:nothing|the same)\b/, instead: "equals, results in" },
  { pattern: /\bstands? (?:in|behind|for)\b/, instead: "is stored in, follows, means" },
  { pattern: /\b(?:is|are) seen to\b|\bsees? to\b/, instead: "handles" },
  { pattern: /\b(?:is|are|was|were) owed\b|\bowes?\b/, instead: "is pending, has pending" },
  { pattern: /\b(?:is|are|was|were) gone\b/, instead: "delisted, deleted" },
  { pattern: /\bg(?:ave|iven|ives?) up\b/, instead: "abandoned, timed out, exhausted its retries" },
  { pattern: /\bwork(?:s|ed|ing)? off\b/, instead: "drain" },
  { pattern: /\bthe books\b/, instead: "account balance state, ledger" },
  { pattern: /\b[Ww]hat(?: it)? (?:knows|is remembered)\b/, instead: "cached state" },
  { pattern: /\bplanted mistakes?\b/, instead: "mutant" },
  { pattern: /\baffairs?\b|\berrands?\b|\bshelf\b/, instead: "the standard noun" },
  { pattern: /\bids\b|\bIds\b/, instead: "IDs" },
  { pattern: /\b1 (?:items|runs|credits|events|calls)\b/, instead: "the singular" },
];

/** The avoided words in a text that is not code, as `word: what to write instead`. */
export const avoidedWordsIn = (prose: string): string[] =>
  avoidedWords.flatMap(({ pattern, instead }) =>
    [...prose.matchAll(new RegExp(pattern, "g"))].map(
      (found) => `${around(prose, found.index)}: write ${instead}`,
    ),
  );

const around = (text: string, index: number): string =>
  text
    .slice(Math.max(0, index - 30), index + 40)
    .replaceAll(/\s+/g, " ")
    .trim();
