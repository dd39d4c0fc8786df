/** The named character references that product texts use. Other references stay unchanged. */
const named: ReadonlyMap<string, string> = new Map([
  ["amp", "&"],
  ["lt", "<"],
  ["gt", ">"],
  ["quot", '"'],
  ["apos", "'"],
  ["nbsp", " "],
  ["reg", "®"],
  ["trade", "™"],
  ["copy", "©"],
  ["deg", "°"],
  ["plusmn", "±"],
  ["times", "×"],
  ["micro", "µ"],
  ["middot", "·"],
  ["bull", "•"],
  ["hellip", "…"],
  ["ndash", "–"],
  ["mdash", "—"],
  ["lsquo", "‘"],
  ["rsquo", "’"],
  ["ldquo", "“"],
  ["rdquo", "”"],
  ["laquo", "«"],
  ["raquo", "»"],
  ["prime", "′"],
  ["Prime", "″"],
  ["frac12", "½"],
  ["frac14", "¼"],
  ["frac34", "¾"],
  ["sup2", "²"],
  ["sup3", "³"],
  ["cent", "¢"],
  ["pound", "£"],
  ["euro", "€"],
  ["yen", "¥"],
  ["agrave", "à"],
  ["aacute", "á"],
  ["acirc", "â"],
  ["auml", "ä"],
  ["Auml", "Ä"],
  ["ccedil", "ç"],
  ["egrave", "è"],
  ["eacute", "é"],
  ["Eacute", "É"],
  ["ecirc", "ê"],
  ["iacute", "í"],
  ["ntilde", "ñ"],
  ["oacute", "ó"],
  ["ocirc", "ô"],
  ["ouml", "ö"],
  ["Ouml", "Ö"],
  ["szlig", "ß"],
  ["uacute", "ú"],
  ["uuml", "ü"],
  ["Uuml", "Ü"],
]);

const entity = /&(?:#\d{1,7}|#[xX][\da-fA-F]{1,6}|[A-Za-z]{2,8}\d{0,2});/g;
/** Texts are cut to this length, because the time to find pairs of tags grows with the length. */
const htmlLengthMax = 4_000;
const lineEnd = /<(?:br|\/?(?:p|div|li|ul|ol|h[1-6]|tr|table))\b[^<>]*>/gi;
/** Requires a letter after "<", so a lone "<" is not a tag. */
const tag = /<\/?[a-zA-Z][^<>]*>/g;
const unseen = /<(script|style)\b[^<>]*>[^]*?<\/\1\s*>|<!--[^]*?-->/gi;

/** Resolves character references once. */
const decodedEntities = (text: string): string =>
  text.replaceAll(entity, (reference: string) => characterOf(reference.slice(1, -1)) ?? reference);

function characterOf(reference: string): string | undefined {
  if (!reference.startsWith("#")) return named.get(reference);
  const isHex = reference.charAt(1).toLowerCase() === "x";
  const code = Number.parseInt(reference.slice(isHex ? 2 : 1), isHex ? 16 : 10);
  const isCharacter = code >= 32 && code <= 0x10_ff_ff && !(code >= 0xd8_00 && code <= 0xdf_ff);
  return isCharacter ? String.fromCodePoint(code) : undefined;
}

/** Returns HTML-escaped text as one line: spaces joined, no control characters. */
export const lineOf = (text: string): string => plainLine(decodedEntities(text));

/** Returns the non-empty paragraphs of a text that may be HTML, without tags. Cuts long texts. */
export const paragraphsOf = (html: string): string[] =>
  html
    .slice(0, htmlLengthMax)
    .replaceAll(unseen, " ")
    .replaceAll(lineEnd, "\n")
    .split("\n")
    .map((line) => plainLine(decodedEntities(line.replaceAll(tag, " "))))
    .filter((line) => line !== "");

/**
 * Characters that change the direction of the surrounding text and can make it read differently.
 */
const directionMarks = /[\u202A-\u202E\u2066-\u2069]/g;

/** Returns unescaped text as one line: spaces joined, no control characters. */
export const plainLine = (text: string): string =>
  text
    .replaceAll(directionMarks, "")
    .replaceAll(/[\s\p{Cc}]+/gu, " ")
    .trim();
