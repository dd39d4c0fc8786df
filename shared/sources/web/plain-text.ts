import { Parser } from "htmlparser2";

/** Maximum length of a text that is parsed, in characters. The rest of a longer text is ignored. */
const textLengthMax = 10_000;

/**
 * Returns a string without HTML tags and with decoded entities, because sites put HTML into text
 * fields. Each sequence of white space and control characters becomes one space. Uses only the
 * first 10,000 characters of the text.
 */
export function plainText(text: string): string {
  const cut = text.slice(0, textLengthMax);
  const bare = /[&<]/.test(cut) ? withoutMarkup(cut) : cut;
  // oxlint-disable-next-line no-control-regex -- the expression replaces control characters
  return bare.replaceAll(/[\s\u0000-\u001F\u007F]+/g, " ").trim();
}

/** Removes HTML tags and decodes entities. */
function withoutMarkup(text: string): string {
  let bare = "";
  const parser = new Parser({
    ontext(part) {
      bare += part;
    },
    onopentagname() {
      bare += " ";
    },
  });
  parser.end(text);
  // Many sites escape texts twice, so entities are decoded a second time.
  return bare.includes("&") && /&(?:amp|quot|lt|gt|nbsp|#\d+);/.test(bare) ? decode(bare) : bare;
}

/** Decodes entities. */
function decode(text: string): string {
  let bare = "";
  const parser = new Parser({
    ontext(part) {
      bare += part;
    },
  });
  parser.end(text);
  return bare;
}
