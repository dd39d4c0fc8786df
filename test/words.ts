/** A word or phrase that the project's texts do not use. */
export interface AvoidedWord {
  readonly pattern: RegExp;
  /** What to write instead. */
  readonly instead: string;
}

/** The words to avoid. A pattern matches only the capitals and small letters that it lists. */
export const avoidedWords: readonly AvoidedWord[] = [
  { pattern: /\b[Ss]omebody\b|\b[Nn]obody\b|\b[Ww]hoever\b|\b[Aa]nybody\b/, instead: "the actor" },
  { pattern: /\b[Ee]verybody\b/, instead: "the actors" },
  { pattern: /\b[Bb]y (?:itself|themselves)\b/, instead: "automatically" },
  { pattern: /\bof (?:its|their) own accord\b/, instead: "automatically" },
  { pattern: /\bof its own\b/, instead: "separate" },
  { pattern: /\b[Aa]new\b/, instead: "again" },
  { pattern: /\b[Ii]n vain\b/, instead: "failed" },
  { pattern: /\bat leisure\b/, instead: "when convenient" },
  { pattern: /\b[Mm]eanwhile\b/, instead: "nothing, or the time that is meant" },
  { pattern: /\b[Tt]hereafter\b|\b[Hh]ence\b/, instead: "then, so" },
  { pattern: /\b[Mm]end(?:s|ed|ing)?\b/, instead: "fix" },
  { pattern: /\b(?:is|are|was|were) looked at\b/, instead: "is read, is examined" },
  { pattern: /\b[Tt]ells?\b|\b[Tt]old\b|\b[Tt]elling\b/, instead: "notify, report, show" },
  { pattern: /\b[Ss]ays?\b|\b[Ss]aid\b|\b[Ss]aying\b/, instead: "return, report, state" },
  { pattern: /\b[Hh]ears?\b|\b[Hh]eard\b/, instead: "receive" },
  { pattern: /\b(?:comes?|came) to (?:nothing|the same)\b/, instead: "equals, results in" },
  { pattern: /\b[Ww]hat (?:it|they|this|that) comes? to\b/, instead: "equals, results in" },
  { pattern: /\b[Ss]tands? (?:in|behind|for)\b/, instead: "is stored in, follows, means" },
  { pattern: /\b(?:is|are) seen to\b|\bsees? to\b/, instead: "handles" },
  {
    pattern: /\b(?:is|are|was|were) owed\b|\b[Oo]wes?\b/,
    instead: "is pending, has an owed retry",
  },
  { pattern: /\b(?:is|are|was|were) gone\b/, instead: "delisted, deleted" },
  {
    pattern: /\b[Gg](?:ave|iven|ives?|iving) up\b/,
    instead: "abandoned, timed out, exhausted its retries",
  },
  { pattern: /\bhints? that\b/, instead: "wake-up message" },
  { pattern: /\bwork(?:s|ed|ing)? off\b/, instead: "drain" },
  { pattern: /\bwho is at it\b/, instead: "lease holder" },
  { pattern: /\b(?:its|their|each) turn\b/, instead: "time slice" },
  { pattern: /\bthe books\b/, instead: "account balance state, ledger" },
  {
    pattern: /\b[Ww]hat (?:it|they) (?:knows?|remembers?)\b|\b[Ww]hat is remembered\b/,
    instead: "cached state",
  },
  { pattern: /\bplant(?:s|ed)\b/, instead: "mutant" },
  { pattern: /\b(?:field|price|item)s? (?:that )?moved\b|\bnothing moved\b/, instead: "changed" },
  { pattern: /\baffairs?\b|\berrands?\b|\bshelf\b/, instead: "the standard noun" },
  { pattern: /\bids\b|\bIds\b/, instead: "IDs" },
  { pattern: /\b[Tt]he own\b/, instead: "its own, their own" },
  { pattern: /\b[Tt]he release before\b(?! (?:it|\d))/, instead: "the previous release" },
  { pattern: /\btimes a hundred\b/, instead: "multiplied by 100" },
  { pattern: /\bsome times an? /, instead: "a few times" },
  { pattern: /, also (?:if|in|for|with|after|of)\b/, instead: "even if, including" },
  { pattern: /\b(?:ms|s) an? (?:answer|batch|page|row)\b|\bIDs a call\b/, instead: "per" },
  { pattern: /\bmuch fewer\b/, instead: "far fewer" },
  {
    pattern: /\b\w*(?:[Bb]ehaviour|[Cc]atalogue|[Ll]abelled|[Nn]eighbour|[Nn]ormalis)\w*/,
    instead: "the American spelling",
  },
  { pattern: /\b1 (?:items|runs|credits|events|calls)\b/, instead: "the singular" },
];

/** Lower-case words that no identifier of the project may contain. */
export const avoidedNameParts: ReadonlySet<string> = new Set(
  (
    "somebody nobody whoever anybody anew meanwhile mend mends tell tells told say says said hear " +
    "hears heard owe books chance doors shelf affair errand journey wish planted " +
    "behaviour behaviours misbehaviour misbehaviours catalogue labelled neighbour normalise normalised"
  ).split(" "),
);

/**
 * Matches every text with an avoided word. Few texts match, so one pattern saves most of the time.
 */
const anyAvoidedWord = new RegExp(avoidedWords.map(({ pattern }) => pattern.source).join("|"));

/**
 * Returns the avoided words in a text, as `context: write …`. Inline code, names in quotes and
 * options of commands are not words.
 */
export const avoidedWordsIn = (text: string): string[] => {
  const prose = text
    .replaceAll(/`[^`]*`/g, "`code`")
    .replaceAll(/(['"])[\w.[\]]+\1|--[\w-]+/g, "'code'");
  if (!anyAvoidedWord.test(prose)) return [];
  return avoidedWords.flatMap(({ pattern, instead }) =>
    [...prose.matchAll(new RegExp(pattern, "g"))].map(
      (found) => `${around(prose, found.index)}: write ${instead}`,
    ),
  );
};

const around = (text: string, index: number): string =>
  text
    .slice(Math.max(0, index - 30), index + 40)
    .replaceAll(/\s+/g, " ")
    .trim();
